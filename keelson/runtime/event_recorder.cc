#include "keelson/runtime/event_recorder.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <exception>

#include "keelson/core/clock.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/runtime/internal/event_tally.h"
#include "keelson/runtime/internal/event_writer.h"

namespace keelson {

namespace {

constexpr size_t kMaxInstance = 128;  // bytes; the server refuses more

std::string HostName() {
  char host[256] = {};
  return gethostname(host, sizeof host - 1) == 0 ? std::string(host) : std::string("unknown");
}

}  // namespace

namespace internal {

// Between recorders, which put in, and the broadcaster's thread, which takes out. Thread-safe.
class EventQueue {
 public:
  EventQueue(size_t capacity, const EventMetrics& metrics) : capacity_(capacity), tally_(metrics) {}

  void Put(EventRecord record) {
    bool begins_to_drop = false;
    {
      MutexLock lock(mutex_);
      if (closed_) return tally_.Count(EventOutcome::kStopped);
      if (records_.size() + under_way_ >= capacity_) {
        begins_to_drop = !std::exchange(dropping_, true);
        tally_.Count(EventOutcome::kQueueFull);
      } else {
        dropping_ = false;
        // Names are made of times, and two events at one moment must not have one name.
        record.at = std::max(Clock::Now(), last_at_);
        record.time = std::max(Clock::WallNow(), last_time_ + Duration(1));
        last_at_ = record.at;
        last_time_ = record.time;
        records_.push_back(std::move(record));
        tally_.Count(EventOutcome::kRecorded);
      }
    }
    if (begins_to_drop) {
      log_.Warning("Too many events wait to be written; new ones are dropped", "capacity", capacity_);
    } else {
      changed_.NotifyAll();
    }
  }

  struct Taken {
    std::deque<EventRecord> records;
    bool closed = false;
  };
  // Waits for records, for Close, or until the deadline. What waits elsewhere counts against the capacity.
  Taken Take(TimePoint deadline, size_t under_way, bool was_closed) {
    MutexLock lock(mutex_);
    under_way_ = under_way;
    (void)changed_.WaitUntil(lock, deadline, abort_.token(),
                             [&] { return !records_.empty() || closed_ != was_closed; });
    Taken taken{.records = std::exchange(records_, {}), .closed = closed_};
    under_way_ += taken.records.size();
    return taken;
  }

  void Close() {
    {
      MutexLock lock(mutex_);
      closed_ = true;
    }
    changed_.NotifyAll();
  }
  // The thread has ended, with so much left undone.
  void Finish(size_t left) {
    {
      MutexLock lock(mutex_);
      finished_ = true;
      left_ = left;
    }
    changed_.NotifyAll();
  }
  // Ends the thread when the time is over.
  void AwaitFinish(TimePoint deadline) {
    MutexLock lock(mutex_);
    const Wake wake = changed_.WaitUntil(lock, deadline, {}, [&] { return finished_; });
    lock.Unlock();
    if (wake != Wake::kReady) abort_.RequestStop();
  }
  size_t left() {
    MutexLock lock(mutex_);
    return left_;
  }

  EventTally& tally() { return tally_; }
  StopToken abort() const { return abort_.token(); }

 private:
  const size_t capacity_;
  const Logger log_{"events"};
  EventTally tally_;
  StopSource abort_;

  Mutex mutex_{"events"};
  CondVar changed_{"events changed"};
  // Guarded by mutex_.
  std::deque<EventRecord> records_;
  size_t under_way_ = 0;
  TimePoint last_at_{};
  WallTime last_time_{};
  bool dropping_ = false;
  bool closed_ = false;
  bool finished_ = false;
  size_t left_ = 0;
};

}  // namespace internal

// What the thread does.
class EventBroadcaster::Loop {
 public:
  Loop(const EventBroadcasterOptions& options, internal::EventQueue& queue) : options_(options), queue_(queue) {
    if (options.client) {
      writer_.emplace(*options.client,
                      internal::EventWriterOptions{.correlator = options.correlator,
                                                   .series = options.series,
                                                   .max_tries = options.max_tries,
                                                   .retry_delay = options.retry_delay,
                                                   .request_timeout = options.request_timeout},
                      queue.tally());
    }
  }

