// The scheduler is a baton: each simulated thread is a real one that runs only while it holds the baton, and passes it
// on inside the calls of the seam. All state below belongs to the holder, so none of it is locked; handing over through
// a mutex orders one holder's writes before the next one's reads.
//
// Locks keep their state in the real std::mutex, taken by try_lock. A thread that fails waits until an unlock makes all
// who wait for that lock runnable, and they try again: so any of them may win, and a late-comer may overtake.
#include "keelson/core/simulation.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>

#include "keelson/core/internal/scheduler.h"
#include "keelson/core/random.h"

namespace keelson {

namespace {

using Kind = SimulationEvent::Kind;

// Far enough from zero that "an hour ago" is a time like any other.
constexpr TimePoint kSteadyStart = TimePoint(std::chrono::hours(24));

std::string Seconds(Duration span) { return fmt::format("+{:.9g}s", std::chrono::duration<double>(span).count()); }

}  // namespace

class Simulation::Baton final : public internal::Scheduler, public std::enable_shared_from_this<Baton> {
 public:
  explicit Baton(const SimulationOptions& options)
      : options_(options), choices_(options.seed), entropy_(options.seed ^ 0x5851f42d4c957f2d) {}

  Result<void> Run(std::function<void()> body);

  std::vector<SimulationEvent> TakeTrace() const { return {trace_.begin(), trace_.end()}; }
  uint64_t trace_hash() const { return trace_hash_; }
  Duration elapsed() const { return now_ - kSteadyStart; }
  uint64_t steps() const { return steps_; }

  void Lock(std::mutex& mutex) override {
    Point();
    Acquire(&mutex, Kind::kLock, [&] { return mutex.try_lock(); });
  }
  bool TryLock(std::mutex& mutex) override {
    Point();
    if (Holds(&mutex) || !mutex.try_lock()) return false;
    current_->held.push_back(&mutex);
    Record(Kind::kLock, ObjectId(&mutex));
    return true;
  }
  void Unlock(std::mutex& mutex) override {
    Record(Kind::kUnlock, ObjectId(&mutex));
    Release(&mutex, [&] { mutex.unlock(); });
    Point();
  }
  void Lock(std::shared_mutex& mutex) override {
    Point();
    Acquire(&mutex, Kind::kLock, [&] { return mutex.try_lock(); });
  }
  void Unlock(std::shared_mutex& mutex) override {
    Record(Kind::kUnlock, ObjectId(&mutex));
    Release(&mutex, [&] { mutex.unlock(); });
    Point();
  }
  void LockShared(std::shared_mutex& mutex) override {
    Point();
    Acquire(&mutex, Kind::kLockShared, [&] { return mutex.try_lock_shared(); });
  }
  void UnlockShared(std::shared_mutex& mutex) override {
    Record(Kind::kUnlockShared, ObjectId(&mutex));
    Release(&mutex, [&] { mutex.unlock_shared(); });
    Point();
  }

  bool Wait(const void* condition, std::mutex& mutex, std::optional<TimePoint> deadline) override;
  void NotifyOne(const void* condition) override;
  void NotifyAll(const void* condition) override;

  internal::SimulatedThreadId StartThread(std::string name, std::function<void()> body) override;
  void JoinThread(internal::SimulatedThreadId id) override;
  internal::SimulatedThreadId ThreadId() const override { return current_->id; }
  std::string_view ThreadName() const override { return current_->name; }
  void Yield() override {
    Record(Kind::kYield, 0);
    Point();
  }

  TimePoint Now() override {
    CountClockRead();
    return now_;
  }
  WallTime WallNow() override {
    CountClockRead();
    return options_.start + (now_ - kSteadyStart);
  }
  void FillEntropy(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(entropy_.Next() >> 56);
  }

  void NameObject(const void* object, const char* name) override { objects_[object] = {++last_object_, name}; }
  void ForgetObject(const void* object) override { objects_.erase(object); }

 private:
  enum class WaitsFor : uint8_t { kNothing, kLock, kCondition, kThreadEnd };

  struct SimulatedThread {
    uint64_t id = 0;
    std::string name;
    std::thread native;

