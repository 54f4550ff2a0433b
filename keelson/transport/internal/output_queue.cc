#include "keelson/transport/internal/output_queue.h"

#include <algorithm>
#include <utility>

namespace keelson::internal {

namespace {
constexpr size_t kMergeUpTo = 4096;
}  // namespace

void OutputQueue::Append(std::string_view bytes, std::shared_ptr<Exchange> exchange) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  if (!segments_.empty()) {
    Segment& last = segments_.back();
    if (!last.is_body && last.exchange == exchange && last.owned.size() + bytes.size() <= kMergeUpTo) {
      last.owned.append(bytes);
      last.size += bytes.size();
      return;
    }
  }
  segments_.push_back({.owned = std::string(bytes),
                       .shared = {},
                       .offset = 0,
                       .size = bytes.size(),
                       .exchange = std::move(exchange),
                       .is_body = false});
}

void OutputQueue::AppendBody(String text, size_t offset, size_t size, std::shared_ptr<Exchange> exchange) {
  size_ += size;
  segments_.push_back({.owned = {},
                       .shared = std::move(text),
                       .offset = offset,
                       .size = size,
                       .exchange = std::move(exchange),
                       .is_body = true});
}

void OutputQueue::AppendBody(std::string bytes, std::shared_ptr<Exchange> exchange) {
  const size_t size = bytes.size();
  size_ += size;
  segments_.push_back({.owned = std::move(bytes),
                       .shared = {},
                       .offset = 0,
                       .size = size,
                       .exchange = std::move(exchange),
                       .is_body = true});
}

size_t OutputQueue::Gather(std::span<iovec> pieces) const {
  size_t count = 0;
  for (const Segment& segment : segments_) {
    if (count == pieces.size()) break;
    const char* data = (segment.shared.empty() ? segment.owned.data() : segment.shared.data()) + segment.offset;
    pieces[count++] = {.iov_base = const_cast<char*>(data), .iov_len = segment.size};
  }
  return count;
}

void OutputQueue::Consume(size_t bytes, std::vector<std::shared_ptr<Exchange>>& drained) {
  size_ -= bytes;
  while (bytes > 0) {
    Segment& first = segments_.front();
    const size_t size = std::min(bytes, first.size);
    bytes -= size;
    first.offset += size;
    first.size -= size;
    if (first.is_body && first.exchange->Written(size)) drained.push_back(first.exchange);
    if (first.size == 0) segments_.pop_front();
  }
}

void OutputQueue::Clear() {
  std::deque<Segment> segments = std::exchange(segments_, {});
  size_ = 0;
  for (const Segment& segment : segments) {
    if (segment.exchange != nullptr) segment.exchange->Cut();
  }
}

}  // namespace keelson::internal