  void Run() {
    const StopToken abort = queue_.abort();
    bool draining = false;
    do {
      Take(writer_ ? writer_->next_due() : TimePoint::max(), draining);
      if (writer_) writer_->Work(Clock::Now(), abort);
    } while (!(draining && waiting() == 0) && !abort.StopRequested());
    // What came while the last request was under way is for the sinks, and counts as lost to the server.
    Take({}, draining);
    queue_.tally().Count(EventOutcome::kStopped, waiting());
    queue_.Finish(waiting());
  }

 private:
  size_t waiting() const { return writer_ ? writer_->waiting() : 0; }

  void Take(TimePoint deadline, bool& draining) {
    const internal::EventQueue::Taken taken = queue_.Take(deadline, waiting(), draining);
    for (const EventRecord& record : taken.records) Hand(record);
    if (!taken.closed || std::exchange(draining, true)) return;
    if (writer_) writer_->BeginDrain();
  }

  void Hand(const EventRecord& record) {
    const corev1::ObjectReference& object = record.regarding;
    log_.V(options_.log_verbosity)
        .Info("Event occurred", "object",
              ObjectKey{.namespace_ = object.namespace_.str(), .name = object.name.str()}.ToString(), "fieldPath",
              object.fieldPath.view(), "kind", object.kind.view(), "apiVersion", object.apiVersion.view(), "type",
              ToString(record.type), "reason", record.reason.view(), "message", record.message.view());
    if (options_.sink) {
      try {
        options_.sink(record);
      } catch (const std::exception& exception) {
        log_.Error(Error::Internal(exception.what()), "A sink of events threw");
      } catch (...) {
        log_.Error(Error::Internal("not a std::exception"), "A sink of events threw");
      }
    }
    if (writer_) writer_->Add(record);
  }

  const EventBroadcasterOptions& options_;
  internal::EventQueue& queue_;
  const Logger log_{"events"};
  std::optional<internal::EventWriter> writer_;
};

EventBroadcaster::EventBroadcaster(EventBroadcasterOptions options)
    : options_(std::move(options)),
      queue_(std::make_shared<internal::EventQueue>(options_.capacity, options_.metrics)),
      thread_("events", [this] { Loop(options_, *queue_).Run(); }) {}

EventBroadcaster::~EventBroadcaster() { (void)Stop(options_.drain); }

EventRecorder EventBroadcaster::RecorderFor(std::string_view controller, const EventRecorderOptions& options) const {
  return EventRecorder(queue_, controller, options);
}

Result<void> EventBroadcaster::Stop(Duration patience) {
  if (stopped_) return *stopped_;
  queue_->Close();
  queue_->AwaitFinish(SaturatingAdd(Clock::Now(), patience));
  thread_.Join();
  if (const size_t left = queue_->left(); left > 0) {
    stopped_ =
        Error(ErrorCode::kTimeout, fmt::format("{} events could not be written within {}; look for \"events\" in "
                                               "the log at -v=2 for the reason",
                                               left, FormatDuration(patience)));
  } else {
    stopped_ = Result<void>();
  }
  return *stopped_;
}

uint64_t EventBroadcaster::count(EventOutcome outcome) const { return queue_->tally().count(outcome); }

EventRecorder::EventRecorder(std::shared_ptr<internal::EventQueue> queue, std::string_view controller,
                             const EventRecorderOptions& options)
    : queue_(std::move(queue)), api_(options.api), controller_(controller), instance_(options.instance) {
  if (api_ == EventApi::kEvents && instance_.empty()) {
    instance_ = fmt::format("{}-{}", controller, HostName()).substr(0, kMaxInstance);
  }
}

void EventRecorder::Record(corev1::ObjectReference object, EventType type, std::string_view reason,
                           std::string_view message, EventDetails details) const {
  if (object.kind.empty()) {
    queue_->tally().Count(EventOutcome::kNoReference);
    Logger("events").Error(Error::InvalidArgument("the object does not say its kind"), "An event was not recorded",
                           "name", object.name.view(), "reason", reason, "message", message);
    return;
  }
  const bool plain = api_ == EventApi::kCore;
  queue_->Put({.api = api_,
               .type = type,
               .regarding = std::move(object),
               .related = plain ? Optional<corev1::ObjectReference>() : std::move(details.related),
               .reason = reason,
               .action = plain                    ? String()
                         : details.action.empty() ? String(reason)
                                                  : String(details.action),
               .message = message,
               .annotations = std::move(details.annotations),
               .controller = controller_,
               .instance = instance_});
}

}  // namespace keelson
