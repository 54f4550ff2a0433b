// Between the versions that share a stored object.
#include <gtest/gtest.h>

#include "keelson/api/compare.h"
#include "keelson/apiserver/kinds/convert_event.h"
#include "keelson/apiserver/kinds/convert_hpa.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {
namespace {

TEST(ConvertEvent, KeepsAllFieldsBothWays) {
  const Result<corev1::Event> event = FromJson<corev1::Event>(
      R"({"metadata":{"name":"e","labels":{"a":"b"}},"involvedObject":{"kind":"Pod","name":"p"},"reason":"R",
          "message":"m","source":{"component":"c","host":"h"},"firstTimestamp":"2020-01-01T00:00:00Z",
          "lastTimestamp":"2020-01-01T00:00:01Z","count":3,"type":"Normal","eventTime":"2020-01-01T00:00:00.123456Z",
          "series":{"count":2,"lastObservedTime":"2020-01-01T00:00:02.000000Z"},"action":"A",
          "related":{"kind":"Node","name":"n"},"reportingComponent":"rc","reportingInstance":"ri"})");
  ASSERT_TRUE(event) << event.error().message();
  const eventsv1::Event converted = ToEventsEvent(*event);
  EXPECT_EQ(converted.regarding.name, "p");
  EXPECT_EQ(converted.note, "m");
  EXPECT_EQ(converted.deprecatedCount, 3);
  EXPECT_EQ(converted.deprecatedSource.host, "h");
  EXPECT_EQ(converted.reportingController, "rc");
  EXPECT_TRUE(Equal(ToCoreEvent(converted), *event)) << ToJson(ToCoreEvent(converted));
}

constexpr std::string_view kAutoscaler =
    R"({"metadata":{"name":"h","annotations":{"own":"x"}},
        "spec":{"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"},"minReplicas":2,"maxReplicas":5,
        "metrics":[
          {"type":"Object","object":{"describedObject":{"kind":"S","name":"n","apiVersion":"v1"},
            "metric":{"name":"m","selector":{"matchLabels":{"a":"b"}}},"target":{"type":"Value","value":"10"}}},
          {"type":"Pods","pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"1k"}}},
          {"type":"External","external":{"metric":{"name":"q"},"target":{"type":"Value","value":"3"}}},
          {"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}],
        "behavior":{"scaleDown":{"selectPolicy":"Disabled","policies":[{"type":"Percent","value":1,"periodSeconds":2}]}}},
        "status":{"currentReplicas":1,"desiredReplicas":2,
          "currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":40,
            "averageValue":"7"}}}],
          "conditions":[{"type":"AbleToScale","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z",
            "reason":"r","message":"m"}]}})";

TEST(ConvertAutoscaler, V1CarriesInAnnotationsWhatItHasNoFieldsFor) {
  const auto stored = FromJson<autoscalingv2::HorizontalPodAutoscaler>(kAutoscaler);
  ASSERT_TRUE(stored) << stored.error().message();
  const autoscalingv1::HorizontalPodAutoscaler v1 = ToV1Autoscaler(*stored);
  EXPECT_EQ(v1.spec.targetCPUUtilizationPercentage, 50);
  EXPECT_EQ(v1.status.currentCPUUtilizationPercentage, 40);
  EXPECT_EQ(v1.metadata.annotations.at("own"), "x");
  EXPECT_EQ(v1.metadata.annotations.at("autoscaling.alpha.kubernetes.io/metrics"),
            R"([{"type":"Object","object":{"target":{"kind":"S","name":"n","apiVersion":"v1"},"metricName":"m",)"
            R"("targetValue":"10","selector":{"matchLabels":{"a":"b"}}}},)"
            R"({"type":"Pods","pods":{"metricName":"m","targetAverageValue":"1k"}},)"
            R"({"type":"External","external":{"metricName":"q","targetValue":"3"}}])");
  EXPECT_EQ(
      v1.metadata.annotations.at("autoscaling.alpha.kubernetes.io/current-metrics"),
      R"([{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":40,"currentAverageValue":"7"}}])");
  EXPECT_EQ(v1.metadata.annotations.at("autoscaling.alpha.kubernetes.io/conditions"),
            R"([{"type":"AbleToScale","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z","reason":"r",)"
            R"("message":"m"}])");
}

TEST(ConvertAutoscaler, ThereAndBackIsTheSameObject) {
  const auto stored = FromJson<autoscalingv2::HorizontalPodAutoscaler>(kAutoscaler);
  ASSERT_TRUE(stored) << stored.error().message();
  const autoscalingv2::HorizontalPodAutoscaler back = ToV2Autoscaler(ToV1Autoscaler(*stored));
  EXPECT_EQ(ToJson(back), ToJson(*stored));
}

TEST(ConvertAutoscaler, WithoutMetricsGetsTheDefaultOne) {
  autoscalingv1::HorizontalPodAutoscaler v1;
  v1.spec.maxReplicas = 3;
  const autoscalingv2::HorizontalPodAutoscaler stored = ToV2Autoscaler(v1);
  ASSERT_EQ(stored.spec.metrics.size(), 1U);
  EXPECT_EQ(stored.spec.metrics[0].resource->target.averageUtilization, 80);
  EXPECT_TRUE(stored.metadata.annotations.empty());
}

}  // namespace
}  // namespace keelson::apiserver
