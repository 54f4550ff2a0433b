#include "keelson/runtime/leader_election.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"

namespace keelson {

using std::chrono::duration_cast;
using std::chrono::seconds;

namespace {

// "<host>_<random UUID>", as controller-runtime's are.
std::string UniqueIdentity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') host = {"unknown"};
  const uint64_t a = SecureRandom::Next(), b = SecureRandom::Next();
  return fmt::format("{}_{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", host.data(), a >> 32, (a >> 16) & 0xffff, a & 0xfff,
                     (b >> 48 & 0x3fff) | 0x8000, b & 0xffff'ffff'ffff);
}

Result<void> Check(const LeaderElectionOptions& options) {
  const auto bad = [&](std::string_view what) {
    return Error::InvalidArgument(
        fmt::format("leader election on lease {}/{}: {}", options.namespace_, options.name, what));
  };
  if (options.name.empty()) return bad("the Lease needs a name");
  if (options.namespace_.empty()) return bad("the Lease needs a namespace: set namespace_, or scope the client");
  if (options.retry_period <= Duration::zero()) return bad("retry_period must be more than zero");
  if (options.lease_duration < seconds(1) || options.lease_duration % seconds(1) != Duration::zero() ||
      options.lease_duration > seconds(std::numeric_limits<int32_t>::max())) {
    return bad(fmt::format("lease_duration must be whole seconds, which is what the record can say, and is {}",
                           FormatDuration(options.lease_duration)));
  }
  if (options.lease_duration <= options.renew_deadline) {
    return bad(fmt::format("lease_duration ({}) must be longer than renew_deadline ({})",
                           FormatDuration(options.lease_duration), FormatDuration(options.renew_deadline)));
  }
  const double least = LeaderElector::kJitter * static_cast<double>(options.retry_period.count());
  if (static_cast<double>(options.renew_deadline.count()) <= least) {
    return bad(fmt::format("renew_deadline ({}) must be longer than {} times retry_period ({})",
                           FormatDuration(options.renew_deadline), LeaderElector::kJitter,
                           FormatDuration(options.retry_period)));
  }
  return {};
}

}  // namespace

Result<LeaderElectionMetrics> LeaderElectionMetrics::Create(MetricRegistry& registry, std::string_view name) {
  KEELSON_TRY(status, registry.AddGauge({.name = "leader_election_master_status",
                                         .help = "1 while this process holds the lease of that name, else 0.",
                                         .labels = {"name"}}));
  KEELSON_TRY(slow_path, registry.AddCounter({.name = "leader_election_slowpath_total",
                                              .help = "Renewals that had to read the lease first.",
                                              .labels = {"name"}}));
  KEELSON_TRY(transitions, registry.AddCounter({.name = "keelson_leader_election_transitions_total",
                                                .help = "Changes of the leader that this process saw.",
                                                .labels = {"name"}}));
  KEELSON_TRY(renewals, registry.AddCounter({.name = "keelson_leader_election_renewals_total",
                                             .help = "Renewals of the lease, by their result.",
                                             .labels = {"name", "result"}}));
  return LeaderElectionMetrics{.master_status = status.With({name}),
                               .slow_path = slow_path.With({name}),
                               .transitions = transitions.With({name}),
                               .renewals = renewals.With({name, "success"}),
                               .failed_renewals = renewals.With({name, "failure"})};
}

Result<std::unique_ptr<LeaderElector>> LeaderElector::Make(Client client, LeaderElectionOptions options) {
  if (options.namespace_.empty()) options.namespace_ = client.scoped_namespace();
  if (options.identity.empty()) options.identity = UniqueIdentity();
  KEELSON_RETURN_IF_ERROR(Check(options));
  return std::unique_ptr<LeaderElector>(new LeaderElector(std::move(client), std::move(options)));
}