    WaitsFor waits_for = WaitsFor::kNothing;
    const void* awaited = nullptr;  // a lock, a condition or a SimulatedThread
    std::optional<TimePoint> deadline;
    bool timed_out = false;
    bool ended = false;
    std::vector<const void*> held;

    // The only member touched without the baton: it arrives here. Of the kind that is a futex by itself: whoever is
    // given the baton must not find a lock that the giver still holds.
    std::atomic<int> has_baton = 0;
  };

  struct Object {
    uint64_t id = 0;
    const char* name = "";
  };

  SimulatedThread& AddThread(std::string name, std::function<void()> body);
  void EndThread();

  // Passing the baton.
  static void Give(SimulatedThread& thread);
  static void AwaitBaton(SimulatedThread& thread);
  [[noreturn]] static void ParkForEver(SimulatedThread& thread);
  void CountStep() {
    ++steps_;
    CheckLimit();
  }
  // Counted so that a loop that only looks at the clock meets the limit; apart, so that a log line, which looks at the
  // clock and does nothing else, leaves the trace as it is.
  void CountClockRead() {
    ++clock_reads_;
    CheckLimit();
  }
  void CheckLimit();
  void Point();       // the running thread could go on, and perhaps does
  void SwitchAway();  // the running thread cannot go on until it is runnable again
  SimulatedThread* ChooseNext();

  // Waiting.
  void Block(WaitsFor what, const void* awaited, std::optional<TimePoint> deadline);
  void MakeRunnable(SimulatedThread& thread);
  void WakeAll(const void* awaited);
  void FireTimers();

  bool Holds(const void* lock) const {
    return std::find(current_->held.begin(), current_->held.end(), lock) != current_->held.end();
  }
  template <class F>
  void Acquire(const void* lock, Kind kind, F try_lock);
  template <class F>
  void Release(const void* lock, F unlock);

  // Ending.
  void Finish(std::optional<Error> error);
  std::string Report(std::string_view what) const;
  std::string DescribeWait(const SimulatedThread& thread) const;
  std::string DescribeObject(const void* object) const;

  uint64_t ObjectId(const void* object) {
    auto [entry, added] = objects_.try_emplace(object);
    if (added) entry->second.id = ++last_object_;
    return entry->second.id;
  }
  void Record(Kind kind, uint64_t object);

  const SimulationOptions options_;
  Random choices_;
  Random entropy_;

  std::map<uint64_t, std::unique_ptr<SimulatedThread>> threads_;  // until joined
  uint64_t last_thread_ = 0;
  size_t living_ = 0;
  SimulatedThread* current_ = nullptr;
  std::vector<SimulatedThread*> runnable_;  // the running one is among them
  std::unordered_map<const void*, std::vector<SimulatedThread*>> waiters_;
  std::set<std::pair<TimePoint, uint64_t>> timers_;  // deadline, thread

  std::unordered_map<const void*, Object> objects_;  // looked up, never walked: its order depends on addresses
  uint64_t last_object_ = 0;
  TimePoint now_ = kSteadyStart;
  uint64_t steps_ = 0;
  uint64_t clock_reads_ = 0;
  std::deque<SimulationEvent> trace_;
  uint64_t trace_hash_ = 0xcbf29ce484222325;

