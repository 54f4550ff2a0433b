// The demo from its start to its end: a control plane, the operators, their objects, and a look at all of it.
#pragma once

#include <string>

#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "screen.h"

namespace demo {

struct DemoOptions {
  std::string examples;  // folder of the examples
  std::string programs;  // folder of their programs
  std::string dir = {};  // for kubeconfig and logs, which stay there; empty: a temporary one
  keelson::Duration timeout = std::chrono::seconds(120);  // for all objects to converge, each time
  bool stay = false;                                      // up until a stop
};

// Nothing is left when it returns. Errors: what did not converge and why; an operator that ended, with the last lines
// of its log; a stop before all had converged.
keelson::Result<void> RunDemo(const DemoOptions& options, Screen& screen, const keelson::StopToken& stop);

}  // namespace demo
