// Where the operator learns how busy a Deployment is. Three sources: the cluster's metrics API, a file, a URL.
//
//   KEELSON_TRY(source, MetricsFromUrl("http://127.0.0.1:8080/metrics.json"));
//   KEELSON_TRY(percent, source->Read(deployment, v1::MetricType::cpu));
//
// Another source is another class: the controller knows the interface only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/v1/scaling.h"
#include "keelson/api/apps/v1.h"
#include "keelson/client/client.h"
#include "keelson/transport/transport.h"

namespace scaling {

// "cpu", "memory".
std::string_view ToString(v1::MetricType metric);

// Thread-safe.
class MetricsSource {
 public:
  virtual ~MetricsSource() = default;
  // What the Deployment's Pods use, in percent of what they request. An error when that cannot be known now.
  virtual keelson::Result<int32_t> Read(const keelson::appsv1::Deployment& target, v1::MetricType metric) const = 0;
};

// metrics.k8s.io, which metrics-server serves: the use of the Pods that the Deployment selects, beside the requests of
// its template.
std::unique_ptr<MetricsSource> MetricsFromCluster(keelson::Client client);

// A document in JSON or YAML that is read anew each time:
//
//   default/web: {cpu: 85, memory: 40}
std::unique_ptr<MetricsSource> MetricsFromFile(std::string path);

// The same document from an HTTP server. An error when the URL is malformed; nothing is sent yet.
keelson::Result<std::unique_ptr<MetricsSource>> MetricsFromUrl(std::string_view url);
// … by a transport that is there already. `target` is path and query.
std::unique_ptr<MetricsSource> MetricsFromTransport(std::shared_ptr<keelson::Transport> transport, std::string target);

}  // namespace scaling