  // The way back to the caller of Run.
  std::mutex done_mutex_;
  std::condition_variable done_signal_;
  bool done_ = false;
  std::optional<Error> failure_;
};

namespace {

// One thread runs at a time, and is woken by the one before it: on one processor that takes half the time that it takes
// across two. Threads that are started from here inherit it.
void StayOnThisProcessor() {
  const int processor = sched_getcpu();
  if (processor < 0 || processor >= CPU_SETSIZE) return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<size_t>(processor), &only);
  (void)pthread_setaffinity_np(pthread_self(), sizeof(only), &only);  // where it is not allowed, it is slower
}

// std::atomic's own wait looks again for a while before it sleeps, which on one processor only keeps the others
// waiting: without that a simulation of many threads switches a quarter less often.
void SleepWhileZero(std::atomic<int>& word) {
  static_assert(sizeof(word) == sizeof(int) && std::atomic<int>::is_always_lock_free);
  (void)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}
void Wake(std::atomic<int>& word) { (void)syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

}  // namespace

Result<void> Simulation::Baton::Run(std::function<void()> body) {
  current_ = &AddThread("main", std::move(body));
  Give(*current_);
  {
    std::unique_lock lock(done_mutex_);
    done_signal_.wait(lock, [&] { return done_; });
  }
  // Every thread has ended or is parked; the state is ours.
  for (auto& [id, thread] : threads_) {
    if (!thread->native.joinable()) continue;
    failure_ ? thread->native.detach() : thread->native.join();
  }
  if (failure_) return *failure_;
  return {};
}

Simulation::Baton::SimulatedThread& Simulation::Baton::AddThread(std::string name, std::function<void()> body) {
  auto owned = std::make_unique<SimulatedThread>();
  SimulatedThread& thread = *owned;
  thread.id = ++last_thread_;
  thread.name = std::move(name);
  threads_.emplace(thread.id, std::move(owned));
  ++living_;
  runnable_.push_back(&thread);
  thread.native = std::thread([self = shared_from_this(), &thread, body = std::move(body)]() mutable {
    internal::current_scheduler = self.get();
    AwaitBaton(thread);
    if (thread.id == 1) StayOnThisProcessor();
    body();
    body = nullptr;  // what it owns is destroyed inside the simulation
    self->EndThread();
  });
  return thread;
}

void Simulation::Baton::EndThread() {
  SimulatedThread& self = *current_;
  Record(Kind::kEnd, self.id);
  internal::current_scheduler = nullptr;
  self.ended = true;
  --living_;
  std::erase(runnable_, &self);
  WakeAll(&self);
  if (living_ == 0) return Finish(std::nullopt);
  SimulatedThread* next = ChooseNext();
  if (next == nullptr) return Finish(Error::Internal(Report("deadlock: every thread waits")));
  current_ = next;
  Give(*next);
}

internal::SimulatedThreadId Simulation::Baton::StartThread(std::string name, std::function<void()> body) {
  const uint64_t id = AddThread(std::move(name), std::move(body)).id;
  Record(Kind::kStart, id);
  Point();
  return id;
}

void Simulation::Baton::JoinThread(internal::SimulatedThreadId id) {
  Point();
  SimulatedThread& thread = *threads_.at(id);
  while (!thread.ended) Block(WaitsFor::kThreadEnd, &thread, std::nullopt);
  Record(Kind::kJoin, id);
  thread.native.join();  // it has passed the baton on and is leaving
  threads_.erase(id);
}

void Simulation::Baton::Give(SimulatedThread& thread) {
  // Once it has the baton it may end and be gone: only its address is used from there on.
  thread.has_baton.store(1, std::memory_order_release);
  Wake(thread.has_baton);
}

void Simulation::Baton::AwaitBaton(SimulatedThread& thread) {
  while (thread.has_baton.load(std::memory_order_acquire) == 0) SleepWhileZero(thread.has_baton);
  thread.has_baton.store(0, std::memory_order_relaxed);
}

void Simulation::Baton::ParkForEver(SimulatedThread& thread) {
  while (true) SleepWhileZero(thread.has_baton);
}

void Simulation::Baton::CheckLimit() {
  if (steps_ + clock_reads_ < options_.max_steps) return;
  SimulatedThread& self = *current_;
  Finish(Error::Internal(Report(fmt::format("no end after {} steps", options_.max_steps))));
  ParkForEver(self);
}

void Simulation::Baton::Point() {
  CountStep();
  SwitchAway();
}

void Simulation::Baton::SwitchAway() {
  SimulatedThread& self = *current_;
  SimulatedThread* next = ChooseNext();
  if (next == &self) return;
  if (next == nullptr) {
    Finish(Error::Internal(Report("deadlock: every thread waits")));
    ParkForEver(self);
  }
  current_ = next;
  Give(*next);
  AwaitBaton(self);
}

Simulation::Baton::SimulatedThread* Simulation::Baton::ChooseNext() {
  FireTimers();
  if (runnable_.empty()) {
    if (timers_.empty() || timers_.begin()->first == TimePoint::max()) return nullptr;
    now_ = timers_.begin()->first;
    FireTimers();
  }
  if (runnable_.size() == 1) return runnable_.front();
  return runnable_[choices_.Uniform<size_t>(0, runnable_.size() - 1)];
}

void Simulation::Baton::FireTimers() {
  while (!timers_.empty() && timers_.begin()->first <= now_) {
    SimulatedThread& thread = *threads_.at(timers_.begin()->second);
    const auto waiting = waiters_.find(thread.awaited);
    std::erase(waiting->second, &thread);
    if (waiting->second.empty()) waiters_.erase(waiting);
    thread.timed_out = true;
    MakeRunnable(thread);
  }
}

void Simulation::Baton::Block(WaitsFor what, const void* awaited, std::optional<TimePoint> deadline) {
  SimulatedThread& self = *current_;
  self.waits_for = what;
  self.awaited = awaited;
  self.deadline = deadline;
  self.timed_out = false;
  waiters_[awaited].push_back(&self);
  if (deadline) timers_.emplace(*deadline, self.id);
  std::erase(runnable_, &self);
  CountStep();
  SwitchAway();
}

void Simulation::Baton::MakeRunnable(SimulatedThread& thread) {
  if (thread.deadline) timers_.erase({*thread.deadline, thread.id});
  thread.waits_for = WaitsFor::kNothing;
  thread.awaited = nullptr;
  thread.deadline.reset();
  runnable_.push_back(&thread);
}

void Simulation::Baton::WakeAll(const void* awaited) {
  auto entry = waiters_.extract(awaited);
  if (entry.empty()) return;
  for (SimulatedThread* thread : entry.mapped()) MakeRunnable(*thread);
}

template <class F>
void Simulation::Baton::Acquire(const void* lock, Kind kind, F try_lock) {
  if (Holds(lock)) {
    SimulatedThread& self = *current_;
    Finish(Error::Internal(Report(fmt::format("deadlock: thread {} \"{}\" locks {}, which it holds already", self.id,
                                              self.name, DescribeObject(lock)))));
    ParkForEver(self);
  }
  ObjectId(lock);  // numbered now, in case the report must name it
  while (!try_lock()) Block(WaitsFor::kLock, lock, std::nullopt);
  current_->held.push_back(lock);
  Record(kind, ObjectId(lock));
}

template <class F>
void Simulation::Baton::Release(const void* lock, F unlock) {
  std::erase(current_->held, lock);
  unlock();
  WakeAll(lock);
}

bool Simulation::Baton::Wait(const void* condition, std::mutex& mutex, std::optional<TimePoint> deadline) {
  Record(Kind::kWait, ObjectId(condition));
  Release(&mutex, [&] { mutex.unlock(); });
  Block(WaitsFor::kCondition, condition, deadline);
  const bool timed_out = current_->timed_out;
  Record(timed_out ? Kind::kTimeout : Kind::kWake, ObjectId(condition));
  Acquire(&mutex, Kind::kLock, [&] { return mutex.try_lock(); });
  return !timed_out;
}

void Simulation::Baton::NotifyOne(const void* condition) {
  Record(Kind::kNotify, ObjectId(condition));
  if (auto entry = waiters_.find(condition); entry != waiters_.end() && !entry->second.empty()) {
    auto& waiting = entry->second;
    const size_t chosen = choices_.Uniform<size_t>(0, waiting.size() - 1);
    SimulatedThread& thread = *waiting[chosen];
    waiting.erase(waiting.begin() + static_cast<ptrdiff_t>(chosen));
    if (waiting.empty()) waiters_.erase(entry);
    MakeRunnable(thread);
  }
  Point();
}

void Simulation::Baton::NotifyAll(const void* condition) {
  Record(Kind::kNotify, ObjectId(condition));
  WakeAll(condition);
  Point();
}

void Simulation::Baton::Finish(std::optional<Error> error) {
  std::lock_guard lock(done_mutex_);
  failure_ = std::move(error);
  done_ = true;
  done_signal_.notify_one();
}

std::string Simulation::Baton::Report(std::string_view what) const {
  std::string report =
      fmt::format("{} (seed {}, step {}, at {})", what, options_.seed, steps_, Seconds(now_ - kSteadyStart));
  for (const auto& [id, thread] : threads_) {
    if (thread->ended) continue;
    report += fmt::format("\n  thread {} \"{}\" {}", id, thread->name, DescribeWait(*thread));
    for (const void* lock : thread->held) report += fmt::format(", holds {}", DescribeObject(lock));
  }
  return report;
}

std::string Simulation::Baton::DescribeWait(const SimulatedThread& thread) const {
  std::string until = thread.deadline ? fmt::format(" until {}", Seconds(*thread.deadline - kSteadyStart)) : "";
  switch (thread.waits_for) {
    case WaitsFor::kNothing: return "can run";
    case WaitsFor::kLock: return fmt::format("waits for lock {}", DescribeObject(thread.awaited));
    case WaitsFor::kCondition: return fmt::format("waits for condition {}{}", DescribeObject(thread.awaited), until);
    case WaitsFor::kThreadEnd: {
      const auto& other = *static_cast<const SimulatedThread*>(thread.awaited);
      return fmt::format("waits for the end of thread {} \"{}\"", other.id, other.name);
    }
  }
  return "";
}

std::string Simulation::Baton::DescribeObject(const void* object) const {
  const auto entry = objects_.find(object);
  if (entry == objects_.end()) return "(unused)";
  if (*entry->second.name == '\0') return fmt::format("{}", entry->second.id);
  return fmt::format("{} \"{}\"", entry->second.id, entry->second.name);
}

void Simulation::Baton::Record(Kind kind, uint64_t object) {
  const SimulationEvent event{steps_, now_ - kSteadyStart, current_->id, kind, object};
  for (uint64_t field : {event.step, static_cast<uint64_t>(event.time.count()), event.thread,
                         static_cast<uint64_t>(event.kind), event.object}) {
    trace_hash_ = (trace_hash_ ^ field) * 0x100000001b3;
    trace_hash_ ^= trace_hash_ >> 32;
  }
  if (options_.trace_capacity == 0) return;
  if (trace_.size() == options_.trace_capacity) trace_.pop_front();
  trace_.push_back(event);
}

Simulation::Simulation(SimulationOptions options) : options_(options) {}
Simulation::~Simulation() = default;

Result<void> Simulation::Run(std::function<void()> body) {
  if (internal::CurrentScheduler()) {
    return Error::InvalidArgument("a simulation was run inside another one; run it from an ordinary thread");
  }
  if (baton_) return Error::InvalidArgument("this simulation has run already; make a new one for each run");
  baton_ = std::make_shared<Baton>(options_);
  Result<void> result = baton_->Run(std::move(body));
  trace_ = baton_->TakeTrace();
  return result;
}

const std::vector<SimulationEvent>& Simulation::trace() const { return trace_; }
uint64_t Simulation::trace_hash() const { return baton_ ? baton_->trace_hash() : 0; }
Duration Simulation::elapsed() const { return baton_ ? baton_->elapsed() : Duration::zero(); }
uint64_t Simulation::steps() const { return baton_ ? baton_->steps() : 0; }

std::string_view ToString(SimulationEvent::Kind kind) {
  switch (kind) {
    case Kind::kLock: return "lock";
    case Kind::kUnlock: return "unlock";
    case Kind::kLockShared: return "lock-shared";
    case Kind::kUnlockShared: return "unlock-shared";
    case Kind::kWait: return "wait";
    case Kind::kWake: return "wake";
    case Kind::kTimeout: return "timeout";
    case Kind::kNotify: return "notify";
    case Kind::kStart: return "start";
    case Kind::kEnd: return "end";
    case Kind::kJoin: return "join";
    case Kind::kYield: return "yield";
  }
  return "unknown";
}

std::string ToString(const SimulationEvent& event) {
  return fmt::format("{} {} thread {} {} {}", event.step, Seconds(event.time), event.thread, ToString(event.kind),
                     event.object);
}

}  // namespace keelson
