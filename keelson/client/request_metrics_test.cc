#include "keelson/client/request_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/client/scripted_transport_test_support.h"
#include "keelson/core/simulation.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(MetricsTransport, CountsAnswersAndFailuresByMethodAndHost) {
  MetricRegistry registry;
  auto server = std::make_shared<ScriptedTransport>();
  server->Then(Answer(200)).Then(Answer(404)).Then(Lost(true)).Then(Answer(200));
  MetricsTransport transport(server, RequestMetrics::Create(registry, "10.0.0.1:6443").value());
  (void)transport.Send({}, {});
  (void)transport.Send({}, {});
  (void)transport.Send({.method = "POST"}, {});
  (void)transport.Send({.method = "SEARCH"}, {});
  const std::string text = registry.Render();
  EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="200",host="10.0.0.1:6443",method="GET"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="404",host="10.0.0.1:6443",method="GET"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="<error>",host="10.0.0.1:6443",method="POST"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="200",host="10.0.0.1:6443",method="SEARCH"} 1)"));
}

TEST(MetricsTransport, MeasuresTimeUntilTheAnswer) {
  Simulation simulation({.seed = 1});
  const Result<void> result = simulation.Run([] {
    MetricRegistry registry;
    auto server = std::make_shared<ScriptedTransport>();
    server->Then([](const HttpRequest& request) {
      (void)SleepFor(3s, {});
      return Answer(200)(request);
    });
    MetricsTransport transport(server, RequestMetrics::Create(registry, "h").value());
    ASSERT_TRUE(transport.Send({}, {}));
    const std::string text = registry.Render();
    EXPECT_THAT(text, HasSubstr(R"(rest_client_request_duration_seconds_sum{host="h",verb="GET"} 3)"));
    EXPECT_THAT(text, HasSubstr(R"(rest_client_request_duration_seconds_bucket{host="h",verb="GET",le="2"} 0)"));
    EXPECT_THAT(text, HasSubstr(R"(rest_client_request_duration_seconds_bucket{host="h",verb="GET",le="4"} 1)"));
  });
  ASSERT_TRUE(result) << result.error().message();
}

TEST(MetricsTransport, MeasuresBodies) {
  MetricRegistry registry;
  auto server = std::make_shared<ScriptedTransport>();
  server->Then(Answer(200, {}, std::string(5000, 'x')));
  server->Then(Answer(200, {}, "streamed"));
  MetricsTransport transport(server, RequestMetrics::Create(registry, "h").value());
  Result<HttpResponse> answer = transport.Send({.method = "PUT", .body = std::string(300, 'y')}, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(ReadAll(*answer->body, 10000).value().size(), 5000);
  answer->body.reset();
  const std::string text = registry.Render();
  EXPECT_THAT(text, HasSubstr(R"(rest_client_request_size_bytes_sum{host="h",verb="PUT"} 300)"));
  EXPECT_THAT(text, HasSubstr(R"(rest_client_response_size_bytes_sum{host="h",verb="PUT"} 5000)"));

  Result<HttpResponse> stream = transport.Send({.streaming = true}, {});
  ASSERT_TRUE(stream);
  EXPECT_EQ(ReadAll(*stream->body, 100).value(), "streamed");
  stream->body.reset();
  EXPECT_THAT(registry.Render(), HasSubstr(R"(rest_client_response_size_bytes_count{host="h",verb="GET"} 0)"));
}

TEST(RequestMetrics, TwoClientsShareTheFamiliesOfOneRegistry) {
  MetricRegistry registry;
  auto first = RequestMetrics::Create(registry, "a").value();
  auto second = RequestMetrics::Create(registry, "b").value();
  first->CountRetry("GET", Error::Internal("x"));
  second->CountExecPluginCall(3, "plugin_execution_error");
  const std::string text = registry.Render();
  EXPECT_THAT(text, HasSubstr(R"(rest_client_request_retries_total{code="<error>",host="a",verb="GET"} 1)"));
  EXPECT_THAT(text,
              HasSubstr(R"(rest_client_exec_plugin_call_total{call_status="plugin_execution_error",code="3"} 1)"));
}

TEST(RequestMetrics, NameTakenByAnotherMetricIsAnError) {
  MetricRegistry registry;
  ASSERT_TRUE(registry.AddGauge({.name = "rest_client_requests_total", .help = "other"}));
  const auto metrics = RequestMetrics::Create(registry, "a");
  ASSERT_FALSE(metrics);
  EXPECT_EQ(metrics.error().code(), ErrorCode::kAlreadyExists);
}

}  // namespace
}  // namespace keelson
