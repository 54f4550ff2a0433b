// Connections: many at once, those that fail, and what is counted and logged about them.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>

#include "feature.h"
#include "keelson/api/status_error.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/metrics.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"

namespace keelson::e2e {
namespace {

Result<void> AThousandGetsFromManyThreads(const Cluster& cluster) {
  constexpr int kThreads = 32;
  constexpr int kGets = 1000;
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "busy"}, .data = {{"a", "1"}}}));
  std::atomic<int> next = 0;
  std::atomic<int> right = 0;
  std::vector<Result<void>> outcomes(kThreads);
  {
    std::vector<Thread> threads;
    for (Result<void>& outcome : outcomes) {
      threads.emplace_back("getter", [&] {
        while (next++ < kGets && outcome) {
          const Result<corev1::ConfigMap> map = cluster.client.Get<corev1::ConfigMap>(cluster.Key("busy"));
          if (!map) outcome = map.error();
          if (map && map->data.at("a") == "1") ++right;
        }
      });
    }
    for (Thread& thread : threads) thread.Join();
  }
  for (const Result<void>& outcome : outcomes) KEELSON_RETURN_IF_ERROR(outcome);
  REQUIRE(right == kGets, right.load());
  return {};
}

Result<void> LargeObjectsTravelCompressedOrNot(const Cluster& cluster) {
  std::string large;
  for (int i = 0; large.size() < 600'000; ++i) large += "line " + std::to_string(i) + "\n";
  KEELSON_RETURN_IF_ERROR(
      cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "large"}, .data = {{"text", large}}}));
  KEELSON_TRY(compressed, cluster.client.Get<corev1::ConfigMap>(cluster.Key("large")));
  REQUIRE(compressed.data.at("text") == large, "another text");
  ClientConfig config = cluster.config;
  config.disable_compression = true;
  KEELSON_TRY(plain, cluster.Connect(config));
  KEELSON_TRY(read, plain.Get<corev1::ConfigMap>(cluster.Key("large")));
  REQUIRE(read.data.at("text") == large, "another text");
  return {};
}

const TransportErrorDetail* DetailOf(const Error& error) { return error.detail<TransportErrorDetail>(); }

Result<void> UnknownAuthoritiesAreRefused(const Cluster& cluster) {
  KEELSON_TRY(user, LoadClientConfig({.kubeconfig = cluster.user_kubeconfig}));
  ClientConfig config = cluster.config;
  config.tls.ca = user.tls.certificate;  // a certificate, but of no authority
  KEELSON_TRY(client, cluster.Connect(config));
  const Error error = FailureOf(UserNameOf(client));
  REQUIRE(IsUnavailable(error), error.message());
  REQUIRE(DetailOf(error) != nullptr && DetailOf(error)->failure() == TransportFailure::kTls, error.message());
  REQUIRE(!DetailOf(error)->sent(), "the request was sent");
  REQUIRE(error.message().find("certificate") != std::string::npos, error.message());

  config.tls = {.insecure_skip_verify = true};
  KEELSON_TRY(careless, cluster.Connect(config));
  KEELSON_TRY(name, UserNameOf(careless));
  REQUIRE(name == "admin", name);
  return {};
}

Result<void> ServerNamesAreChecked(const Cluster& cluster) {
  ClientConfig config = cluster.config;
  config.tls.server_name = "kubernetes.default.svc";
  KEELSON_TRY(right, cluster.Connect(config));
  KEELSON_RETURN_IF_ERROR(UserNameOf(right));
  config.tls.server_name = "elsewhere.example.com";
  KEELSON_TRY(wrong, cluster.Connect(config));
  const Error error = FailureOf(UserNameOf(wrong));
  REQUIRE(DetailOf(error) != nullptr && DetailOf(error)->failure() == TransportFailure::kTls, error.message());
  return {};
}

Result<void> AServerThatIsDownIsUnavailable(const Cluster& cluster) {
  // A port that is taken and where nobody listens.
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(bind(taken, reinterpret_cast<sockaddr*>(&address), size) == 0, "no port");
  REQUIRE(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size) == 0, "no address");
  ClientConfig config = cluster.config;
  config.server = "https://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  config.retry.max_connection_retries = 1;
  KEELSON_TRY(client, cluster.Connect(config));
  const Error error = FailureOf(client.Get<corev1::Namespace>({"", "default"}));
  close(taken);
  REQUIRE(IsUnavailable(error), error.message());
  REQUIRE(DetailOf(error) != nullptr && DetailOf(error)->failure() == TransportFailure::kRefused, error.message());
  REQUIRE(!DetailOf(error)->sent(), "the request was sent");
  REQUIRE(error.message().find(config.server.substr(8)) != std::string::npos, error.message());
  return {};
}

