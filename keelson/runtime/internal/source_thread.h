// The thread of a source that makes requests by itself.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/thread.h"

namespace keelson::internal {

// Used by one thread. Runs once; destruction stops it.
class SourceThread {
 public:
  using Body = std::function<void(const StopToken& stop)>;

  ~SourceThread() { Stop(); }

  // The body's token stops with this one or by Stop.
  Result<void> Start(const std::string& description, const StopToken& stop, Body body);
  // Returns when the body has.
  void Stop();

 private:
  bool started_ = false;
  Thread thread_;
  std::unique_ptr<StopCallback<std::function<void()>>> chain_;
};

// Calls; an exception is logged with the source's description.
void CallGuarded(const std::string& description, const std::function<void()>& call);

}  // namespace keelson::internal