LeaderElector::LeaderElector(Client client, LeaderElectionOptions options)
    : options_(std::move(options)),
      log_(Logger("leader-election")
               .WithValues("lease", options_.namespace_ + "/" + options_.name, "identity", options_.identity)),
      fence_(std::make_shared<LeadershipFence>(options_.namespace_ + "/" + options_.name)),
      lock_(std::move(client), {options_.namespace_, options_.name}, options_.labels),
      random_(Random::FromEntropy()) {
  options_.metrics.master_status.Set(0);
}

LeaderElector::~LeaderElector() = default;

Result<void> LeaderElector::Run(const StopToken& stop, const LeaderCallbacks& callbacks) {
  const Attempt attempt = Acquire(stop, callbacks);
  if (attempt.outcome == Outcome::kHeld && !stop.StopRequested()) return Lead(attempt.began, stop, callbacks);
  // It may have become ours in the last moment: nobody should have to wait for what nobody uses.
  if (options_.release_on_stop && (attempt.outcome == Outcome::kHeld || write_in_doubt_)) Release();
  return {};
}

LeaderElector::Attempt LeaderElector::Acquire(const StopToken& stop, const LeaderCallbacks& callbacks) {
  log_.Info("Waiting for leadership");
  while (!stop.StopRequested()) {
    const Attempt attempt = Try(stop);
    ReportLeader(callbacks);
    // An answer that took longer than a term may go without renewal is worth nothing but the knowledge.
    if (attempt.outcome == Outcome::kHeld && Clock::BootNow() < attempt.began + options_.renew_deadline) return attempt;
    if (SleepFor(random_.Jitter(options_.retry_period, kJitter), stop) == Wake::kStopped) break;
  }
  return {};
}

Result<void> LeaderElector::Lead(BootTime began, const StopToken& stop, const LeaderCallbacks& callbacks) {
  const StopToken lost = fence_->Open(began + options_.renew_deadline);
  {
    MutexLock lock(mutex_);
    renewed_ = began;
    in_term_ = true;
    stopping_ = lost_ = work_done_ = false;
  }
  options_.metrics.master_status.Set(1);
  log_.Info("Leading");
  SendEvent("became leader");

  const StopSource finish, give_up;
  const auto tell = [&](bool LeaderElector::* what) {
    bool finished;
    {
      MutexLock lock(mutex_);
      this->*what = true;
      finished = lost_ || (stopping_ && work_done_);
    }
    changed_.NotifyAll();
    if (finished) give_up.RequestStop();  // a renewal under way is of no use any more
  };
  Thread guard("lease guard", [&](const StopToken& end) { fence_->Guard(options_.retry_period, end); });
  Thread work("leader", [&] {
    if (callbacks.on_started) callbacks.on_started({.stop = finish.token(), .lost = lost});
    tell(&LeaderElector::work_done_);
  });
  Result<void> end;
  {
    const StopCallback on_stop(stop, [&] {
      tell(&LeaderElector::stopping_);
      finish.RequestStop();
    });
    const StopCallback on_lost(lost, [&] {
      tell(&LeaderElector::lost_);
      finish.RequestStop();
    });
    end = KeepRenewing(give_up.token(), callbacks);
    fence_->Close();
  }
  options_.metrics.master_status.Set(0);
  if (end) {
    log_.Info("Leading no longer: asked to stop");
  } else {
    log_.Error(end.error(), "Leading no longer");
  }
  SendEvent("stopped leading");
  if (callbacks.on_stopped) callbacks.on_stopped();
  ReportLeader(callbacks);
  work.Join();
  guard.Join();
  {
    MutexLock lock(mutex_);
    in_term_ = false;
  }
  if (end && options_.release_on_stop) Release();
  return end;
}

