#include "keelson/apiserver/store/event_log.h"

#include <algorithm>
#include <utility>

namespace keelson::apiserver::internal {

void EventLog::Append(EventPtr event) {
  bytes_ += BytesOf(*event);
  events_.push_back(std::move(event));
  end_.store(end() + 1, std::memory_order_relaxed);
}

void EventLog::Trim(size_t keep, uint64_t pinned, std::vector<EventPtr>& dropped) {
  while (events_.size() > keep && first() < pinned) DropFront(dropped);
}

void EventLog::Forget(Revision revision, uint64_t pinned, std::vector<EventPtr>& dropped) {
  oldest_ = std::max(oldest_, revision);
  while (!events_.empty() && events_.front()->revision() <= oldest_ && first() < pinned) DropFront(dropped);
}

EventLog::Iterator EventLog::After(Revision revision) const {
  // Most callers ask for the newest few.
  if (events_.empty() || events_.back()->revision() <= revision) return events_.end();
  return std::partition_point(events_.begin(), events_.end(),
                              [&](const EventPtr& event) { return event->revision() <= revision; });
}

void EventLog::CopyFrom(uint64_t place, std::vector<EventPtr>& to) const {
  to.insert(to.end(), events_.begin() + static_cast<std::ptrdiff_t>(place - first()), events_.end());
}

size_t EventLog::BytesOf(const Event& event) {
  size_t bytes = event.previous() == nullptr ? 0 : event.previous()->json().size();
  if (event.kind() == Event::Kind::kDeleted) bytes += event.object()->json().size();
  return bytes;
}

void EventLog::DropFront(std::vector<EventPtr>& dropped) {
  EventPtr& front = events_.front();
  oldest_ = std::max(oldest_, front->revision());
  bytes_ -= BytesOf(*front);
  dropped.push_back(std::move(front));
  events_.pop_front();
}

}  // namespace keelson::apiserver::internal
