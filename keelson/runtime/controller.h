// Takes requests from sources and has them reconciled, until they succeed.
//
//   auto controller = std::make_shared<Controller<Request>>("apps", ControllerOptions{.workers = 4}, reconcile);
//   controller->AddSource(std::move(source));
//   manager.Add(controller);
//
// Most programs use the builder (builder.h). What a controller promises:
//   - No reconcile before all its sources have synced; a kind that the server does not have yet is waited for, and
//   holds
//     up no other controller. Every ten seconds it says in the log what it waits for.
//   - No two reconciles of one request at a time. Requests that come meanwhile lead to one more.
//   - An error or an exception means: again, with growing delays (rate_limiter.h). Neither ends the process.
//   - Asked to stop it takes no new requests and lets those under way finish.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "keelson/core/log.h"
#include "keelson/core/metrics.h"
#include "keelson/core/mutex.h"
#include "keelson/runtime/context.h"
#include "keelson/runtime/controller_metrics.h"
#include "keelson/runtime/outcome.h"
#include "keelson/runtime/runnable.h"
#include "keelson/runtime/source.h"
#include "keelson/workqueue/rate_limiter.h"

namespace keelson {

struct ControllerOptions {
  int workers = 1;  // reconciles at a time
  // Of one reconcile; its calls end then. 0: none.
  Duration reconcile_timeout{0};
  // After which a source that has not synced ends the manager with an error. 0: never, it is waited for.
  Duration cache_sync_timeout{0};
  // An exception of the reconciler is an error like any other. False: it ends the manager.
  bool recover = true;
  // What was there already, and resyncs, come behind what changes.
  bool low_priority_for_unchanged = true;
  // Runs only while this replica leads. False: in every replica.
  bool needs_leader = true;
  // -v from which it is said that it starts and ends.
  int log_verbosity = 0;
};

// What a reconciler is below its types.
template <class R>
using ReconcileFunction = std::function<Result<Outcome>(Context& context, const R& request)>;

namespace internal {

// All of a controller that does not depend on the type of its requests.
class ControllerCore : public Runnable {
 public:
  std::string name() const override { return name_; }
  std::string description() const override { return "controller " + name_; }
  RunnableGroup group() const override {
    return options_.needs_leader ? RunnableGroup::kLeader : RunnableGroup::kOthers;
  }
  // Returns when every reconcile has ended. Errors: a source could not start or has not synced in time; an exception,
  // where those are not recovered from.
  Result<void> Run(const RunScope& scope) override;

  const ControllerOptions& options() const { return options_; }

 protected:
  // What is to become of a request after a try.
  struct Verdict {
    enum class Next : uint8_t { kForget, kAgainLater, kAgainAt };
    Next next = Next::kForget;
    Duration delay{0};
    CauseType cause = CauseType::kError;
  };

  // The metrics go nowhere when they are default-constructed.
  ControllerCore(std::string name, ControllerOptions options, ControllerMetrics metrics, Logger log)
      : name_(std::move(name)), options_(options), metrics_(std::move(metrics)), log_(std::move(log)) {}

  virtual std::vector<SourceBase*> sources() = 0;
  virtual Result<void> StartSources(const StopToken& stop) = 0;
  // Until stop; on each worker's thread.
  virtual void Work(const RunScope& scope) = 0;
  virtual void ShutDownQueue() = 0;

  // Calls the reconciler; may throw.
  virtual Result<Outcome> Call(Context& context) = 0;

  // Runs one try, counts it, and logs its error.
  Verdict Try(Context& context);
  CallScope ScopeOfReconcile(const RunScope& scope) const;
  const Logger& log() const { return log_; }

 private:
  Result<void> WaitForSources(const StopToken& stop);
  Result<Outcome> Guarded(Context& context);
  Verdict Judge(const Context& context, const Result<Outcome>& result);
  void Report(const Context& context, const Error& error);

  // Constant after construction.
  const std::string name_;
  const ControllerOptions options_;
  const ControllerMetrics metrics_;
  const Logger log_;

  StopSource ended_;  // asked to, or by an error

