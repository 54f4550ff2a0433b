#include "keelson/cache/wait_for_cache_sync.h"

#include <utility>

namespace keelson::internal {

Error NotSynced(Wake wake, const std::string& what, const Error* last_error) {
  std::string message = "the cache of " + what + " has not synced";
  if (last_error != nullptr) message += ": " + last_error->message();
  if (wake == Wake::kStopped) return Error::Cancelled("stopped while " + std::move(message));
  return Error(ErrorCode::kTimeout, std::move(message));
}

}  // namespace keelson::internal
