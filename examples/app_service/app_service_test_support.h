// What the tests of the operator have in common.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app_service_controller.h"
#include "keelson/api/conditions.h"
#include "keelson/codec/unstructured.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/event_recorder.h"

namespace app_service {

// The program of main.cc, in this process.
class Operator {
 public:
  explicit Operator(const keelson::Client& client, int workers = 2)
      : events_({.client = client}),
        informers_(client, {.resync = std::chrono::seconds(30)}),
        controller_(client, informers_, events_.RecorderFor(kControllerName)),
        thread_("operator", [this, workers](const keelson::StopToken& stop) {
          informers_.Start(stop);
          controller_.Run(stop, workers).value();
        }) {}

 private:
  keelson::EventBroadcaster events_;
  keelson::InformerFactory informers_;
  AppServiceController controller_;
  keelson::Thread thread_;
};

inline std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Creates the objects of a manifest in namespace default. Gives the last one, or what was wrong.
inline keelson::Result<keelson::Unstructured> Create(const keelson::Client& client, const std::string& manifest) {
  keelson::Unstructured last;
  KEELSON_TRY(documents, keelson::SplitYamlToJson(manifest));
  for (const std::string& document : documents) {
    KEELSON_TRY(object, keelson::Unstructured::Parse(document));
    KEELSON_TRY(created, client.Scope("default").Create(object));
    last = std::move(created);
  }
  return last;
}

// "True Synced", once it speaks of the present generation.
inline std::string ReadyOf(const keelson::Client& client, const std::string& name) {
  const auto found = client.Get<v1alpha1::AppService>({"default", name});
  if (!found) return found.error().message();
  const auto* ready = keelson::FindStatusCondition(found->status.conditions, "Ready");
  if (ready == nullptr) return "nothing";
  if (ready->observedGeneration != found->metadata.generation) return "of an earlier generation";
  return ready->status.str() + " " + ready->reason.str();
}

}  // namespace app_service
