#include "keelson/client/request_metrics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson {

namespace {

// The methods whose histograms are looked up once; any other is looked up each time.
constexpr std::array<std::string_view, 6> kMethods = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"};

const std::vector<double> kLatencyBuckets = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
const std::vector<double> kSizeBuckets = {64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};

// A histogram by method for one host.
class ByMethod {
 public:
  ByMethod(MetricFamily<Histogram> family, std::string_view host) : family_(std::move(family)), host_(host) {
    for (size_t i = 0; i < kMethods.size(); ++i) known_[i] = family_.With({kMethods[i], host_});
  }
  Histogram Of(std::string_view method) const {
    const auto* at = std::find(kMethods.begin(), kMethods.end(), method);
    if (at != kMethods.end()) return known_[static_cast<size_t>(at - kMethods.begin())];
    return family_.With({method, host_});
  }

 private:
  const MetricFamily<Histogram> family_;
  const std::string host_;
  std::array<Histogram, kMethods.size()> known_;
};

std::string CodeOf(const Result<HttpResponse>& outcome) {
  return outcome ? std::to_string(outcome->status) : std::string("<error>");
}

// Reports how much was read, at the end or when the reader has had enough.
class CountingBody final : public BodyStream {
 public:
  CountingBody(std::unique_ptr<BodyStream> inner, std::shared_ptr<const RequestMetrics> metrics, std::string method)
      : inner_(std::move(inner)), metrics_(std::move(metrics)), method_(std::move(method)) {}
  ~CountingBody() override { metrics_->CountResponseBytes(method_, bytes_); }

  Result<std::string_view> Next() override {
    Result<std::string_view> next = inner_->Next();
    if (next) bytes_ += next->size();
    return next;
  }
  bool GaveAll() const override { return inner_->GaveAll(); }

 private:
  const std::unique_ptr<BodyStream> inner_;
  const std::shared_ptr<const RequestMetrics> metrics_;
  const std::string method_;
  size_t bytes_ = 0;
};

}  // namespace

struct RequestMetrics::Families {
  MetricFamily<Counter> requests;
  MetricFamily<Counter> retries;
  MetricFamily<Counter> exec_calls;
  ByMethod duration;
  ByMethod request_size;
  ByMethod response_size;
  ByMethod rate_limiter;
};

RequestMetrics::RequestMetrics(std::string host, std::unique_ptr<const Families> families)
    : host_(std::move(host)), families_(std::move(families)) {}
RequestMetrics::~RequestMetrics() = default;

Result<std::shared_ptr<const RequestMetrics>> RequestMetrics::Create(MetricRegistry& registry, std::string host) {
  KEELSON_TRY(requests, registry.AddCounter({.name = "rest_client_requests_total",
                                             .help = "HTTP requests by answer, method and host.",
                                             .labels = {"code", "method", "host"}}));
  KEELSON_TRY(retries, registry.AddCounter({.name = "rest_client_request_retries_total",
                                            .help = "Requests sent again, by answer, verb and host.",
                                            .labels = {"code", "verb", "host"}}));
  KEELSON_TRY(exec_calls, registry.AddCounter({.name = "rest_client_exec_plugin_call_total",
                                               .help = "Runs of credential plugins by exit code and outcome.",
                                               .labels = {"code", "call_status"}}));
  KEELSON_TRY(duration, registry.AddHistogram({.name = "rest_client_request_duration_seconds",
                                               .help = "Time until an answer's headers came, by verb and host.",
                                               .labels = {"verb", "host"}},
                                              kLatencyBuckets));
  KEELSON_TRY(request_size, registry.AddHistogram({.name = "rest_client_request_size_bytes",
                                                   .help = "Size of requests' bodies by verb and host.",
                                                   .labels = {"verb", "host"}},
                                                  kSizeBuckets));
  KEELSON_TRY(response_size, registry.AddHistogram({.name = "rest_client_response_size_bytes",
                                                    .help = "Size of answers' bodies by verb and host.",
                                                    .labels = {"verb", "host"}},
                                                   kSizeBuckets));
  KEELSON_TRY(rate_limiter, registry.AddHistogram({.name = "rest_client_rate_limiter_duration_seconds",
                                                   .help = "Time that the client's own rate limit held requests back.",
                                                   .labels = {"verb", "host"}},
                                                  kLatencyBuckets));
  auto families = std::make_unique<const Families>(Families{.requests = std::move(requests),
                                                            .retries = std::move(retries),
                                                            .exec_calls = std::move(exec_calls),
                                                            .duration = ByMethod(std::move(duration), host),
                                                            .request_size = ByMethod(std::move(request_size), host),
                                                            .response_size = ByMethod(std::move(response_size), host),
                                                            .rate_limiter = ByMethod(std::move(rate_limiter), host)});
  return std::shared_ptr<const RequestMetrics>(new RequestMetrics(std::move(host), std::move(families)));
}

void RequestMetrics::CountRequest(std::string_view method, const Result<HttpResponse>& outcome, Duration took,
                                  size_t request_bytes) const {
  families_->requests.With({CodeOf(outcome), method, host_}).Increment();
  families_->duration.Of(method).Observe(took);
  families_->request_size.Of(method).Observe(static_cast<double>(request_bytes));
}

void RequestMetrics::CountResponseBytes(std::string_view method, size_t bytes) const {
  families_->response_size.Of(method).Observe(static_cast<double>(bytes));
}

void RequestMetrics::CountRetry(std::string_view method, const Result<HttpResponse>& outcome) const {
  families_->retries.With({CodeOf(outcome), method, host_}).Increment();
}

void RequestMetrics::CountRateLimiterWait(std::string_view method, Duration took) const {
  families_->rate_limiter.Of(method).Observe(took);
}

void RequestMetrics::CountExecPluginCall(int exit_code, std::string_view call_status) const {
  families_->exec_calls.With({std::to_string(exit_code), call_status}).Increment();
}

Result<HttpResponse> MetricsTransport::SendKept(HttpRequest& request, const CallScope& scope) {
  const TimePoint start = Clock::Now();
  Result<HttpResponse> outcome = inner_->SendKept(request, scope);
  metrics_->CountRequest(request.method, outcome, Clock::Now() - start, request.body.size());
  if (outcome && !request.streaming) {
    outcome->body = std::make_unique<CountingBody>(std::move(outcome->body), metrics_, request.method);
  }
  return outcome;
}

}  // namespace keelson