  Mutex mutex_{"controller"};
  // Guarded by mutex_.
  std::optional<Error> fatal_;
};

template <class R>
Logger DescribeRequest(const Logger& log, const void* request) {
  const R& typed = *static_cast<const R*>(request);
  if constexpr (std::is_same_v<R, ObjectKey>) {
    return log.WithValues("namespace", typed.namespace_, "name", typed.name);
  } else {
    return log.WithValues("request", typed);
  }
}

template <class R>
std::string RequestText(const R& request) {
  if constexpr (std::is_same_v<R, ObjectKey>) {
    return request.ToString();
  } else if constexpr (std::is_convertible_v<const R&, std::string_view>) {
    return std::string(std::string_view(request));
  } else if constexpr (std::is_arithmetic_v<R>) {
    return std::to_string(request);
  } else {
    return std::string(ToString(request));
  }
}

}  // namespace internal

// What a controller needs beside its name and function. The members that are left out work.
template <class R>
struct ControllerParts {
  ControllerOptions options = {};
  std::unique_ptr<RateLimiter<R>> rate_limiter = DefaultRateLimiter<R>();
  ControllerMetrics metrics = {};
  QueueMetrics queue_metrics = {};
  Logger log = Logger("controller");
};

// Sources are added before it runs. Runs once.
template <class R = Request>
class Controller final : public internal::ControllerCore {
 public:
  Controller(std::string name, ReconcileFunction<R> reconcile, ControllerParts<R> parts = {})
      : ControllerCore(std::move(name), parts.options, parts.metrics, std::move(parts.log)),
        reconcile_(std::move(reconcile)),
        queue_({.metrics = parts.queue_metrics}, std::move(parts.rate_limiter)) {}

  void AddSource(std::unique_ptr<Source<R>> source) { sources_.push_back(std::move(source)); }
  // The requests under way, those that take longest first.
  std::string activity() override {
    std::string text;
    for (const R& request : queue_.Running(10)) {
      text += (text.empty() ? "" : ", ") + internal::RequestText(request);
    }
    return text;
  }
  // Requests may be added by hand at any time.
  RequestQueue<R>& queue() { return queue_; }

 private:
  std::vector<SourceBase*> sources() override {
    std::vector<SourceBase*> all;
    for (const auto& source : sources_) all.push_back(source.get());
    return all;
  }
  Result<void> StartSources(const StopToken& stop) override {
    for (const auto& source : sources_) KEELSON_RETURN_IF_ERROR(source->Start(queue_, stop));
    return {};
  }
  void ShutDownQueue() override { queue_.ShutDown(); }
  void Work(const RunScope& scope) override {
    while (typename RequestQueue<R>::Item item = queue_.Get(scope.stop)) {
      Context context({.scope = ScopeOfReconcile(scope), .stop = scope.stop, .priority = item->priority, .log = log()});
      context.causes_ = &item->causes;
      context.describe_ = internal::DescribeRequest<R>;
      context.failures_of_ = [](void* queue, const void* request) {
        return static_cast<RequestQueue<R>*>(queue)->NumRequeues(*static_cast<const R*>(request));
      };
      context.queue_ = &queue_;
      context.request_ = &item->key;
      Settle(*item, Try(context));
    }
  }
  Result<Outcome> Call(Context& context) override {
    return reconcile_(context, *static_cast<const R*>(context.request_));
  }
  void Settle(const keelson::Work<R, Cause>& work, const Verdict& verdict);

  const ReconcileFunction<R> reconcile_;
  RequestQueue<R> queue_;
  std::vector<std::unique_ptr<Source<R>>> sources_;  // before the queue's end they are stopped
};

template <class R>
void Controller<R>::Settle(const keelson::Work<R, Cause>& work, const Verdict& verdict) {
  using Next = typename Verdict::Next;
  if (verdict.next == Next::kAgainLater) {
    queue_.AddRateLimited(work.key, {.priority = work.priority, .causes = {{.type = verdict.cause}}});
    return;
  }
  queue_.Forget(work.key);
  if (verdict.next == Next::kAgainAt) {
    queue_.AddAfter(work.key, verdict.delay, {.priority = work.priority, .causes = {{.type = verdict.cause}}});
  }
}

}  // namespace keelson
