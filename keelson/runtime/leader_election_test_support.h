// For tests of leader election: a server, replicas that reach it or do not, and a referee.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/coordination/v1.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/random.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/leader_election.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson {

// The way of one replica to the server.
class Line final : public Transport {
 public:
  Line(HttpHandler& server, uint64_t seed)
      : inner_(server, {.common_name = "admin", .organizations = {"system:masters"}}), random_(seed) {}

  struct Faults {
    bool refuse = false;           // requests fail at once
    bool hang = false;             // requests end by their deadline or stop, unanswered
    bool deaf = false;             // with hang: not even by those, until hang is over
    double lose_answer = 0;        // part of requests that are served, and whose answer is lost
    double late = 0;               // part of requests that reach the server late, whatever became of the caller
    Duration latency = {};         // before and after the server, up to
    Duration answer_after = {};    // behind the server, besides
    Duration calendar_ahead = {};  // times in what is written are changed by this: a wrong calendar
  };
  void Set(const Faults& faults) {
    MutexLock lock(mutex_);
    faults_ = faults;
  }
  std::vector<std::string> TakeRequests() {
    MutexLock lock(mutex_);
    return std::exchange(requests_, {});
  }

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    Faults faults;
    Duration before{}, after{};
    bool lose, late;
    {
      MutexLock lock(mutex_);
      requests_.push_back(request.method);
      faults = faults_;
      before = random_.Uniform<int64_t>(0, faults.latency.count()) * Duration(1);
      after = random_.Uniform<int64_t>(0, faults.latency.count()) * Duration(1);
      lose = random_.Chance(faults.lose_answer);
      late = random_.Chance(faults.late);
    }
    if (faults.refuse) return Error(ErrorCode::kUnavailable, "refused");
    while (faults.hang) {
      const TimePoint next = Clock::Now() + std::chrono::milliseconds(100);
      if (faults.deaf) {
        (void)SleepUntil(next, {});
      } else {
        (void)SleepUntil(std::min(next, scope.deadline), scope.stop);
        KEELSON_RETURN_IF_ERROR(Ended(scope));
      }
      MutexLock lock(mutex_);
      faults.hang = faults_.hang;
    }
    KEELSON_RETURN_IF_ERROR(Wait(before, scope));
    if (faults.calendar_ahead != Duration::zero()) ShiftTimes(request.body, faults.calendar_ahead);
    if (late) {
      // It arrives when nobody waits for it any more.
      (void)SleepUntil(scope.deadline, {});
      (void)SleepFor(before * 20, {});
    }
    Result<HttpResponse> answer = inner_.Send(std::move(request), {});
    if (lose) return Error(ErrorCode::kUnavailable, "the connection broke");
    KEELSON_RETURN_IF_ERROR(Wait(after + faults.answer_after, scope));
    KEELSON_RETURN_IF_ERROR(Ended(scope));
    return answer;
  }

 private:
  static Result<void> Ended(const CallScope& scope) {
    if (scope.stop.StopRequested()) return Error(ErrorCode::kCancelled, "stopped");
    if (Clock::Now() >= scope.deadline) return Error(ErrorCode::kTimeout, "no answer in time");
    return {};
  }
  static Result<void> Wait(Duration span, const CallScope& scope) {
    (void)SleepUntil(std::min(SaturatingAdd(Clock::Now(), span), scope.deadline), scope.stop);
    return Ended(scope);
  }
  static void ShiftTimes(std::string& body, Duration by) {
    for (const std::string_view field : {"\"acquireTime\":\"", "\"renewTime\":\""}) {
      const size_t at = body.find(field);
      if (at == std::string::npos) continue;
      const size_t begin = at + field.size(), end = body.find('"', begin);
      const metav1::MicroTime time = metav1::MicroTime::Parse(body.substr(begin, end - begin)).value();
      body.replace(begin, end - begin, metav1::MicroTime(time.ToSysMicroseconds() + by).ToString());
    }
  }

  InProcessTransport inner_;
  Mutex mutex_{"line"};
  // Guarded by mutex_.
  Random random_;
  Faults faults_;
  std::vector<std::string> requests_;
};

// An API server. In leader_election_test.cc, because only sources of tests may use that layer.
std::unique_ptr<HttpHandler> MakeServer();

// A server with a Lease to quarrel about.
class Place {
 public:
  Place()
      : server_(MakeServer()),
        client_(std::make_shared<InProcessTransport>(
            *server_, Peer{.common_name = "admin", .organizations = {"system:masters"}})) {}