Result<void> LeaderElector::KeepRenewing(const StopToken& give_up, const LeaderCallbacks& callbacks) {
  while (true) {
    {
      MutexLock lock(mutex_);
      const auto ended = [&] { return lost_ || (stopping_ && work_done_); };
      (void)changed_.WaitFor(lock, options_.retry_period, StopToken(), ended);
      if (lost_) break;
      if (ended()) return {};
    }
    const Attempt attempt = Try(give_up);
    if (attempt.outcome == Outcome::kTaken) {
      return Error::Conflict(fmt::format("lease {} is held by {}", lock_.key().ToString(), leader()));
    }
    if (attempt.outcome == Outcome::kFailed) {
      options_.metrics.failed_renewals.Increment();
      continue;
    }
    if (!fence_->Extend(attempt.began + options_.renew_deadline)) break;
    {
      MutexLock lock(mutex_);
      renewed_ = attempt.began;
    }
    options_.metrics.renewals.Increment();
    log_.V(5).Info("Renewed the lease");
    ReportLeader(callbacks);
  }
  return LostError();
}

LeaderElector::Attempt LeaderElector::Try(const StopToken& stop) {
  const BootTime now = Clock::BootNow();
  const metav1::MicroTime wall(Clock::WallNow());
  LeaderRecord record{.holder = options_.identity,
                      .lease_seconds = static_cast<int32_t>(duration_cast<seconds>(options_.lease_duration).count()),
                      .acquire_time = wall,
                      .renew_time = wall};
  LeaderRecord seen;
  {
    MutexLock lock(mutex_);
    if (observed_) seen = *observed_;
  }
  if (fence_->IsOpen() && seen.holder == options_.identity && IsValid(now)) {
    // Nobody else may have written: no need to look first.
    record.acquire_time = seen.acquire_time;
    record.transitions = seen.transitions;
    const Attempt attempt = Write(false, record, stop);
    if (attempt.outcome == Outcome::kHeld) return attempt;
    record.acquire_time = wall;
  }

  const String known_uid = lock_.lease().metadata.uid;
  const Result<LeaderRecord> found = lock_.Get(ScopeOf(stop));
  if (!found) {
    if (IsNotFound(found.error())) return TryWithoutLease(record, seen, stop);
    if (!stop.StopRequested()) log_.Error(found.error(), "The lease could not be read");
    return {};
  }
  if (lease_is_missing_ || *found != seen) Observe(*found);
  lease_is_missing_ = false;

  const bool leading = fence_->IsOpen();
  const String uid = lock_.lease().metadata.uid;
  // A Lease made by a request of ours that was given up long ago, after the one that we knew was deleted: others may
  // have led since, and not have heard of it.
  if (!known_uid.empty() && uid != known_uid && !leading) stray_uid_ = uid.str();
  const bool ours = found->holder == options_.identity;
  const bool others = !found->holder.empty() && (!ours || (uid == stray_uid_ && !leading));
  // A leader that finds another's name has lost, however short that one's lease is.
  if (others && (IsValid(now) || leading)) {
    log_.V(4).Info("The lease is held", "holder", found->holder);
    return {.outcome = Outcome::kTaken};
  }
  if (ours) {
    record.acquire_time = found->acquire_time;
    record.transitions = found->transitions;
    if (leading) options_.metrics.slow_path.Increment();
  } else {
    record.transitions = found->transitions + 1;
  }
  return Write(false, record, stop);
}

// A missing Lease is free for one that never saw it. One that did see it cannot know that its holder has heard of the
// deletion, and waits for as long as a holder may go on; the holder itself makes it anew meanwhile. A look that came
// late starts the wait again, because there may have been another Lease since the one before.
LeaderElector::Attempt LeaderElector::TryWithoutLease(LeaderRecord record, const LeaderRecord& seen,
                                                      const StopToken& stop) {
  {
    MutexLock lock(mutex_);
    if (observed_) {
      const bool ours = seen.holder == options_.identity;
      if (!ours || !in_term_) {
        const BootTime now = Clock::BootNow();
        if (!lease_is_missing_ || now - missing_seen_ > 3 * options_.retry_period) missing_since_ = now;
        lease_is_missing_ = true;
        missing_seen_ = now;
        const Duration wait = std::max<Duration>(seconds(seen.lease_seconds), options_.lease_duration);
        if (now < missing_since_ + wait) return {};
      }
      record.transitions = ours ? seen.transitions : seen.transitions + 1;
      if (ours) record.acquire_time = seen.acquire_time;
    }
  }
  const Attempt attempt = Write(true, record, stop);
  if (attempt.outcome == Outcome::kHeld) lease_is_missing_ = false;
  return attempt;
}

