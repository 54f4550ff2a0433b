// The code of docs/events.md, run against the embedded server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/apiserver/api_server.h"
#include "keelson/core/log.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/runtime/event_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

// snippet: events controller
class CountController {
 public:
  explicit CountController(const EventBroadcaster& events) : recorder_(events.RecorderFor("count-controller")) {}

  void Sync(const Unstructured& count) {
    if (const auto replicas = count.NestedInt({"spec", "replicas"}); replicas.value_or(0) < 0) {
      recorder_.Eventf(count, EventType::kWarning, "Invalid", "cannot have {} replicas", *replicas);
      return;
    }
    recorder_.Event(count, EventType::kNormal, "Synced", "Count synced successfully");
  }

 private:
  const EventRecorder recorder_;
};
// end

std::vector<std::string> notes;
void Notify(const String& reason, const String& message) { notes.push_back(reason + ": " + message.str()); }
void Work(CountController& controller) {
  Unstructured count = TestCount();
  controller.Sync(count);
  ASSERT_TRUE(count.SetNested({"spec", "replicas"}, -1));
  controller.Sync(count);
}

// snippet: events broadcaster
int RunControllers(const Client& client, MetricRegistry& registry) {
  EventBroadcaster events({.client = client,
                           .log_verbosity = 0,  // in the log too, also without -v
                           .sink = [](const EventRecord& event) { Notify(event.reason, event.message); },
                           .metrics = EventMetrics::Create(registry).value()});
  CountController controller(events);
  Work(controller);
  const Result<void> stopped = events.Stop(10s);  // writes what is not written yet
  return stopped ? 0 : 1;
}
// end

// snippet: events group
void TellOfScaling(const EventBroadcaster& events, const appsv1::Deployment& web, const corev1::Pod& pod) {
  const EventRecorder recorder = events.RecorderFor("example.com/scaler", {.api = EventApi::kEvents});
  recorder.Event(web, EventType::kNormal, "ScaledUp", "one Pod more",
                 {.annotations = {{"example.com/cause", "load"}}, .related = ReferenceTo(pod), .action = "Scale"});
}
// end

TEST(EventsGuide, TheControllersEventsAreOnTheServerInTheLogAndTold) {
  const ScopedLogCapture log;
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    MetricRegistry registry;
    EXPECT_EQ(RunControllers(cluster.client, registry), 0);
    std::vector<std::string> shown;
    for (const corev1::Event& event : cluster.events()) {
      shown.push_back(event.type + " " + event.reason.str() + " " + event.source.component.str() + " " +
                      event.message.str());
    }
    EXPECT_THAT(shown, testing::ElementsAre("Normal Synced count-controller Count synced successfully",
                                            "Warning Invalid count-controller cannot have -1 replicas"));
    EXPECT_THAT(registry.Render(), testing::HasSubstr("event_recorder_events_total{outcome=\"written\"} 2"));
  });
  EXPECT_THAT(notes, testing::ElementsAre("Synced: Count synced successfully", "Invalid: cannot have -1 replicas"));
  EXPECT_THAT(log.lines(), testing::SizeIs(2));
}

TEST(EventsGuide, AnEventOfTheNewerGroupHasAnActionAndARelatedObject) {
  InSimulation([] {
    EventCluster cluster(ApiServer::Make().value());
    EventBroadcaster events({.client = cluster.client});
    TellOfScaling(events, {.metadata = {.name = "web", .namespace_ = "default"}},
                  {.metadata = {.name = "web-1", .namespace_ = "default"}});
    ASSERT_TRUE(events.Stop(10s));
    ASSERT_THAT(cluster.new_events(), testing::SizeIs(1));
    const eventsv1::Event event = cluster.new_events()[0];
    EXPECT_EQ(event.regarding.kind, "Deployment");
    EXPECT_EQ(event.related->name, "web-1");
    EXPECT_EQ(event.action, "Scale");
    EXPECT_EQ(*event.metadata.annotations.find("example.com/cause"), "load");
  });
}

}  // namespace
}  // namespace keelson
