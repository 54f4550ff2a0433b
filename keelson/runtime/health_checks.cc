#include "keelson/runtime/health_checks.h"

#include <fmt/format.h>

#include <exception>
#include <set>
#include <string_view>
#include <vector>

#include "keelson/core/log.h"

namespace keelson {

namespace {

Result<void> Run(const HealthCheck& check) {
  try {
    return check();
  } catch (const std::exception& failure) {
    return Error::Internal(fmt::format("the check threw: {}", failure.what()));
  } catch (...) {
    return Error::Internal("the check threw something that is no std::exception");
  }
}

// Stands in where there is none.
const std::shared_ptr<const HealthCheck>& PassingCheck() {
  static const auto check = std::make_shared<const HealthCheck>([] { return Result<void>(); });
  return check;
}

// As Go's %q writes what can stand in a query.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': quoted += "\\\""; break;
      case '\\': quoted += "\\\\"; break;
      case '\n': quoted += "\\n"; break;
      case '\r': quoted += "\\r"; break;
      case '\t': quoted += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + '"';
}

}  // namespace

Result<void> HealthChecks::Add(std::string name, HealthCheck check) {
  if (name.empty() || name.find('/') != std::string::npos || name == "." || name == ".." || check == nullptr) {
    return Error::InvalidArgument(
        fmt::format("health check \"{}\" cannot be added: expected a function and a name without slashes", name));
  }
  MutexLock lock(mutex_);
  const auto [place, added] = checks_.emplace(std::move(name), std::make_shared<const HealthCheck>(std::move(check)));
  if (!added) return Error::AlreadyExists(fmt::format("there is a health check \"{}\" already", place->first));
  return {};
}

HealthChecks::Checks HealthChecks::Snapshot() const {
  MutexLock lock(mutex_);
  if (checks_.empty()) return {{"ping", PassingCheck()}};
  return checks_;
}

HealthAnswer HealthChecks::AnswerAll(const FormQuery& query) const {
  const std::vector<std::string> names = query.All("exclude");
  const std::set<std::string, std::less<>> excluded(names.begin(), names.end());
  std::set<std::string_view> unknown(excluded.begin(), excluded.end());
  const Logger log("healthz");
  std::string lines;
  bool failed = false;
  for (const auto& [name, check] : Snapshot()) {
    // The check that stands for none cannot be left out.
    if (check != PassingCheck() && excluded.contains(name)) {
      unknown.erase(name);
      lines += fmt::format("[+]{} excluded: ok\n", name);
      continue;
    }
    const Result<void> result = Run(*check);
    if (result) {
      lines += fmt::format("[+]{} ok\n", name);
      continue;
    }
    log.Error(result.error(), "A health check failed", "check", name);
    lines += fmt::format("[-]{} failed: reason withheld\n", name);
    failed = true;
  }
  if (!failed && !query.Has("verbose")) return {};
  std::string quoted;
  for (const std::string_view name : unknown) quoted += (quoted.empty() ? "" : ",") + Quoted(name);
  if (!quoted.empty()) {
    lines += fmt::format("warn: some health checks cannot be excluded: no matches for {}\n", quoted);
  }
  if (!failed) return {.status = 200, .text = lines + "healthz check passed\n"};
  return {.status = 500, .text = lines + "healthz check failed\n"};
}

HealthAnswer HealthChecks::AnswerOne(const std::string& name) const {
  const Checks checks = Snapshot();
  const auto found = checks.find(name);
  if (found == checks.end()) return {.status = 404, .text = "404 page not found\n"};
  const Result<void> result = Run(*found->second);
  if (result) return {};
  return {.status = 500, .text = fmt::format("internal server error: {}\n", result.error().message())};
}

}  // namespace keelson
