#include "keelson/apiserver/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "keelson/api/json.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/discovery.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";

// The Kubernetes release whose API this is.
constexpr std::string_view kMajor = "1";
constexpr std::string_view kMinor = "36";
constexpr std::string_view kVersion = "v1.36.3";

struct Check {
  std::string_view name;
  bool good;
};

void SendChecks(Exchange& exchange, std::string_view endpoint, const std::vector<Check>& checks) {
  const std::vector<std::string> excluded = exchange.query.All("exclude");
  const auto is_excluded = [&](std::string_view name) {
    return std::find(excluded.begin(), excluded.end(), name) != excluded.end();
  };
  std::string report;
  bool good = true;
  for (const Check& check : checks) {
    if (is_excluded(check.name)) {
      report += fmt::format("[+]{} excluded: ok\n", check.name);
    } else if (check.good) {
      report += fmt::format("[+]{} ok\n", check.name);
    } else {
      report += fmt::format("[-]{} failed: reason withheld\n", check.name);
      good = false;
    }
  }
  if (!good) return SendText(exchange, 500, kText, report + fmt::format("{} check failed\n", endpoint), false);
  if (!exchange.query.Find("verbose")) return SendText(exchange, 200, kText, "ok", false);
  SendText(exchange, 200, kText, report + fmt::format("{} check passed\n", endpoint), false);
}

bool ServeChecks(Exchange& exchange, bool ready) {
  for (const std::string_view endpoint : {"healthz", "livez", "readyz"}) {
    const std::string path = fmt::format("/{}", endpoint);
    std::vector<Check> checks = {{"ping", true}, {"log", true}, {"etcd", true}};
    if (endpoint == "readyz") checks.push_back({"shutdown", ready});
    if (exchange.info.path == path) {
      SendChecks(exchange, endpoint, checks);
      return true;
    }
    if (!exchange.info.path.starts_with(path + "/")) continue;
    const std::string name = exchange.info.path.substr(path.size() + 1);
    for (const Check& check : checks) {
      if (check.name != name) continue;
      SendText(exchange, check.good ? 200 : 500, kText,
               check.good ? "ok" : fmt::format("internal server error: {} failed", name));
      return true;
    }
    return false;
  }
  return false;
}

void SendVersion(Exchange& exchange) {
  const Json version = Json::Object({{"major", Json(kMajor)},
                                     {"minor", Json(kMinor)},
                                     {"emulationMajor", Json(kMajor)},
                                     {"emulationMinor", Json(kMinor)},
                                     {"minCompatibilityMajor", Json(kMajor)},
                                     {"minCompatibilityMinor", Json("35")},
                                     {"gitVersion", Json(kVersion)},
                                     {"gitCommit", Json("")},
                                     {"gitTreeState", Json("")},
                                     {"buildDate", Json("1970-01-01T00:00:00Z")},
                                     {"goVersion", Json("none: Keelson is C++")},
                                     {"compiler", Json("c++")},
                                     {"platform", Json("linux/amd64")}});
  SendText(exchange, 200, "application/json", ToJson(version, {.indent = 2}));
}

void SendPaths(Exchange& exchange, const ResourceTable& resources) {
  std::vector<std::string> paths = {"/api",         "/api/v1",          "/apis",   "/healthz",     "/healthz/etcd",
                                    "/healthz/log", "/healthz/ping",    "/livez",  "/livez/etcd",  "/livez/log",
                                    "/livez/ping",  "/metrics",         "/readyz", "/readyz/etcd", "/readyz/log",
                                    "/readyz/ping", "/readyz/shutdown", "/version"};
  for (const std::string& group : OrderedGroups(resources)) {
    paths.push_back("/apis/" + group);
    for (const std::string& version : OrderedVersions(resources, group)) {
      paths.push_back("/apis/" + group + "/" + version);
    }
  }
  std::sort(paths.begin(), paths.end());
  JsonList list;
  for (const std::string& path : paths) list.push_back(Json(path));
  SendText(exchange, 200, "application/json", ToJson(Json::Object({{"paths", Json(list)}}), {.indent = 2}));
}

}  // namespace

bool ServeHealth(Exchange& exchange, const ResourceTable& resources, MetricRegistry& metrics, bool ready) {
  if (exchange.request.method != "GET" && exchange.request.method != "HEAD") return false;
  const std::string& path = exchange.info.path;
  if (path == "/version" || path == "/version/") return SendVersion(exchange), true;
  if (path == "/" || path.empty() || path == "/index.html") return SendPaths(exchange, resources), true;
  if (path == "/metrics") {
    SendText(exchange, 200, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", metrics.Render());
    return true;
  }
  return ServeChecks(exchange, ready);
}

}  // namespace keelson::apiserver
