// Keeps a ConfigMap with the words of every Greeting.
#pragma once

#include <string_view>
#include <utility>

#include "api/v1/generated.h"
#include "keelson/runtime/builder.h"

namespace hello {

inline constexpr std::string_view kFinalizer = "hello.example.com/goodbye";

class GreetingReconciler {
 public:
  // The client outlives it.
  GreetingReconciler(const keelson::ObjectClient& client, keelson::EventRecorder events)
      : client_(client), events_(std::move(events)) {}

  keelson::Result<keelson::Outcome> Reconcile(keelson::Context& context, const keelson::Request& request);

 private:
  keelson::Result<keelson::Outcome> Finalize(v1::Greeting greeting);
  keelson::Result<void> Report(v1::Greeting greeting, const std::string& text);

  const keelson::ObjectClient& client_;
  const keelson::EventRecorder events_;
};

// Has the manager run it. The reconciler outlives the manager's Run.
keelson::Result<void> AddGreetingController(keelson::Manager& manager, GreetingReconciler& reconciler);

}  // namespace hello
