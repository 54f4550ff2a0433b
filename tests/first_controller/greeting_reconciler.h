// Keeps a ConfigMap with the words of every Greeting.
#pragma once

#include <string>

#include "api/v1/generated.h"
#include "keelson/runtime/builder.h"
#include "keelson/runtime/finalizer_registry.h"

namespace hello {

class GreetingReconciler {
 public:
  // The client outlives it.
  GreetingReconciler(const keelson::ObjectClient& client, keelson::EventRecorder events);

  keelson::Result<keelson::Outcome> Reconcile(keelson::Context& context, const keelson::Request& request);

 private:
  keelson::Result<void> Report(v1::Greeting greeting, const std::string& text);
  keelson::Result<void> SayGoodbye(const v1::Greeting& greeting);

  const keelson::ObjectClient& client_;
  const keelson::EventRecorder events_;
  keelson::FinalizerRegistry<v1::Greeting> finalizers_;
};

// Has the manager run it. The reconciler outlives the manager's Run.
keelson::Result<void> AddGreetingController(keelson::Manager& manager, GreetingReconciler& reconciler);

}  // namespace hello
