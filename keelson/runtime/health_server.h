// /healthz and /readyz: what a kubelet asks a program.
//
//   HealthServer server({.bind_address = ":8081"});
//   server.live().Add("leader", [&] { return elector.CheckHealth(); });
//   manager.Add(server);
//
// GET /healthz is 200 "ok" when all checks pass, else 500 with a line for each: "[+]ping ok", "[-]leader failed: reason
// withheld"; the reasons are logged. ?verbose shows the lines of a success too, ?exclude=name leaves a check out,
// /healthz/name is that check alone, with its reason. Checks run on threads of the server's own (two at most), so one
// that hangs holds up only others like it: then more requests than those that wait already get 503.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "keelson/core/result.h"
#include "keelson/runtime/health_checks.h"
#include "keelson/runtime/runnable.h"

namespace keelson {

struct HealthServerOptions {
  // "127.0.0.1:8081", ":8081" for all addresses, port 0 for any free one; "" and "0": no server (bind_address.h).
  std::string bind_address = {};
  std::string live_path = "/healthz";
  std::string ready_path = "/readyz";
};

// Thread-safe. With no address to listen on, Run returns at once.
class HealthServer final : public Runnable {
 public:
  explicit HealthServer(HealthServerOptions options);
  ~HealthServer() override;

  // Checks may be added at any time.
  HealthChecks& live();
  HealthChecks& ready();

  std::string name() const override { return "health server"; }
  RunnableGroup group() const override { return RunnableGroup::kServers; }
  // Errors: an address that is malformed, taken or not ours; a simulation.
  Result<void> Run(const RunScope& scope) override;
  // Until it listens, or cannot.
  Result<void> WaitUntilReady(const StopToken& stop) override;
  uint16_t port() const;  // 0: it does not listen

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace keelson
