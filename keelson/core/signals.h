// SIGINT and SIGTERM as a request to stop.
//
//   int main() {
//     StopSignals signals;
//     return Serve(signals.token()) ? 0 : 1;
//   }
//
// The first signal requests the stop; a second one exits the process with status 1 at once, whatever its threads do.
#pragma once

#include <memory>

#include "keelson/core/stop_token.h"

namespace keelson {

// Signals are heard while one of these lives; with the last one they mean again what they meant before. Several at a
// time share one token. Thread-safe. Inside a simulation signals are left alone, and the token never stops.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  StopToken token() const;

 private:
  class Watch;
  std::shared_ptr<Watch> watch_;  // null in a simulation
};

}  // namespace keelson
