#include "keelson/apiserver/store/event.h"

namespace keelson::apiserver {

Event::~Event() {
  for (const std::atomic<String*>& frame : frames_) delete frame.load(std::memory_order_relaxed);
}

String Event::Encoded(Frame frame, const std::function<std::string()>& make) const {
  std::atomic<String*>& slot = frames_[static_cast<size_t>(frame)];
  if (const String* made = slot.load(std::memory_order_acquire)) return *made;
  auto mine = std::make_unique<String>(make());
  String* first = nullptr;
  if (slot.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel)) return *mine.release();
  return *first;
}

}  // namespace keelson::apiserver