  HttpHandler& server() { return *server_; }
  const Client& client() const { return client_; }
  coordinationv1::Lease Lease() const { return client_.Get<coordinationv1::Lease>({"default", "op"}).value(); }
  LeaderRecord Record() const { return RecordOf(Lease().spec); }
  void Delete() const { (void)client_.Delete<coordinationv1::Lease>({"default", "op"}); }
  // Only a Lease that all had time to see: of one that comes and goes between two looks nobody can know.
  void DeleteOld() const {
    const Result<coordinationv1::Lease> lease = client_.Get<coordinationv1::Lease>({"default", "op"});
    const metav1::Time now(Clock::WallNow());
    if (lease && now.unix_seconds() - lease->metadata.creationTimestamp.unix_seconds() > 30) Delete();
  }
  // Somebody who does not care for rules.
  void Steal(const std::string& holder) const {
    (void)RetryOnConflict([&]() -> Result<coordinationv1::Lease> {
      KEELSON_TRY(lease, client_.Get<coordinationv1::Lease>({"default", "op"}));
      lease.spec.holderIdentity = String(holder);
      lease.spec.renewTime = metav1::MicroTime(Clock::WallNow());
      return client_.Update(lease);
    });
  }

 private:
  std::unique_ptr<HttpHandler> server_;
  Client client_;
};

// A program that takes part: an elector that runs again after each term, and work that does nothing but take time.
class Replica {
 public:
  struct Term {
    Duration began{};
    Duration ended{};  // when the work had ended
  };

  Replica(Place& place, std::string identity, LeaderElectionOptions options = {}, Duration work_ends_in = {},
          uint64_t seed = 0)
      : line_(std::make_shared<Line>(place.server(), seed)), work_ends_in_(work_ends_in) {
    options.namespace_ = "default";
    options.name = "op";
    options.identity = std::move(identity);
    elector_ = LeaderElector::Make(Client(line_), options).value();
  }
  ~Replica() { Stop(); }

  void Start() {
    stop_ = StopSource();
    thread_ = Thread("replica", [this] {
      while (!stop_.StopRequested()) {
        Result<void> end = elector_->Run(stop_.token(), callbacks());
        MutexLock lock(mutex_);
        ends_.push_back(end ? "stopped" : std::string(ToString(end.error().code())));
      }
    });
  }
  void Stop() {
    stop_.RequestStop();
    thread_.Join();
  }
  // Asks only.
  void RequestStop() { stop_.RequestStop(); }

  Line& line() { return *line_; }
  LeaderElector& elector() { return *elector_; }
  bool leads() const { return elector_->IsLeader(); }
  std::vector<Term> terms() {
    MutexLock lock(mutex_);
    return terms_;
  }
  std::vector<std::string> ends() {
    MutexLock lock(mutex_);
    return ends_;
  }
  std::vector<std::string> leaders_seen() {
    MutexLock lock(mutex_);
    return leaders_;
  }
  int stops() {
    MutexLock lock(mutex_);
    return stops_;
  }

  std::function<void()> on_leading;  // called when a term begins

 private:
  static Duration Since() { return Clock::BootNow().time_since_epoch(); }

  LeaderCallbacks callbacks() {
    return {.on_started =
                [this](const Leadership& leading) {
                  if (on_leading) on_leading();
                  size_t term;
                  {
                    MutexLock lock(mutex_);
                    term = terms_.size();
                    terms_.push_back({.began = Since()});
                  }
                  (void)SleepFor(std::chrono::hours(1000), leading.stop);
                  (void)SleepFor(work_ends_in_, leading.lost);
                  MutexLock lock(mutex_);
                  terms_[term].ended = Since();
                },
            .on_stopped =
                [this] {
                  MutexLock lock(mutex_);
                  ++stops_;
                },
            .on_new_leader =
                [this](const std::string& identity) {
                  MutexLock lock(mutex_);
                  leaders_.push_back(identity);
                }};
  }

  std::shared_ptr<Line> line_;
  const Duration work_ends_in_;
  std::unique_ptr<LeaderElector> elector_;
  StopSource stop_;
  Mutex mutex_{"replica"};
  // Guarded by mutex_.
  std::vector<Term> terms_;
  std::vector<std::string> ends_;
  std::vector<std::string> leaders_;
  int stops_ = 0;
  Thread thread_;
};

}  // namespace keelson
