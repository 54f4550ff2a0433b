// Named checks, and what a program answers when it is asked for them.
//
//   HealthChecks checks;
//   checks.Add("leader", [&] { return elector.CheckHealth(); });
//   const HealthAnswer answer = checks.AnswerAll(FormQuery::Parse("verbose"));   // 200, "[+]leader ok\nhealthz check…"
//
// The texts are those of controller-runtime, byte for byte: people and scripts read them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/transport/form_query.h"

namespace keelson {

// Called by any thread, perhaps several at a time; does not take long. An exception is a failure.
using HealthCheck = std::function<Result<void>()>;

struct HealthAnswer {
  int status = 200;
  std::string text = "ok";
};

// Thread-safe. Without any check it has one, "ping", which passes.
class HealthChecks {
 public:
  // Also while they are asked for. kAlreadyExists when the name is taken, kInvalidArgument when it cannot be asked for:
  // empty, or with a slash.
  Result<void> Add(std::string name, HealthCheck check);

  // All of them, sorted by name: 200 "ok", or 500 with a line for each. The query's "verbose" wants the lines of a
  // success too, "exclude" (more than once) leaves a check out. Reasons of failures are logged and not told.
  HealthAnswer AnswerAll(const FormQuery& query) const;
  // One of them: 200, or 500 with the reason, or 404.
  HealthAnswer AnswerOne(const std::string& name) const;

 private:
  using Checks = std::map<std::string, std::shared_ptr<const HealthCheck>>;
  Checks Snapshot() const;

  mutable Mutex mutex_{"health checks"};
  Checks checks_;  // guarded by mutex_
};

}  // namespace keelson
