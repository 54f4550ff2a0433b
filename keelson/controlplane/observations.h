// What an operator makes and what it tells of an object, as text for tests to compare.
//
//   EXPECT_THAT(ControllersOf<appsv1::Deployment>(client, "default"), ElementsAre("Deployment web of shop"));
//   EXPECT_EQ(ConditionOf<App>(client, key), "Ready=True Available: 3 of 3 replicas are available");
//   EXPECT_THAT(EventsOf<App>(client, key), ElementsAre("Normal Created", "Warning RolloutStuck"));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/object.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/client.h"

namespace keelson {

namespace internal {
std::string ConditionOf(const Client& client, const Target& target, const ObjectKey& key, std::string_view type);
}  // namespace internal

// "Ready=True Available: 3 of 3 replicas are available", of status.conditions. Where there is none such, "nothing is
// said"; where it was observed at another generation than the object has now, "it speaks of an older generation"; where
// there is no object, the server's message.
template <ApiObject T>
std::string ConditionOf(const Client& client, const ObjectKey& key, std::string_view type = "Ready") {
  return internal::ConditionOf(
      client, {.type = &TypeOf<Unstructured>(), .resource = Target::Typed<T>().resource, .kind = GvkOf<T>()}, key,
      type);
}
std::string ConditionOf(const Client& client, const Unstructured& object, std::string_view type = "Ready");

// Those about one object, oldest first. The events of a cluster-scoped object are in namespace default.
std::vector<corev1::Event> ListEventsOf(const Client& client, const GroupVersionKind& kind, const ObjectKey& key);
template <ApiObject T>
std::vector<corev1::Event> ListEventsOf(const Client& client, const ObjectKey& key) {
  return ListEventsOf(client, GvkOf<T>(), key);
}

// "Warning RolloutStuck": type and reason of each. What is told several times is one event that counts.
std::vector<std::string> EventsOf(const Client& client, const GroupVersionKind& kind, const ObjectKey& key);
template <ApiObject T>
std::vector<std::string> EventsOf(const Client& client, const ObjectKey& key) {
  return EventsOf(client, GvkOf<T>(), key);
}

// "Deployment web of shop", "Deployment other of nobody": the objects of a kind in a namespace (empty: in all, or of
// the cluster), and the name of what controls each.
template <ApiObject T>
std::vector<std::string> ControllersOf(const Client& client, const std::string& namespace_ = {}) {
  std::vector<std::string> controllers;
  const ObjectList<T> objects = client.List<T>({.namespace_ = namespace_}).value();
  for (const T& object : objects) {
    const metav1::OwnerReference* owner = GetControllerOf(object);
    controllers.push_back(GvkOf<T>().kind + " " + object.metadata.name.str() + " of " +
                          (owner != nullptr ? owner->name.str() : "nobody"));
  }
  return controllers;
}

}  // namespace keelson
