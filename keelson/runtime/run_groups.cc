#include "keelson/runtime/run_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <exception>
#include <ranges>
#include <string_view>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "keelson/transport/thread_scope.h"

namespace keelson {

std::string_view ToString(RunnableGroup group) {
  switch (group) {
    case RunnableGroup::kServers: return "servers";
    case RunnableGroup::kCaches: return "caches";
    case RunnableGroup::kOthers: return "others";
    case RunnableGroup::kLeader: return "leader";
  }
  return "unknown";
}

namespace {

// An exception is an error like any other.
template <class F>
Result<void> Guarded(F&& call) {
  try {
    return call();
  } catch (const std::exception& exception) {
    return Error::Internal(fmt::format("exception: {}", exception.what()));
  } catch (...) {
    return Error::Internal("exception of a type that is no std::exception");
  }
}

}  // namespace

// Thread-safe.
class RunGroups::Group {
 public:
  explicit Group(RunGroups& owner) : owner_(owner) {}
  ~Group() {
    AskToStop();
    Abort();
    // Their threads are joined by destruction.
  }

  Result<void> Add(std::shared_ptr<Runnable> runnable) {
    auto member = std::make_unique<Member>(std::move(runnable));
    std::vector<std::unique_ptr<Member>> ended;  // their threads are joined without the lock
    MutexLock lock(mutex_);
    if (state_ == State::kStopping) {
      return Error::Cancelled(fmt::format("{} was not added: the manager is stopping", member->description));
    }
    for (std::unique_ptr<Member>& one : members_) {
      if (one->ended) ended.push_back(std::move(one));
    }
    std::erase(members_, nullptr);
    members_.push_back(std::move(member));
    if (state_ == State::kRunning) StartMember(*members_.back());
    lock.Unlock();
    return {};
  }

  void Start() {
    MutexLock lock(mutex_);
    if (state_ != State::kWaiting) return;
    state_ = State::kRunning;
    for (const std::unique_ptr<Member>& member : members_) StartMember(*member);
  }

  // Of those that are there now.
  void WaitUntilReady(const StopToken& stop) {
    for (const auto& [runnable, description] : Running()) {
      const Result<void> ready = Guarded([&] { return runnable->WaitUntilReady(stop); });
      if (stop.StopRequested()) return;
      if (!ready) return owner_.Fail(Error(ready.error()).WithContext(description));
    }
  }

  void AskToStop() {
    {
      MutexLock lock(mutex_);
      state_ = State::kStopping;
    }
    stop_.RequestStop();
    changed_.NotifyAll();
  }
  // After AskToStop.
  void Abort() { abort_.RequestStop(); }

  // Until it was asked to stop and all have returned. A negative time is no limit.
  bool WaitForEnd(Duration at_most) {
    MutexLock lock(mutex_);
    const auto ended = [&] { return state_ == State::kStopping && running_ == 0; };
    if (at_most >= Duration::zero()) return changed_.WaitFor(lock, at_most, StopToken(), ended) == Wake::kReady;
    changed_.Wait(lock, ended);
    return true;
  }

  // "controller app (default/web)"
  std::vector<std::string> unfinished() const {
    std::vector<std::string> names;
    for (const auto& [runnable, description] : Running()) {
      const std::string activity = runnable->activity();
      names.push_back(activity.empty() ? description : fmt::format("{} ({})", description, activity));
    }
    return names;
  }

 private:
  enum class State : uint8_t { kWaiting, kRunning, kStopping };

  struct Member {
    explicit Member(std::shared_ptr<Runnable> what)
        : runnable(std::move(what)), name(runnable->name()), description(runnable->description()) {}
    const std::shared_ptr<Runnable> runnable;
    const std::string name;
    const std::string description;
    bool ended = false;  // guarded by mutex_
    Thread thread;
  };

  std::vector<std::pair<std::shared_ptr<Runnable>, std::string>> Running() const {
    std::vector<std::pair<std::shared_ptr<Runnable>, std::string>> running;
    MutexLock lock(mutex_);
    if (running_ == 0) return running;
    for (const std::unique_ptr<Member>& member : members_) {
      if (!member->ended) running.emplace_back(member->runnable, member->description);
    }
    return running;
  }

  // Under the lock.
  void StartMember(Member& member) {
    ++running_;
    member.thread = Thread(member.name, [this, &member] {
      const RunScope scope{.stop = stop_.token(), .abort = abort_.token()};
      const ThreadScope calls_end({.stop = scope.abort});
      const Result<void> end = Guarded([&] { return member.runnable->Run(scope); });
      if (!end && end.error().code() == ErrorCode::kCancelled && stop_.StopRequested()) {
        owner_.log_.V(1).Info("Stopped", "what", member.description, "with", end.error());
      } else if (!end) {
        owner_.Fail(Error(end.error()).WithContext(member.description));
      } else {
        owner_.log_.V(1).Info("Ended", "what", member.description);
      }
      MutexLock lock(mutex_);
      member.ended = true;
      --running_;
      changed_.NotifyAll();
    });
  }

  RunGroups& owner_;
  const StopSource stop_;
  const StopSource abort_;

