// The requests that the recorder makes beside those that client-go's recorders made (tests/recorder_events).
#include <gtest/gtest.h>
#include <re2/re2.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/apiserver/api_server.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/runtime/event_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

// One request: method, path, content type and body, without what differs from run to run.
std::string Normalised(std::string text) {
  RE2::GlobalReplace(&text, R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)", "MICROTIME");
  RE2::GlobalReplace(&text, R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)", "TIME");
  RE2::GlobalReplace(&text, R"(\.[0-9a-f]{16}\b)", ".HEX");
  RE2::GlobalReplace(&text, R"("name":"[0-9a-f]{8}-[0-9a-f-]{27}")", R"("name":"UUID")");
  char host[256] = {};
  EXPECT_EQ(gethostname(host, sizeof host - 1), 0);
  const std::string instance = std::string("count-controller-") + host;
  for (size_t at; (at = text.find(instance)) != std::string::npos;) {
    text.replace(at, instance.size(), "count-controller-HOST");
  }
  return text;
}

std::string Line(std::string_view method, std::string_view path, std::string_view type, const Json& body) {
  return std::string(method) + " " + std::string(path) + " " + std::string(type) + " " + ToJson(body);
}

std::map<std::string, std::vector<std::string>> Recorded() {
  std::map<std::string, std::vector<std::string>> cases;
  std::ifstream file(KEELSON_TEST_DATA "/events/requests.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Json request = ParseJson(line).value();
    const auto text = [&](std::string_view member) { return request.find(member)->string().str(); };
    cases[text("case")].push_back(Line(text("method"), text("path"), text("type"), *request.find("body")));
  }
  return cases;
}

void Compare(const std::string& title, const EventRecorderOptions& options,
             const std::function<void(const EventRecorder&)>& act) {
  static const auto recorded = Recorded();
  ASSERT_TRUE(recorded.contains(title)) << title;
  InSimulation([&] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    act(events.RecorderFor("count-controller", options));
    ASSERT_TRUE(events.Stop(10s));
    std::vector<std::string> requests;
    for (const Gate::Request& request : cluster.gate->requests()) {
      requests.push_back(Normalised(Line(request.method, request.path, request.type, ParseJson(request.body).value())));
    }
    EXPECT_EQ(requests, recorded.at(title)) << title;
    EXPECT_EQ(events.count(EventOutcome::kRefused), 0u) << title;
  });
}

TEST(EventRecorded, CoreRequestsAreThoseOfClientGo) {
  const auto pause = [] { (void)SleepFor(1s, {}); };
  const corev1::Pod pod{
      .metadata = {.name = "web", .namespace_ = "default", .uid = "66666666-2222-3333-4444-555555555555"}};
  Compare("core: the same three times", {}, [&](const EventRecorder& recorder) {
    for (int i = 0; i < 3; ++i) {
      recorder.Event(TestCount(), EventType::kNormal, "Synced", "Count synced successfully");
      pause();
    }
  });
  Compare("core: twelve messages", {}, [&](const EventRecorder& recorder) {
    for (int i = 0; i < 12; ++i) {
      recorder.Eventf(TestCount(), EventType::kWarning, "Failed", "attempt {}", i);
      pause();
    }
  });
  Compare("core: with annotations", {}, [&](const EventRecorder& recorder) {
    recorder.Event(TestCount(), EventType::kNormal, "Synced", "annotated", {.annotations = {{"a", "b"}}});
  });
  Compare("core: cluster-scoped", {}, [&](const EventRecorder& recorder) {
    const corev1::Node node{.metadata = {.name = "node-1", .uid = "11111111-2222-3333-4444-555555555555"}};
    recorder.Event(node, EventType::kWarning, "Lost", "the node is gone");
  });
  Compare("core: a name that no event can have", {}, [&](const EventRecorder& recorder) {
    Unstructured odd = TestCount();
    odd.SetName("system:odd:name");
    recorder.Event(odd, EventType::kNormal, "Synced", "odd");
  });
  Compare("core: part of an object", {}, [&](const EventRecorder& recorder) {
    recorder.Event(ReferenceTo(pod, "spec.containers{app}"), EventType::kNormal, "Started", "the container runs");
  });
  Compare("core: thirty times", {}, [&](const EventRecorder& recorder) {
    for (int i = 0; i < 30; ++i) {
      recorder.Event(pod, EventType::kNormal, "Again", "and again");
      pause();
    }
  });
}

TEST(EventRecorded, RequestsOfTheEventsGroupAreThoseOfClientGo) {
  const EventRecorderOptions options{.api = EventApi::kEvents};
  Compare("events: three times, with a related object", options, [&](const EventRecorder& recorder) {
    const corev1::Pod pod{
        .metadata = {.name = "web", .namespace_ = "default", .uid = "66666666-2222-3333-4444-555555555555"}};
    for (int i = 0; i < 2; ++i) {  // the third is counted, and would be written by Stop
      recorder.Event(TestCount(), EventType::kNormal, "Synced", "Count synced successfully",
                     {.related = ReferenceTo(pod), .action = "Sync"});
      (void)SleepFor(1s, {});
    }
  });
  Compare("events: cluster-scoped", options, [&](const EventRecorder& recorder) {
    const corev1::Node node{.metadata = {.name = "node-1", .uid = "11111111-2222-3333-4444-555555555555"}};
    recorder.Event(node, EventType::kWarning, "Lost", "the node is gone", {.action = "Watch"});
  });
}

}  // namespace
}  // namespace keelson
