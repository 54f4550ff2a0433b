// A named thread that is joined by destruction.
//
//   class Poller {
//    private:
//     void Loop(const StopToken& stop);
//     Thread thread_{"poller", [this](const StopToken& stop) { Loop(stop); }};  // declared last: ends first
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "keelson/core/stop_token.h"

namespace keelson {

// The body takes a StopToken or nothing. An exception that leaves the body ends the process.
// A Thread itself is used by one thread at a time; RequestStop() may come from any.
class Thread {
 public:
  Thread() = default;
  template <class F>
    requires(std::is_invocable_v<F&, StopToken> || std::is_invocable_v<F&>)
  Thread(std::string name, F body) {
    if constexpr (std::is_invocable_v<F&, StopToken>) {
      Start(std::move(name), [body = std::make_shared<F>(std::move(body)), stop = stop_.token()] { (*body)(stop); });
    } else {
      Start(std::move(name), [body = std::make_shared<F>(std::move(body))] { (*body)(); });
    }
  }
  // Requests stop, then waits for the end.
  ~Thread();
  Thread(Thread&&) noexcept;
  Thread& operator=(Thread&&) noexcept;

  bool Joinable() const { return handle_ != nullptr; }
  void RequestStop() const { stop_.RequestStop(); }
  // Waits for the end without requesting it. Afterwards the thread is not joinable; then this does nothing.
  void Join();

  // Threads the machine runs at once, at least 1. Always 2 in a simulation.
  static unsigned HardwareConcurrency();

 private:
  struct Handle;
  void Start(std::string name, std::function<void()> body);

  StopSource stop_;
  std::shared_ptr<Handle> handle_;  // never shared: of this kind because the template above sees Handle incomplete
};

namespace this_thread {

// Unique among the threads of the process; the same from run to run in a simulation, where the first thread is 1.
uint64_t Id();
// As given to Thread; "main" for a thread that was not started by one.
std::string_view Name();
// Lets another thread run.
void Yield();

}  // namespace this_thread

}  // namespace keelson
