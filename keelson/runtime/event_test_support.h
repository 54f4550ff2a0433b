// For tests of events: an API server that can be cut off, what was asked of it, and a test's body on virtual time.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/events/v1.h"
#include "keelson/client/client.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/simulation.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/in_process_transport.h"
#include "keelson/transport/transport.h"

namespace keelson {

// Between a client and its server. Thread-safe.
class Gate final : public Transport {
 public:
  enum class State {
    kOpen,
    kRefuses,      // no connection
    kUnavailable,  // 503
    kHangs,        // no answer before the deadline
    kLosesAnswers  // the server does what was asked, and nobody hears of it
  };
  struct Request {
    std::string method, path, type, body;
  };

  explicit Gate(Transport& inner) : inner_(inner) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    State state;
    {
      MutexLock lock(mutex_);
      const std::string_view* type = request.headers.Find("Content-Type");
      requests_.push_back({request.method, request.target.substr(0, request.target.find('?')),
                           std::string(type ? *type : ""), request.body});
      state = state_;
      if (chance_ > 0 && random_.Chance(chance_)) {
        state = random_.Chance(0.5) ? State::kRefuses : State::kLosesAnswers;
      }
    }
    switch (state) {
      case State::kOpen: return inner_.Send(std::move(request), scope);
      case State::kRefuses: return Broken(false);
      case State::kUnavailable: {
        HttpResponse response;
        response.status = 503;
        response.body = std::make_unique<NoBody>();
        return response;
      }
      case State::kHangs:
        if (SleepUntil(scope.deadline, scope.stop) == Wake::kStopped) return Error::Cancelled("stopped");
        return Error(ErrorCode::kTimeout, "no answer");
      case State::kLosesAnswers: {
        const Result<HttpResponse> lost = inner_.Send(std::move(request), scope);
        return Broken(lost.has_value());
      }
    }
    return Broken(false);
  }

  void Set(State state) {
    MutexLock lock(mutex_);
    state_ = state;
  }
  // That share of requests is refused or loses its answer.
  void SetFaults(double chance, uint64_t seed) {
    MutexLock lock(mutex_);
    chance_ = chance;
    random_ = Random(seed);
  }
  std::vector<Request> requests() {
    MutexLock lock(mutex_);
    return requests_;
  }
  // "POST PATCH PATCH"
  std::string methods() {
    std::string text;
    for (const Request& request : requests()) text += (text.empty() ? "" : " ") + request.method;
    return text;
  }

 private:
  class NoBody final : public BodyStream {
    Result<std::string_view> Next() override { return std::string_view(); }
  };
  static Error Broken(bool sent) {
    return Error(ErrorCode::kUnavailable, "the connection broke")
        .WithDetail(std::make_shared<TransportErrorDetail>(TransportFailure::kReset, sent));
  }

  Transport& inner_;
  Mutex mutex_{"gate"};
  // Guarded by mutex_.
  State state_ = State::kOpen;
  double chance_ = 0;
  Random random_{0};
  std::vector<Request> requests_;
};

struct EventCluster {
  explicit EventCluster(std::unique_ptr<HttpHandler> api_server)
      : server(std::move(api_server)),
        transport(*server, {.common_name = "admin", .organizations = {"system:masters"}}),
        gate(std::make_shared<Gate>(transport)),
        client(gate),
        sure(std::make_shared<InProcessTransport>(*server,
                                                  Peer{.common_name = "admin", .organizations = {"system:masters"}})) {}

  std::vector<corev1::Event> events() const {
    const auto list = sure.List<corev1::Event>();
    EXPECT_TRUE(list) << list.error().message();
    return list ? std::vector<corev1::Event>(list->items.begin(), list->items.end()) : std::vector<corev1::Event>();
  }
  std::vector<eventsv1::Event> new_events() const {
    const auto list = sure.List<eventsv1::Event>();
    EXPECT_TRUE(list) << list.error().message();
    return list ? std::vector<eventsv1::Event>(list->items.begin(), list->items.end()) : std::vector<eventsv1::Event>();
  }

  std::unique_ptr<HttpHandler> server;
  InProcessTransport transport;
  std::shared_ptr<Gate> gate;
  Client client;  // through the gate
  Client sure;
};

// A custom resource without a C++ type.
inline Unstructured TestCount() {
  return Unstructured::Parse(R"({"apiVersion": "demo.mark8s.io/v1", "kind": "Count",
      "metadata": {"name": "test-count", "namespace": "default",
                   "uid": "f702028e-363c-4959-9bc9-bee146b1d746", "resourceVersion": "11980682"}})")
      .value();
}

inline void InSimulation(const std::function<void()>& body, uint64_t seed = 1) {
  Simulation simulation({.seed = seed});
  const Result<void> done = simulation.Run(body);
  ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
}

}  // namespace keelson
