#include "keelson/core/internal/scheduler.h"

namespace keelson::internal {

constinit thread_local Scheduler* current_scheduler = nullptr;

}  // namespace keelson::internal
