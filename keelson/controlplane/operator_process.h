// For tests: an operator as if it were a process of its own, that is started, stopped and killed, and whose way to the
// server is counted and may be bad.
//
//   Result<void> RunApp(Client client, const StopToken& stop) {       // what main does, without flags
//     KEELSON_TRY(manager, Manager::Make(std::move(client)));
//     AppReconciler reconciler(manager.client(), manager.RecorderFor("app-controller"));
//     KEELSON_RETURN_IF_ERROR(AddAppController(manager, reconciler));
//     return manager.Run(stop);
//   }
//
//   OperatorProcess process(control_plane->client(), RunApp);          // runs until the end of its scope
//   process.Kill();
//   …
//   process.Start();
//
// For one that suffers, faults are drawn from a seed (transport/faulty_transport.h, run_seeds.h):
//
//   OperatorProcess process(client, RunApp, {.faults = DrawFaults(random), .seed = seed});
//   …
//   process.Heal();
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "keelson/client/client.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/thread.h"
#include "keelson/transport/faulty_transport.h"

namespace keelson {

struct OperatorProcessOptions {
  Faults faults = {};
  uint64_t seed = 1;  // of their luck; each life has another
};

// Used by one thread.
class OperatorProcess {
 public:
  // Runs until stop is requested. An error before that ends the program that tests it, with the message.
  using Main = std::function<Result<void>(Client client, const StopToken& stop)>;

  // Starts it. What `main` refers to outlives it.
  OperatorProcess(const Client& client, Main main, const OperatorProcessOptions& options = {});
  // Stops it, if it runs.
  ~OperatorProcess();
  OperatorProcess(const OperatorProcess&) = delete;
  OperatorProcess& operator=(const OperatorProcess&) = delete;

  // A new life, unless it runs.
  void Start();
  // As SIGTERM does: what is under way comes to its end.
  void Stop();
  // As SIGKILL does: nothing more of it reaches the server, and it hears of nothing.
  void Kill();
  // Killed and started.
  void Restart();
  // Nothing goes wrong any more, in this life and in those to come.
  void Heal();

  bool running() const { return thread_.has_value(); }
  // That of the present life, or of the last.
  FaultyTransport& line() const { return *line_; }

 private:
  const std::shared_ptr<Transport> server_;
  const Main main_;
  const uint64_t seed_;
  Faults faults_;
  uint64_t lives_ = 0;
  std::atomic<bool> killed_ = false;
  std::shared_ptr<FaultyTransport> line_;
  std::optional<Thread> thread_;  // declared last: ends first
};

}  // namespace keelson
