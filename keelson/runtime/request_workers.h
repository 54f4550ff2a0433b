// Serves requests on threads of its own, so that a handler that waits does not hold up the sockets.
//
//   RequestWorkers workers(routes, {.name = "metrics", .threads = 4});
//   HttpServer::Start(workers, …);
//
// Bounded: when all threads are busy and the queue is full, a request is answered 503 at once. Threads are started when
// they are first needed.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"
#include "keelson/transport/handler.h"

namespace keelson {

struct RequestWorkersOptions {
  std::string name = "requests";  // of the threads
  size_t threads = 4;
  size_t queue = 64;  // requests that wait for one
};

// Thread-safe. Destruction drops requests that wait, and waits for those under way.
class RequestWorkers final : public HttpHandler {
 public:
  // The handler outlives this. What it throws is logged, and cuts its answer.
  RequestWorkers(HttpHandler& handler, RequestWorkersOptions options);
  ~RequestWorkers() override;
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override;

 private:
  struct Waiting {
    ServerRequest request;
    std::shared_ptr<ResponseWriter> response;
  };
  void Work(const StopToken& stop);

  HttpHandler& handler_;
  const RequestWorkersOptions options_;

  Mutex mutex_{"request workers"};
  CondVar arrived_{"request"};
  // Guarded by mutex_.
  std::deque<Waiting> queue_;
  size_t idle_ = 0;
  std::vector<Thread> threads_;
};

}  // namespace keelson
