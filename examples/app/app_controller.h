// Keeps the parts of every App: a Deployment, and as its switches say a Service and an Ingress.
#pragma once

#include <string_view>

#include "api/v1beta1/generated.h"
#include "keelson/api/apps/v1.h"
#include "keelson/runtime/builder.h"

namespace app {

// On the parts of an App, with its name: what its Deployment and its Service select Pods by.
inline constexpr std::string_view kAppLabel = "ingress.example.com/app";

// Reasons of the condition Ready. Those of them that somebody has to do something about are Warning events too.
inline constexpr std::string_view kAvailable = "Available";              // True: the parts are as they should be
inline constexpr std::string_view kProgressing = "Progressing";          // Pods are on their way
inline constexpr std::string_view kRolloutStuck = "RolloutStuck";        // they take longer than they may
inline constexpr std::string_view kServiceRequired = "ServiceRequired";  // an Ingress without a Service
inline constexpr std::string_view kResourceExists = "ResourceExists";    // somebody else's object has a part's name
inline constexpr std::string_view kRejected = "Rejected";                // the server does not take a part

class AppReconciler {
 public:
  // The client outlives it.
  AppReconciler(const keelson::ObjectClient& client, keelson::EventRecorder events);

  keelson::Result<keelson::Outcome> Reconcile(keelson::Context& context, const keelson::Request& request);

 private:
  // Makes the parts as they should be and says whether they are: status, reason and message of the condition Ready. The
  // rest of the status is in `app` then.
  keelson::Result<keelson::metav1::Condition> Sync(v1beta1::App& app) const;
  // Writes the status where it differs from the one before, and tells of it.
  keelson::Result<void> Report(v1beta1::App app, const v1beta1::AppStatus& before,
                               keelson::metav1::Condition ready) const;

  // The part of that kind, which has the App's name: made or mended, or gone. What is not the App's stays as it is.
  template <class Part>
  keelson::Result<Part> Ensure(const v1beta1::App& app) const;
  template <class Part>
  keelson::Result<void> Remove(const v1beta1::App& app) const;

  const keelson::ObjectClient& client_;
  const keelson::EventRecorder events_;
};

// Has the manager run it. The reconciler outlives the manager's Run.
keelson::Result<void> AddAppController(keelson::Manager& manager, AppReconciler& reconciler);

// How far a rollout is, as a condition: True when all replicas are of the newest template and available.
keelson::metav1::Condition ReadyOf(const keelson::appsv1::Deployment& deployment);

}  // namespace app
