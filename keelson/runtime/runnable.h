// What a manager runs: servers, caches, controllers, and functions of the user's own.
//
//   manager.Add("cleaner", [&](const RunScope& scope) -> Result<void> {
//     Until(scope.stop, 1h, [&] { CleanUp(); });
//     return {};
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"

namespace keelson {

// In the order in which they start; each group is ready before the next starts, and they stop in the reverse order.
enum class RunnableGroup : uint8_t {
  kServers,  // metrics, health, webhooks
  kCaches,
  kOthers,  // in every replica
  kLeader,  // only while this replica leads; always where there is no election
};
std::string_view ToString(RunnableGroup group);  // "leader"

struct RunScope {
  // Finish: no new work, what is under way may be completed.
  StopToken stop = {};
  // Give up: the time for that is over, or the lease is another's. Stops later than `stop`, or with it.
  StopToken abort = {};
};

class Runnable {
 public:
  virtual ~Runnable() = default;

  virtual std::string name() const = 0;
  // In logs and errors: "controller app".
  virtual std::string description() const { return name(); }
  // What it is at, for the line that says why a manager does not end: "default/web, default/db". Thread-safe.
  virtual std::string activity() { return {}; }
  virtual RunnableGroup group() const { return RunnableGroup::kLeader; }
  // On a thread of its own, once. Returns soon after scope.stop. An error or an exception ends the manager; to return
  // before is nothing special otherwise. kCancelled after scope.stop is no error.
  virtual Result<void> Run(const RunScope& scope) = 0;
  // Waits until others can rely on it; called on another thread than Run, after that was started.
  virtual Result<void> WaitUntilReady(const StopToken& stop) {
    (void)stop;
    return {};
  }
};

}  // namespace keelson