Result<void> DeadlinesAndStopsEndCalls(const Cluster& cluster) {
  const Error late = FailureOf(cluster.client.List<corev1::ConfigMap>({.scope = {.deadline = Clock::Now() - 1s}}));
  REQUIRE(IsTimeout(late), late.message());
  StopSource stop;
  stop.RequestStop();
  const Error stopped = FailureOf(cluster.client.List<corev1::ConfigMap>({.scope = {.stop = stop.token()}}));
  REQUIRE(stopped.code() == ErrorCode::kCancelled, stopped.message());
  return {};
}

Result<void> RequestsAreCounted(const Cluster& cluster) {
  MetricRegistry registry;
  ClientConfig config = cluster.config;
  config.metrics = &registry;
  {
    KEELSON_TRY(client, cluster.Connect(config));
    KEELSON_RETURN_IF_ERROR(client.Get<corev1::Namespace>({"", "default"}));
    const Error error = FailureOf(client.Get<corev1::Namespace>({"", "absent"}));
    REQUIRE(IsNotFound(error), error.message());
  }
  const std::string text = registry.Render();
  const std::string host = config.server.substr(8);
  for (const std::string& sample : {"rest_client_requests_total{code=\"200\",host=\"" + host + "\",method=\"GET\"} 1",
                                    "rest_client_requests_total{code=\"404\",host=\"" + host + "\",method=\"GET\"} 1",
                                    "rest_client_request_duration_seconds_count{host=\"" + host + "\",verb=\"GET\"} 2",
                                    "rest_client_response_size_bytes_count{host=\"" + host + "\",verb=\"GET\"} 2"}) {
    REQUIRE(text.find(sample) != std::string::npos, "no " + sample + " in\n" + text);
  }
  return {};
}

Result<void> RatesCanBeLimited(const Cluster& cluster) {
  ClientConfig config = cluster.config;
  config.qps = 20;
  config.burst = 1;
  KEELSON_TRY(client, cluster.Connect(config));
  const TimePoint start = Clock::Now();
  for (int i = 0; i < 5; ++i) KEELSON_RETURN_IF_ERROR(client.Get<corev1::Namespace>({"", "default"}));
  REQUIRE(Clock::Now() - start >= 190ms, "faster than the limit");
  return {};
}

Result<void> WarningsAreLoggedOnce(const Cluster& cluster) {
  KEELSON_TRY(client, cluster.Connect(cluster.config, {.namespace_ = cluster.namespace_}));
  const ScopedLogCapture log;
  for (const char* name : {"warned-1", "warned-2"}) {
    KEELSON_TRY(map, Unstructured::Parse(R"({"apiVersion": "v1", "kind": "ConfigMap", "colour": "red"})"));
    map.SetName(name);
    KEELSON_RETURN_IF_ERROR(client.Create(map, {.field_validation = FieldValidation::kWarn}));
  }
  int warnings = 0;
  std::string all;
  for (const std::string& line : log.lines()) {
    warnings += line.find("unknown field") != std::string::npos ? 1 : 0;
    all += line + "\n";
  }
  REQUIRE(warnings == 1, all);
  return {};
}

Result<void> NoLogHoldsTheToken(const Cluster& cluster) {
  const ScopedLogCapture log({.verbosity = 10});
  KEELSON_TRY(client, cluster.Connect(cluster.config));
  KEELSON_RETURN_IF_ERROR(UserNameOf(client));
  for (const std::string& line : log.lines()) {
    REQUIRE(line.find(cluster.config.bearer_token) == std::string::npos, "a line with the token");
  }
  return {};
}

}  // namespace

Area ConnectionFeatures() {
  return {"connections",
          {
              {"1,000 gets from 32 threads", AThousandGetsFromManyThreads},
              {"large objects travel, compressed or not", LargeObjectsTravelCompressedOrNot},
              {"a server of an unknown authority is refused: TLS", UnknownAuthoritiesAreRefused},
              {"the name in the server's certificate is checked", ServerNamesAreChecked},
              {"a server that is down is Unavailable: refused", AServerThatIsDownIsUnavailable},
              {"deadlines and stop tokens end calls", DeadlinesAndStopsEndCalls},
              {"requests are counted under client-go's names", RequestsAreCounted},
              {"the rate of requests can be limited", RatesCanBeLimited},
              {"the server's warnings are logged, each once", WarningsAreLoggedOnce},
              {"no log holds the token, at any verbosity", NoLogHoldsTheToken},
          }};
}

}  // namespace keelson::e2e
