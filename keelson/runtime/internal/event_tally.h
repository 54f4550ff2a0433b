// Counts outcomes, for the program itself and for its metrics.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "keelson/runtime/event_metrics.h"

namespace keelson::internal {

// Thread-safe.
class EventTally {
 public:
  explicit EventTally(EventMetrics metrics) : metrics_(std::move(metrics)) {}

  void Count(EventOutcome outcome, uint64_t by = 1) {
    const auto index = static_cast<size_t>(outcome);
    counts_[index].fetch_add(by, std::memory_order_relaxed);
    metrics_.outcomes[index].Increment(static_cast<double>(by));
  }
  uint64_t count(EventOutcome outcome) const {
    return counts_[static_cast<size_t>(outcome)].load(std::memory_order_relaxed);
  }

 private:
  const EventMetrics metrics_;
  std::array<std::atomic<uint64_t>, kEventOutcomes> counts_ = {};
};

}  // namespace keelson::internal
