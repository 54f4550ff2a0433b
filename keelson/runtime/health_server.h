// /healthz and /readyz: what a kubelet asks a program.
//
//   HealthChecks live;
//   live.Add("leader", [&] { return elector.CheckHealth(); });
//   server.SetLiveChecks(...)
//
// GET /healthz is 200 "ok" when all checks pass, else 500 with a line for each: "[+]ping ok", "[-]leader failed: reason
// withheld"; the reasons are logged. ?verbose shows the lines of a success too, ?exclude=name leaves a check out,
// /healthz/name is that check alone.
#pragma once

#include <functional>
#include <string>

#include "keelson/core/result.h"

namespace keelson {

// Called by any thread; does not take long.
using HealthCheck = std::function<Result<void>()>;

struct HealthServerOptions {
  // "127.0.0.1:8081", ":8081" for all addresses, port 0 for any free one; "" and "0": no server.
  std::string bind_address = {};
  std::string live_path = "/healthz";
  std::string ready_path = "/readyz";
};

}  // namespace keelson
