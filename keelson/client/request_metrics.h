// Counts requests under the names that client-go uses, so that existing dashboards and alerts work.
//
//   KEELSON_TRY(metrics, RequestMetrics::Create(registry, "10.0.0.1:6443"));
//   MetricsTransport counted(transport, metrics);
//
// rest_client_requests_total{code,method,host}, rest_client_request_duration_seconds{verb,host},
// rest_client_request_size_bytes{verb,host}, rest_client_response_size_bytes{verb,host},
// rest_client_rate_limiter_duration_seconds{verb,host}, rest_client_request_retries_total{code,verb,host},
// rest_client_exec_plugin_call_total{code,call_status}. Code is the answer's status, or "<error>" where none came.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "keelson/core/metrics.h"
#include "keelson/transport/transport.h"

namespace keelson {

// The families of one server's clients. Thread-safe.
class RequestMetrics {
 public:
  // `host` is the label: "10.0.0.1:6443". Fails when the registry has other metrics of these names.
  static Result<std::shared_ptr<const RequestMetrics>> Create(MetricRegistry& registry, std::string host);
  ~RequestMetrics();

  // One attempt: its outcome, how long its headers took, and the size of its body.
  void CountRequest(std::string_view method, const Result<HttpResponse>& outcome, Duration took,
                    size_t request_bytes) const;
  void CountResponseBytes(std::string_view method, size_t bytes) const;
  void CountRetry(std::string_view method, const Result<HttpResponse>& outcome) const;
  void CountRateLimiterWait(std::string_view method, Duration took) const;
  // "no_error", "plugin_execution_error", "plugin_not_found_error", "client_internal_error".
  void CountExecPluginCall(int exit_code, std::string_view call_status) const;

 private:
  struct Families;
  RequestMetrics(std::string host, std::unique_ptr<const Families> families);

  const std::string host_;
  const std::unique_ptr<const Families> families_;
};

class MetricsTransport final : public Transport {
 public:
  MetricsTransport(std::shared_ptr<Transport> inner, std::shared_ptr<const RequestMetrics> metrics)
      : inner_(std::move(inner)), metrics_(std::move(metrics)) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override { return SendKept(request, scope); }
  Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) override;

 private:
  const std::shared_ptr<Transport> inner_;
  const std::shared_ptr<const RequestMetrics> metrics_;
};

}  // namespace keelson
