// The machinery of a manager: runnables in groups, which start one after another and end in the reverse order.
//
//   RunGroups groups({.grace_period = 30s});
//   groups.Add(server);
//   groups.Start();           // servers, caches, others: each group is ready before the next one starts
//   groups.StartLeaders();
//   groups.AwaitEnd();        // AskToEnd, or a part that fails
//   groups.StopWork();        // leaders and others: asked, given the grace period, told to give up
//   groups.StopRest();        // caches, then servers
//   return groups.result();
//
// Manager (manager.h) drives it, and knows about leases.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keelson/core/cond_var.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/runtime/runnable.h"

namespace keelson {

struct RunGroupsOptions {
  Duration grace_period = std::chrono::seconds(30);  // negative: no limit
  bool exit_when_stuck = false;
  int log_verbosity = 0;  // -v from which it is said that the end begins and is over
};

// Start, StopWork and StopRest are called once, by one thread; the others are thread-safe.
class RunGroups {
 public:
  // How long a runnable that was told to give up may take before it is called stuck.
  static constexpr Duration kStuckAfter = std::chrono::seconds(5);
  // How long caches and servers may take each before they are told to give up.
  static constexpr Duration kRestPatience = std::chrono::seconds(15);

  explicit RunGroups(RunGroupsOptions options);
  // Stops what runs still.
  ~RunGroups();
  RunGroups(const RunGroups&) = delete;
  RunGroups& operator=(const RunGroups&) = delete;

  // It starts with its group, or at once where that has started. kCancelled when the end was asked for.
  Result<void> Add(std::shared_ptr<Runnable> runnable);

  // Returns when all are ready, or the end was asked for.
  void Start();
  // Does nothing when the end was asked for.
  void StartLeaders();
  // The leadership is gone: leaders give up at once, and the end is asked for with an error that Fail brings later.
  // Errors of others that come meanwhile are logged only.
  void LoseLeadership();
  // Until the leaders were asked to stop and all have returned.
  void WaitForLeaders();

  void AskToEnd();
  // Ends with this error, if it is the first one; else it is logged. `of_leadership`: the one announced.
  void Fail(Error error, bool of_leadership = false);
  StopToken ending() const { return ending_.token(); }
  void AwaitEnd();

  // Returns when leaders and others have returned. When some needed longer than the grace period, that is an error.
  void StopWork();
  void StopRest();
  // The first error.
  Result<void> result() const;

 private:
  class Group;
  using Groups = std::vector<Group*>;

  Group& Of(RunnableGroup group) const { return *groups_[static_cast<size_t>(group)]; }
  // Told to give up they return, or else somebody should know.
  void GiveUp(const Groups& groups);
  void StopGroup(Group& group);

  // Constant after construction.
  const RunGroupsOptions options_;
  const Logger log_;
  const StopSource ending_;

  mutable Mutex mutex_{"run groups"};
  CondVar changed_{"run groups"};  // never notified: for waits that only a stop ends
  // Guarded by mutex_.
  std::optional<Error> first_error_;
  bool leadership_lost_ = false;  // and its error is to be the first one

  std::array<std::unique_ptr<Group>, 4> groups_;  // declared last: end first
};

}  // namespace keelson
