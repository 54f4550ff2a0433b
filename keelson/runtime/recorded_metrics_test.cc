// Names, types, labels and buckets of what we show at /metrics, held against those of a controller-runtime program
// (tests/recorder_metrics), so that dashboards and alerts made for one work for the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "keelson/api/recorded_cases_test_support.h"
#include "keelson/client/request_metrics.h"
#include "keelson/runtime/controller_metrics.h"
#include "keelson/runtime/event_metrics.h"
#include "keelson/runtime/leader_election.h"
#include "keelson/runtime/process_metrics.h"
#include "keelson/workqueue/queue_metrics.h"

namespace keelson {
namespace {

struct Family {
  std::string type;
  std::set<std::string> labels;
  std::vector<double> buckets;
};
using Families = std::map<std::string, Family>;

Families Recorded() {
  Families families;
  for (const testing::RecordedCase& recorded : testing::ReadRecordedCases("metrics/controller_runtime.jsonl")) {
    Family& family = families[recorded["name"].text];
    family.type = recorded["type"].text;
    for (const testing::RecordedValue& label : recorded["labels"].items) family.labels.insert(label.text);
    for (const testing::RecordedValue& bound : recorded["buckets"].items)
      family.buckets.push_back(std::stod(bound.text));
  }
  return families;
}

// Of Prometheus' text format, as far as it is written here.
Families Parse(const std::string& text) {
  Families families;
  std::string name;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("# TYPE ")) {
      const size_t blank = line.find(' ', 7);
      name = line.substr(7, blank - 7);
      families[name].type = line.substr(blank + 1);
    }
    if (line.starts_with("#") || !line.starts_with(name)) continue;
    const size_t open = line.find('{');
    if (open == std::string::npos) continue;
    Family& family = families[name];
    // Values in these tests have no comma and no quotation mark in them.
    for (size_t from = open + 1; from < line.size() && line[from] != '}';) {
      const size_t equals = line.find("=\"", from);
      const size_t quote = line.find('"', equals + 2);
      const std::string label = line.substr(from, equals - from);
      const std::string value = line.substr(equals + 2, quote - equals - 2);
      from = quote + (line[quote + 1] == ',' ? 2 : 1);
      if (label != "le") {
        family.labels.insert(label);
        continue;
      }
      double bound = 0;
      std::from_chars(value.data(), value.data() + value.size(), bound);
      if (value != "+Inf" && std::find(family.buckets.begin(), family.buckets.end(), bound) == family.buckets.end()) {
        family.buckets.push_back(bound);
      }
    }
  }
  return families;
}

// All that a manager with a controller, an election and a client has.
std::string Rendered() {
  MetricRegistry registry;
  EXPECT_TRUE(ControllerMetrics::Create(registry, "app"));
  EXPECT_TRUE(QueueMetrics::Create(registry, "app"));
  EXPECT_TRUE(LeaderElectionMetrics::Create(registry, "lease"));
  EXPECT_TRUE(EventMetrics::Create(registry));
  const auto requests = RequestMetrics::Create(registry, "10.0.0.1:6443").value();
  requests->CountRequest("GET", Error(ErrorCode::kUnavailable, "refused"), {}, 0);
  requests->CountRetry("GET", Error(ErrorCode::kUnavailable, "refused"));
  requests->CountExecPluginCall(0, "no_error");
  return registry.Render() + RenderProcessMetrics();
}

TEST(RecordedMetrics, OursHaveTheSameTypesLabelsAndBuckets) {
  const std::map<std::string, std::string> left_out = {
      {"certwatcher_read_certificate_total", "certificates are read again by the HTTP server, which counts nothing"},
      {"certwatcher_read_certificate_errors_total", "the same"},
      {"controller_runtime_webhook_panics_total", "belongs to the webhook server"},
      {"controller_runtime_conversion_webhook_panics_total", "belongs to the webhook server"},
  };
  const Families ours = Parse(Rendered());
  const Families recorded = Recorded();
  ASSERT_GE(recorded.size(), 30u);
  for (const auto& [name, theirs] : recorded) {
    if (left_out.contains(name)) {
      EXPECT_FALSE(ours.contains(name)) << name << " is there now: strike it off the list";
      continue;
    }
    const auto found = ours.find(name);
    ASSERT_NE(found, ours.end()) << name;
    EXPECT_EQ(found->second.type, theirs.type) << name;
    EXPECT_EQ(found->second.labels, theirs.labels) << name;
    EXPECT_EQ(found->second.buckets, theirs.buckets) << name;
  }
  for (const auto& [name, reason] : left_out) EXPECT_TRUE(recorded.contains(name)) << name << ": " << reason;
}

TEST(RecordedMetrics, WhatIsOnlyOursIsKnown) {
  const std::map<std::string, std::string> only_ours = {
      {"keelson_controller_synced", "a controller whose kind is not installed waits visibly"},
      {"keelson_leader_election_transitions_total", "so that alerts see a lease that changes hands often"},
      {"keelson_leader_election_renewals_total", "so that alerts see renewals that fail"},
      {"leader_election_slowpath_total", "client-go's; controller-runtime makes it and forgets to register it"},
      {"event_recorder_events_total", "events that were not written are counted"},
      {"process_threads", "of Prometheus' C++ and Rust libraries: Go has go_threads"},
      // client-go's, as Kubernetes' own programs show them; controller-runtime left them out because of their number.
      {"rest_client_exec_plugin_call_total", "component-base"},
      {"rest_client_rate_limiter_duration_seconds", "component-base"},
      {"rest_client_request_duration_seconds", "component-base"},
      {"rest_client_request_retries_total", "component-base"},
      {"rest_client_request_size_bytes", "component-base"},
      {"rest_client_response_size_bytes", "component-base"},
  };
  const Families recorded = Recorded();
  for (const auto& [name, family] : Parse(Rendered())) {
    EXPECT_NE(recorded.contains(name), only_ours.contains(name)) << name;
  }
}

TEST(RecordedMetrics, ResultsOfReconcilesAreControllerRuntimes) {
  MetricRegistry registry;
  const ControllerMetrics metrics = ControllerMetrics::Create(registry, "app").value();
  EXPECT_TRUE(metrics.enabled);
  metrics.success.Increment(1);
  metrics.error.Increment(2);
  metrics.requeue.Increment(3);
  metrics.requeue_after.Increment(4);
  const std::string text = registry.Render();
  const std::string start = "controller_runtime_reconcile_total{controller=\"app\",result=\"";
  for (const char* line : {"success\"} 1\n", "error\"} 2\n", "requeue\"} 3\n", "requeue_after\"} 4\n"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(start + line));
  }
  MetricRegistry taken;
  ASSERT_TRUE(taken.AddGauge({.name = "controller_runtime_active_workers", .help = "x"}));
  EXPECT_FALSE(ControllerMetrics::Create(taken, "app"));
}

}  // namespace
}  // namespace keelson
