// What the tests of the operator have in common.
#pragma once

#include <string>

#include "app_service_controller.h"
#include "keelson/client/modify.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/observations.h"
#include "keelson/controlplane/operator_process.h"
#include "keelson/controlplane/run_seeds.h"
#include "keelson/core/clock.h"
#include "keelson/runtime/event_recorder.h"

namespace app_service {

// What main does, without flags.
inline keelson::OperatorProcess::Main OperatorOf(int workers) {
  return [workers](const keelson::Client& client, const keelson::StopToken& stop) {
    keelson::EventBroadcaster events({.client = client});
    keelson::InformerFactory informers(client, {.resync = std::chrono::seconds(30)});
    AppServiceController controller(client, informers, events.RecorderFor(kControllerName));
    informers.Start(stop);
    return controller.Run(stop, workers);
  };
}

// "Ready=True Synced: 2 of 2 replicas are available", once it speaks of the present generation.
inline std::string ReadyOf(const keelson::Client& client, const std::string& name) {
  return keelson::ConditionOf<v1alpha1::AppService>(client, {"default", name});
}

}  // namespace app_service
