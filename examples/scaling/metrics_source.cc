#include "metrics_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "keelson/api/label_selector_struct.h"
#include "keelson/api/quantity.h"
#include "keelson/client/credentials.h"
#include "keelson/client/dynamic_client.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/core/clock.h"
#include "keelson/transport/socket_transport.h"

// +kubebuilder:rbac:groups=metrics.k8s.io,resources=pods,verbs=get;list

namespace scaling {

using namespace keelson;
using appsv1::Deployment;

std::string_view ToString(v1::MetricType metric) { return metric == v1::MetricType::cpu ? "cpu" : "memory"; }

namespace {

constexpr size_t kMaxDocument = size_t{1} << 20;
constexpr Duration kPatience = std::chrono::seconds(5);

// Beyond any sense, but within the type.
int32_t Percent(double value) { return static_cast<int32_t>(std::clamp(std::round(value), 0.0, 1e9)); }

class ClusterMetrics final : public MetricsSource {
 public:
  explicit ClusterMetrics(Client client)
      : pods_(DynamicClient(std::move(client)).Of({"metrics.k8s.io", "v1beta1", "pods"})) {}

  Result<int32_t> Read(const Deployment& target, v1::MetricType metric) const override {
    KEELSON_TRY(requested, Requested(target, metric));
    KEELSON_TRY(selector, labels::FromStruct(target.spec.selector));
    KEELSON_TRY(pods, pods_.In(target.metadata.namespace_.str())
                          .List({.labels = selector, .scope = {.deadline = Clock::Now() + kPatience}}));
    if (pods.items.empty()) return Error::NotFound("no Pod of it has been measured yet");
    Quantity used;
    for (const Unstructured& pod : pods) {
      KEELSON_TRY(of_pod, Used(pod, metric));
      used += of_pod;
    }
    return Percent(100 * used.AsDouble() / (requested.AsDouble() * static_cast<double>(pods.items.size())));
  }

 private:
  // By one Pod.
  static Result<Quantity> Requested(const Deployment& target, v1::MetricType metric) {
    Quantity sum;
    for (const corev1::Container& container : target.spec.template_.spec.containers) {
      const Quantity* request = container.resources.requests.find(ToString(metric));
      if (request == nullptr || request->Sign() <= 0) {
        return Error(ErrorCode::kInvalid, fmt::format("container {} requests no {}, so there is nothing to compare its "
                                                      "use with",
                                                      container.name.view(), ToString(metric)));
      }
      sum += *request;
    }
    return sum;
  }
  static Result<Quantity> Used(const Unstructured& pod, v1::MetricType metric) {
    Quantity sum;
    const Json* containers = pod.Nested({"containers"});
    if (containers == nullptr || !containers->is_list()) return sum;
    for (const Json& container : containers->list()) {
      const Json* usage = container.find("usage");
      const Json* text = usage == nullptr ? nullptr : usage->find(ToString(metric));
      if (text == nullptr || !text->is_string()) continue;
      KEELSON_TRY(quantity, Quantity::Parse(text->string().view()));
      sum += quantity;
    }
    return sum;
  }

  const DynamicClient pods_;
};

// What a file or URL says of one Deployment.
Result<int32_t> Find(std::string_view document, const Deployment& target, v1::MetricType metric) {
  KEELSON_TRY(all, ParseYaml(document, {.max_bytes = kMaxDocument}));
  const std::string key = KeyOf(target).ToString();
  const Json* values = all.find(key);
  const Json* value = values == nullptr ? nullptr : values->find(ToString(metric));
  if (value == nullptr || !value->is_number()) {
    return Error::NotFound(fmt::format("expected a number at \"{}\", {}, and found none", key, ToString(metric)));
  }
  return Percent(value->number());
}

class FileMetrics final : public MetricsSource {
 public:
  explicit FileMetrics(std::string path) : path_(std::move(path)) {}

  Result<int32_t> Read(const Deployment& target, v1::MetricType metric) const override {
    KEELSON_TRY(text, ReadSmallFile(path_));
    Result<int32_t> found = Find(text, target, metric);
    if (!found) return std::move(found).error().WithContext(path_);
    return found;
  }

 private:
  const std::string path_;
};

class HttpMetrics final : public MetricsSource {
 public:
  HttpMetrics(std::shared_ptr<Transport> transport, std::string target)
      : transport_(std::move(transport)), target_(std::move(target)) {}

  Result<int32_t> Read(const Deployment& target, v1::MetricType metric) const override {
    KEELSON_TRY(answer, transport_->Send({.target = target_}, {.deadline = Clock::Now() + kPatience}));
    KEELSON_TRY(text, ReadAll(*answer.body, kMaxDocument));
    if (answer.status != 200) {
      return Error(ErrorCode::kUnavailable, fmt::format("the server of the metrics answered {}", answer.status));
    }
    return Find(text, target, metric);
  }

 private:
  const std::shared_ptr<Transport> transport_;
  const std::string target_;
};

}  // namespace

std::unique_ptr<MetricsSource> MetricsFromCluster(Client client) {
  return std::make_unique<ClusterMetrics>(std::move(client));
}

std::unique_ptr<MetricsSource> MetricsFromFile(std::string path) {
  return std::make_unique<FileMetrics>(std::move(path));
}

std::unique_ptr<MetricsSource> MetricsFromTransport(std::shared_ptr<Transport> transport, std::string target) {
  return std::make_unique<HttpMetrics>(std::move(transport), std::move(target));
}

Result<std::unique_ptr<MetricsSource>> MetricsFromUrl(std::string_view url) {
  const size_t host = url.find("://");
  if (host == std::string_view::npos) {
    return Error::InvalidArgument(
        fmt::format("expected a URL such as http://127.0.0.1:8080/metrics, found \"{}\"", url));
  }
  const size_t path = std::min(url.find('/', host + 3), url.size());
  KEELSON_TRY(transport, SocketTransport::Create({.server = std::string(url.substr(0, path))}));
  return MetricsFromTransport(std::move(transport), path == url.size() ? "/" : std::string(url.substr(path)));
}

}  // namespace scaling