  mutable Mutex mutex_{"run group"};
  CondVar changed_{"run group's members"};
  // Guarded by mutex_.
  State state_ = State::kWaiting;
  size_t running_ = 0;
  std::vector<std::unique_ptr<Member>> members_;  // declared last: their threads end first
};

RunGroups::RunGroups(RunGroupsOptions options) : options_(options), log_(Logger("manager")) {
  for (std::unique_ptr<Group>& group : groups_) group = std::make_unique<Group>(*this);
}

RunGroups::~RunGroups() {
  ending_.RequestStop();
  for (std::unique_ptr<Group>& group : std::views::reverse(groups_)) group.reset();
}

Result<void> RunGroups::Add(std::shared_ptr<Runnable> runnable) {
  Group& group = Of(runnable->group());
  return group.Add(std::move(runnable));
}

void RunGroups::Start() {
  for (const RunnableGroup which : {RunnableGroup::kServers, RunnableGroup::kCaches, RunnableGroup::kOthers}) {
    if (ending_.StopRequested()) return;
    log_.V(1).Info("Starting", "group", which);
    Of(which).Start();
    Of(which).WaitUntilReady(ending_.token());
  }
}

void RunGroups::StartLeaders() {
  if (ending_.StopRequested()) return;
  log_.V(1).Info("Starting", "group", RunnableGroup::kLeader);
  Of(RunnableGroup::kLeader).Start();
}

void RunGroups::LoseLeadership() {
  {
    MutexLock lock(mutex_);
    leadership_lost_ = !first_error_.has_value();
  }
  Group& leaders = Of(RunnableGroup::kLeader);
  leaders.AskToStop();
  leaders.Abort();
  ending_.RequestStop();
}

void RunGroups::WaitForLeaders() { Of(RunnableGroup::kLeader).WaitForEnd(Duration(-1)); }

void RunGroups::AskToEnd() { ending_.RequestStop(); }

void RunGroups::Fail(Error error, bool of_leadership) {
  bool first;
  {
    MutexLock lock(mutex_);
    first = !first_error_ && (of_leadership || !leadership_lost_);
    if (first) first_error_ = error;
    if (of_leadership) leadership_lost_ = false;
  }
  if (!first) log_.Error(error, "Another part failed, too");
  ending_.RequestStop();
}

void RunGroups::AwaitEnd() {
  MutexLock lock(mutex_);
  (void)changed_.Wait(lock, ending_.token(), [] { return false; });
}

void RunGroups::StopWork() {
  ending_.RequestStop();
  log_.V(options_.log_verbosity).Info("Stopping", "grace", options_.grace_period);
  Group& leaders = Of(RunnableGroup::kLeader);
  Group& others = Of(RunnableGroup::kOthers);
  leaders.AskToStop();
  others.AskToStop();
  const bool limited = options_.grace_period >= Duration::zero();
  const TimePoint end = SaturatingAdd(Clock::Now(), options_.grace_period);
  const auto rest = [&] { return limited ? std::max(end - Clock::Now(), Duration::zero()) : Duration(-1); };
  if (leaders.WaitForEnd(rest()) && others.WaitForEnd(rest())) return;

  std::vector<std::string> late = leaders.unfinished();
  for (std::string& name : others.unfinished()) late.push_back(std::move(name));
  if (!late.empty()) {
    Fail(Error(ErrorCode::kTimeout, fmt::format("did not finish within the grace period of {}: {}",
                                                FormatDuration(options_.grace_period), fmt::join(late, ", "))));
  }
  GiveUp({&leaders, &others});
}

void RunGroups::StopRest() {
  StopGroup(Of(RunnableGroup::kCaches));
  StopGroup(Of(RunnableGroup::kServers));
  log_.V(options_.log_verbosity).Info("Stopped");
}

void RunGroups::StopGroup(Group& group) {
  group.AskToStop();
  if (!group.WaitForEnd(kRestPatience)) GiveUp({&group});
}

void RunGroups::GiveUp(const Groups& groups) {
  for (Group* group : groups) group->Abort();
  const TimePoint told = Clock::Now();
  for (Duration patience = kStuckAfter;; patience = std::chrono::seconds(30)) {
    const TimePoint end = Clock::Now() + patience;
    std::vector<std::string> stuck;
    for (Group* group : groups) {
      if (group->WaitForEnd(std::max(end - Clock::Now(), Duration::zero()))) continue;
      for (std::string& name : group->unfinished()) stuck.push_back(std::move(name));
    }
    if (stuck.empty()) return;
    const Error error(ErrorCode::kTimeout, fmt::format("{}", fmt::join(stuck, ", ")));
    if (options_.exit_when_stuck) {
      log_.Error(error, "Stuck: told to give up and has not returned. Exiting", "waited", Clock::Now() - told);
      FlushLogs();
      _exit(1);
    }
    log_.Error(error, "Stuck: told to give up and has not returned", "waited", Clock::Now() - told);
  }
}

Result<void> RunGroups::result() const {
  MutexLock lock(mutex_);
  if (first_error_) return *first_error_;
  return {};
}

}  // namespace keelson
