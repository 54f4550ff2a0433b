// Waiting until caches have had a whole list, before the first look at them.
//
//   KEELSON_RETURN_IF_ERROR(WaitForCacheSync(stop, pods, services, registration));
//
// Takes informers, factories and the registrations of handlers.
#pragma once

#include <string>

#include "keelson/core/cond_var.h"
#include "keelson/core/error.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"

namespace keelson {

namespace internal {
Error NotSynced(Wake wake, const std::string& what, const Error* last_error);
}

// An error when stop or the deadline came first; it says of what, and what failed there last.
template <class... Sources>
Result<void> WaitForCacheSync(const StopToken& stop, TimePoint deadline, const Sources&... sources) {
  std::optional<Error> error;
  const auto wait = [&](const auto& source) {
    const Wake wake = source.WaitForSync(stop, deadline);
    if (wake == Wake::kReady) return true;
    std::optional<Error> last;
    if constexpr (requires { source.last_error(); }) last = source.last_error();
    error = internal::NotSynced(wake, source.description(), last ? &*last : nullptr);
    return false;
  };
  (void)(wait(sources) && ...);
  if (error) return *std::move(error);
  return {};
}
template <class First, class... Sources>
  requires requires(const First& first, const StopToken& stop) { first.WaitForSync(stop); }
Result<void> WaitForCacheSync(const StopToken& stop, const First& first, const Sources&... sources) {
  return WaitForCacheSync(stop, TimePoint::max(), first, sources...);
}

}  // namespace keelson
