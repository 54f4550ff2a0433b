#include "keelson/runtime/request_workers.h"

#include <exception>
#include <utility>

#include "keelson/core/log.h"
#include "keelson/runtime/routes.h"

namespace keelson {

RequestWorkers::RequestWorkers(HttpHandler& handler, RequestWorkersOptions options)
    : handler_(handler), options_(std::move(options)) {}

RequestWorkers::~RequestWorkers() {
  std::deque<Waiting> dropped;
  std::vector<Thread> threads;
  {
    MutexLock lock(mutex_);
    dropped.swap(queue_);
    threads.swap(threads_);
  }
  for (const Thread& thread : threads) thread.RequestStop();
  dropped.clear();  // their clients need not wait for the threads
}

void RequestWorkers::Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) {
  {
    MutexLock lock(mutex_);
    if (queue_.size() < options_.queue) {
      queue_.push_back({std::move(request), std::move(response)});
      if (queue_.size() > idle_ && threads_.size() < options_.threads) {
        threads_.emplace_back(options_.name + " " + std::to_string(threads_.size() + 1),
                              [this](const StopToken& stop) { Work(stop); });
      }
      arrived_.NotifyOne();
      return;
    }
  }
  SendPage(request, *response,
           {.status = 503, .body = "503 too many requests wait already\n", .headers = {{"Retry-After", "1"}}});
}

void RequestWorkers::Work(const StopToken& stop) {
  while (true) {
    Waiting taken;
    {
      MutexLock lock(mutex_);
      ++idle_;
      const Wake wake = arrived_.Wait(lock, stop, [&] { return !queue_.empty(); });
      --idle_;
      if (wake == Wake::kStopped || stop.StopRequested()) return;
      taken = std::move(queue_.front());
      queue_.pop_front();
    }
    const std::string path = taken.request.path;
    try {
      handler_.Handle(std::move(taken.request), std::move(taken.response));
    } catch (const std::exception& failure) {
      Logger("http").Error(Error::Internal(failure.what()), "A request's handler threw", "path", path);
    }
  }
}

}  // namespace keelson
