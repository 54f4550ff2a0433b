#include "greeting_reconciler.h"

#include <utility>

#include "keelson/api/compare.h"
#include "keelson/api/conditions.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/owned.h"

// +kubebuilder:rbac:groups=hello.example.com,resources=greetings,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=hello.example.com,resources=greetings/status;greetings/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch

namespace hello {

using namespace keelson;
using v1::Greeting;

namespace {

std::string TextOf(const v1::GreetingSpec& spec) {
  std::string text;
  for (int32_t i = 0; i < spec.times; ++i) text += "Hello, " + spec.who + "!\n";
  return text;
}

}  // namespace

GreetingReconciler::GreetingReconciler(const ObjectClient& client, EventRecorder events)
    : client_(client), events_(std::move(events)) {
  finalizers_
      .Register("hello.example.com/goodbye", [this](Context&, Greeting& greeting) { return SayGoodbye(greeting); })
      .OrExit();
}

Result<Outcome> GreetingReconciler::Reconcile(Context& context, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<Greeting>(request)));
  if (!found) return Outcome::Done();
  Greeting greeting = *found;
  KEELSON_TRY(ended, finalizers_.Finalize(context, client_, greeting));
  if (ended) return *ended;  // it is being deleted

  const std::string text = TextOf(greeting.spec);
  const ObjectKey key = KeyOf(greeting);
  const corev1::ConfigMap named = {.metadata = {.name = key.name, .namespace_ = key.namespace_}};
  KEELSON_TRY(
      map, CreateOrUpdateOwned(client_, greeting, named, [&](corev1::ConfigMap& map) { map.data = {{"text", text}}; }));
  if (map.change != Change::kNone) {
    context.log().Info("Greeted", "who", greeting.spec.who, "configMap", ToString(map.change));
    events_.Eventf(greeting, EventType::kNormal, "Greeted", "Said hello to {}", greeting.spec.who);
  }
  KEELSON_RETURN_IF_ERROR(Report(greeting, text));
  return Outcome::Done();
}

Result<void> GreetingReconciler::Report(Greeting greeting, const std::string& text) {
  const v1::GreetingStatus before = greeting.status;
  greeting.status.text = text;
  SetStatusCondition(greeting.status.conditions, {.type = "Ready",
                                                  .status = kConditionTrue,
                                                  .observedGeneration = greeting.metadata.generation,
                                                  .reason = "Greeted",
                                                  .message = "the ConfigMap has the text"});
  if (Equal(before, greeting.status)) return {};  // nothing new: nothing is written
  KEELSON_TRY(updated, client_.Status().Update(greeting));
  return {};
}

Result<void> GreetingReconciler::SayGoodbye(const Greeting& greeting) {
  KEELSON_TRY(map, IgnoreNotFound(client_.Get<corev1::ConfigMap>(KeyOf(greeting))));
  if (map && IsControlledBy(*map, greeting)) {
    KEELSON_RETURN_IF_ERROR(IgnoreNotFound(client_.Delete(*map, {.uid = map->metadata.uid.str()})));
  }
  events_.Eventf(greeting, EventType::kNormal, "Goodbye", "Said goodbye to {}", greeting.spec.who);
  return {};
}

Result<void> AddGreetingController(Manager& manager, GreetingReconciler& reconciler) {
  KEELSON_TRY(controller, ControllerFor<Greeting>(manager).Owns<corev1::ConfigMap>().Complete(reconciler));
  return {};
}

}  // namespace hello
