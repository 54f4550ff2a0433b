// Leader election: of several replicas one works, and the others wait to take over.
//
//   KEELSON_TRY(elector, LeaderElector::Make(client, {.namespace_ = "default", .name = "my-operator"}));
//   Result<void> end = elector->Run(stop, {.on_started = [&](const Leadership& leading) { Work(leading.stop); }});
//   if (!end) return 1;                          // the lease is lost: end the process, which starts as a candidate
//   again
//
// On a Lease of coordination.k8s.io/v1, by the rules and in the format of client-go, so that a Go and a C++ replica can
// share one. The leader renews every retry period. A candidate takes over when it has not seen the record change for
// the duration that the record states; the times in the record are for people, so calendars may differ at will.
// Two electors of one Lease are never leading at a time: leadership_fence.h says why, and how to keep writes inside.
// docs/leader-election.md is the guide, and lists where this is stricter than client-go.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/client/client.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/log.h"
#include "keelson/core/metrics.h"
#include "keelson/core/mutex.h"
#include "keelson/core/random.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/runtime/leadership_fence.h"
#include "keelson/runtime/lease_lock.h"

namespace keelson {

// Default-constructed ones go nowhere. Must not be used after the registry.
//
// | leader_election_master_status               | 1 while leading, else 0                                     |
// | leader_election_slowpath_total              | renewals that had to read the Lease first                   |
// | keelson_leader_election_transitions_total   | changes of the leader that were seen, by whomever           |
// | keelson_leader_election_renewals_total      | renewals, with the label result: "success" or "failure"     |
//
// All have the label "name". The first two are client-go's and controller-runtime's.
struct LeaderElectionMetrics {
  // kAlreadyExists when the registry has one of the names with other labels.
  static Result<LeaderElectionMetrics> Create(MetricRegistry& registry, std::string_view name);

  Gauge master_status;
  Counter slow_path;
  Counter transitions;
  Counter renewals;
  Counter failed_renewals;
};

struct LeaderElectionOptions {
  std::string namespace_ = {};  // of the Lease; empty: the client's
  std::string name = {};        // of the Lease
  // Different for each replica. Empty: the host's name and a random part. One that comes again after a restart finds
  // its own lease and need not wait for it to expire.
  std::string identity = {};
  std::map<std::string, std::string> labels = {};  // of the Lease

  Duration lease_duration = std::chrono::seconds(15);  // whole seconds, longer than renew_deadline
  Duration renew_deadline = std::chrono::seconds(10);  // longer than 1.2 retry periods
  // Between tries; those of candidates are spread over 1 to 2.2 of it.
  Duration retry_period = std::chrono::seconds(2);

  // Give the lease up at the end of Run, so that another takes over within its retry period. What on_started began must
  // have ended when it returns; else say false.
  bool release_on_stop = true;

  LeaderElectionMetrics metrics = {};
  // Where events about the Lease go: "<identity> became leader", "<identity> stopped leading". client-go's are of type
  // Normal with reason LeaderElection. Called on Run's thread, which it must not hold up.
  std::function<void(const coordinationv1::Lease& lease, std::string_view message)> on_event = {};
};

// What the leader is told about its term.
struct Leadership {
  // Finish: Run was asked to stop, or the lease is lost.
  StopToken stop;
  // The lease may be another's from now on: no more writes. Stops at the renew deadline after the last renewal at the
  // latest, even if a renewal hangs. After a request to stop the lease is renewed until on_started has returned, so
  // work under way can be finished properly.
  StopToken lost;
};

struct LeaderCallbacks {
  // This one leads. Runs on a thread of its own and ends soon after leading.stop; it may also return at once.
  std::function<void(const Leadership& leading)> on_started;
  // It does no longer; on_started may still be on its way out. Called once for each on_started, on Run's thread.
  std::function<void()> on_stopped = {};
  // Somebody else, or this one, was seen to lead. On Run's thread, which it must not hold up.
  std::function<void(const std::string& identity)> on_new_leader = {};
};

class LeaderElector {
 public:
  // How much longer than a retry period candidates wait at most, as a part of it.
  static constexpr double kJitter = 1.2;

  // kInvalidArgument when the options cannot work. Nothing is sent yet.
  static Result<std::unique_ptr<LeaderElector>> Make(Client client, LeaderElectionOptions options);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // One term: waits until this one leads, leads until stop, and releases. Returns when on_started has. Success: it was
  // asked to stop. kConflict: another one holds the lease. kTimeout: it could not be renewed in time. May be called
  // again afterwards, by one thread at a time; the other functions are thread-safe.
  Result<void> Run(const StopToken& stop, const LeaderCallbacks& callbacks);

  // Whether a write may start now.
  bool IsLeader() const { return fence_->IsOpen(); }
  // Who was seen to hold the lease last; empty: nobody.
  std::string leader() const;
  const std::string& identity() const { return options_.identity; }
  std::shared_ptr<const LeadershipFence> fence() const { return fence_; }

  // Fails when a term goes on although the lease expired longer than `tolerance` ago: its work does not end, or a
  // request hangs. A liveness check for it makes the kubelet start the process anew.
  Result<void> CheckHealth(Duration tolerance = std::chrono::seconds(20)) const;

 private:
  // What became of one try.
  struct Attempt {
    enum class Outcome : uint8_t {
      kHeld,    // the record names us, by a write that was answered
      kTaken,   // it names another
      kFailed,  // nothing is known
    };
    Outcome outcome = Outcome::kFailed;
    BootTime began = {};  // of the write, when held
  };
  using Outcome = Attempt::Outcome;

  LeaderElector(Client client, LeaderElectionOptions options);

  // kHeld, or kFailed when stopped.
  Attempt Acquire(const StopToken& stop, const LeaderCallbacks& callbacks);
  Result<void> Lead(BootTime began, const StopToken& stop, const LeaderCallbacks& callbacks);
  // Renews until asked to stop (and the work is done) or lost, which is an error.
  Result<void> KeepRenewing(const StopToken& give_up, const LeaderCallbacks& callbacks);
  Attempt Try(const StopToken& stop);
  Attempt TryWithoutLease(LeaderRecord record, const LeaderRecord& seen, const StopToken& stop);
  Attempt Write(bool create, const LeaderRecord& record, const StopToken& stop);
  void Release();

  void Observe(const LeaderRecord& record);
  // Whether the record seen last holds at that time.
  bool IsValid(BootTime now) const;
  void ReportLeader(const LeaderCallbacks& callbacks);
  void SendEvent(std::string_view what) const;
  // Of one request: half of the renew deadline, and never beyond the end of the term.
  CallScope ScopeOf(const StopToken& stop) const;
  Error LostError() const;

  // Constant after construction.
  const LeaderElectionOptions options_;
  const Logger log_;
  const std::shared_ptr<LeadershipFence> fence_;

  // Used by the thread in Run only.
  LeaseLock lock_;
  Random random_;
  std::string reported_leader_;
  bool lease_is_missing_ = false;  // and was there before
  BootTime missing_since_{}, missing_seen_{};
  std::string stray_uid_;        // of a Lease that may name us without our leading
  bool write_in_doubt_ = false;  // sent, and not answered

  mutable Mutex mutex_{"leader elector"};
  CondVar changed_{"leader elector's term"};
  // Guarded by mutex_.
  std::optional<LeaderRecord> observed_;
  BootTime observed_time_{};  // when it was first seen
  BootTime renewed_{};        // start of the last renewal
  bool in_term_ = false;      // until the work has ended
  bool stopping_ = false;
  bool lost_ = false;
  bool work_done_ = false;
};

}  // namespace keelson
