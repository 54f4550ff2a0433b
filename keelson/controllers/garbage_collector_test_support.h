// For tests of the garbage collector: objects that own each other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/codec/unstructured.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/controllers/controller_process_test_support.h"
#include "keelson/controllers/garbage_collector.h"

namespace keelson::controllers {

inline Unstructured Definition(const std::string& kind, const std::string& plural,
                               const std::string& scope = "Namespaced") {
  const std::string text =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: " + plural +
      ".example.com\nspec:\n  group: example.com\n  scope: " + scope + "\n  names: {kind: " + kind +
      ", plural: " + plural +
      "}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n"
      "      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}\n";
  return FromYaml<Unstructured>(text).value();
}

inline Unstructured Object(const GroupVersionKind& kind, const ObjectKey& key) {
  Unstructured object;
  object.SetGvk(kind);
  object.SetNamespace(key.namespace_);
  object.SetName(key.name);
  return object;
}

template <class T>
metav1::OwnerReference OwnedBy(const T& owner, bool blocking = false) {
  metav1::OwnerReference reference;
  if constexpr (std::same_as<T, Unstructured>) {
    reference = {
        .apiVersion = owner.GetApiVersion(), .kind = owner.GetKind(), .name = owner.GetName(), .uid = owner.GetUid()};
  } else {
    reference = {.apiVersion = GvkOf<T>().group_version().ToString(),
                 .kind = GvkOf<T>().kind,
                 .name = owner.metadata.name,
                 .uid = owner.metadata.uid};
  }
  if (blocking) reference.blockOwnerDeletion = true;
  return reference;
}

inline ControllerProcess::Add Collector(GarbageCollectorOptions options = {}) {
  return [options](Manager& manager) { return AddGarbageCollectorController(manager, options); };
}

// Makes ConfigMaps as owners and owned.
class Maps {
 public:
  explicit Maps(Client client) : client_(std::move(client)) {}

  corev1::ConfigMap Make(const std::string& name, List<metav1::OwnerReference> owners = {},
                         const std::string& namespace_ = "default", List<String> finalizers = {}) const {
    corev1::ConfigMap map;
    map.metadata = {.name = name,
                    .namespace_ = namespace_,
                    .ownerReferences = std::move(owners),
                    .finalizers = std::move(finalizers)};
    Result<corev1::ConfigMap> made = client_.Create(map);
    EXPECT_TRUE(made) << name << ": " << made.error().message();
    return made ? *made : map;
  }
  void Delete(const std::string& name, Propagation propagation = Propagation::kBackground) const {
    const Result<void> deleted = client_.Delete<corev1::ConfigMap>({"default", name}, {.propagation = propagation});
    EXPECT_TRUE(deleted) << name << ": " << deleted.error().message();
  }
  bool Has(const std::string& name, const std::string& namespace_ = "default") const {
    return static_cast<bool>(client_.Get<corev1::ConfigMap>({namespace_, name}));
  }
  corev1::ConfigMap Get(const std::string& name) const {
    return client_.Get<corev1::ConfigMap>({"default", name}).value();
  }
  // Those that are there, by name, with the names of their owners: "child < a b".
  std::vector<std::string> All() const {
    std::vector<std::string> all;
    const ObjectList<corev1::ConfigMap> maps = client_.List<corev1::ConfigMap>().value();
    for (const corev1::ConfigMap& map : maps) {
      if (map.metadata.name == "kube-root-ca.crt") continue;
      std::string text = map.metadata.name.str();
      if (!map.metadata.ownerReferences.empty()) text += " <";
      for (const metav1::OwnerReference& owner : map.metadata.ownerReferences) text += " " + owner.name.str();
      if (map.metadata.deletionTimestamp) text += " (deleting)";
      all.push_back(std::move(text));
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  const Client& client() const { return client_; }

 private:
  const Client client_;
};

}  // namespace keelson::controllers
