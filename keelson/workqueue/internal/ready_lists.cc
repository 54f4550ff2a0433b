#include "keelson/workqueue/internal/ready_lists.h"

#include <algorithm>

namespace keelson::internal {

namespace {

// Priorities are few. Someone who makes many of them must not leave a level behind for each.
constexpr size_t kManyLevels = 32;

}  // namespace

void EntryRing::Resize(size_t size) {
  std::vector<QueueEntry*> places(size);
  for (uint64_t place = head_; place != tail_; ++place) places[place & (size - 1)] = At(place);
  places_.swap(places);
}

ReadyLists::Level& ReadyLists::FindOrMakeLevel(int32_t priority) {
  auto at =
      std::find_if(levels_.begin(), levels_.end(), [&](const Level& level) { return level.priority <= priority; });
  if (at != levels_.end() && at->priority == priority) return *at;
  if (levels_.size() >= kManyLevels && occupied_ < levels_.size() / 2) {
    std::erase_if(levels_, [](const Level& level) { return level.entries.empty(); });
    at = std::find_if(levels_.begin(), levels_.end(), [&](const Level& level) { return level.priority <= priority; });
  }
  return *levels_.insert(at, {.priority = priority, .entries = {}});
}

ReadyLists::Level& ReadyLists::Choose() {
  Level* highest = nullptr;
  Level* oldest = nullptr;
  for (Level& level : levels_) {
    if (level.entries.empty()) continue;
    if (highest == nullptr) highest = oldest = &level;
    if (occupied_ == 1) break;
    if (level.entries.first().ticket < oldest->entries.first().ticket) oldest = &level;
  }
  if (oldest == highest || passed_over_ == kMaxPassedOver) {
    passed_over_ = 0;
    return *oldest;
  }
  ++passed_over_;
  return *highest;
}

void ReadyLists::Raise(QueueEntry& entry, int32_t priority) {
  Remove(LevelOf(entry.priority), entry);
  entry.priority = priority;
  Push(entry);
}

}  // namespace keelson::internal