LeaderElector::Attempt LeaderElector::Write(bool create, const LeaderRecord& record, const StopToken& stop) {
  // Before the request: the server may write at any moment from now on, and others count from when they see that.
  const BootTime began = Clock::BootNow();
  const CallScope scope = ScopeOf(stop);
  const Result<void> written = create ? lock_.Create(record, scope) : lock_.Update(record, scope);
  if (!written) {
    const ErrorCode code = written.error().code();
    write_in_doubt_ = code != ErrorCode::kConflict && code != ErrorCode::kAlreadyExists;
    if (!stop.StopRequested()) log_.Warning("The lease could not be written", "error", written.error());
    return {};
  }
  write_in_doubt_ = false;
  stray_uid_.clear();
  Observe(record);
  return {.outcome = Outcome::kHeld, .began = began};
}

void LeaderElector::Release() {
  const Result<LeaderRecord> found = lock_.Get(ScopeOf({}));
  if (!found) {
    log_.Warning("The lease could not be released", "error", found.error());
    return;
  }
  if (found->holder != options_.identity) return;
  const metav1::MicroTime now(Clock::WallNow());
  const LeaderRecord released{
      .lease_seconds = 1, .acquire_time = now, .renew_time = now, .transitions = found->transitions};
  if (const Result<void> written = lock_.Update(released, ScopeOf({})); !written) {
    log_.Warning("The lease could not be released", "error", written.error());
    return;
  }
  write_in_doubt_ = false;
  Observe(released);
  log_.Info("Released the lease");
}

void LeaderElector::Observe(const LeaderRecord& record) {
  MutexLock lock(mutex_);
  observed_ = record;
  observed_time_ = Clock::BootNow();
}

bool LeaderElector::IsValid(BootTime now) const {
  MutexLock lock(mutex_);
  return observed_ && now < observed_time_ + seconds(observed_->lease_seconds);
}

std::string LeaderElector::leader() const {
  MutexLock lock(mutex_);
  return observed_ ? observed_->holder : "";
}

void LeaderElector::ReportLeader(const LeaderCallbacks& callbacks) {
  const std::string now = leader();
  if (now.empty() || now == reported_leader_) return;
  if (!reported_leader_.empty()) options_.metrics.transitions.Increment();
  reported_leader_ = now;
  log_.Info("A new leader", "leader", now);
  if (callbacks.on_new_leader) callbacks.on_new_leader(now);
}

void LeaderElector::SendEvent(std::string_view what) const {
  if (options_.on_event) options_.on_event(lock_.lease(), options_.identity + " " + std::string(what));
}

CallScope LeaderElector::ScopeOf(const StopToken& stop) const {
  Duration most = std::min(std::max<Duration>(seconds(1), options_.renew_deadline / 2), options_.renew_deadline);
  {
    MutexLock lock(mutex_);
    if (in_term_) most = std::min(most, renewed_ + options_.renew_deadline - Clock::BootNow());
  }
  return {.stop = stop, .deadline = Clock::Now() + most};
}

Error LeaderElector::LostError() const {
  return Error(ErrorCode::kTimeout, fmt::format("lease {} could not be renewed within {}", lock_.key().ToString(),
                                                FormatDuration(options_.renew_deadline)));
}

Result<void> LeaderElector::CheckHealth(Duration tolerance) const {
  MutexLock lock(mutex_);
  if (!in_term_) return {};
  const Duration since = Clock::BootNow() - renewed_;
  if (since <= options_.lease_duration + tolerance) return {};
  return Error(ErrorCode::kTimeout, fmt::format("lease {} was last renewed {} ago, and what the leader does goes on",
                                                lock_.key().ToString(), FormatDuration(since)));
}

}  // namespace keelson
