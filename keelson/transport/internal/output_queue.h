// Bytes on their way to a socket: those of answers shared with whoever wrote them, the rest owned.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/string.h"
#include "keelson/transport/internal/exchange.h"

namespace keelson::internal {

// Used on the connection's strand.
class OutputQueue {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Heads, frames and the like. `exchange`: the answer that they are part of, if they are of one.
  void Append(std::string_view bytes, std::shared_ptr<Exchange> exchange = nullptr);
  // A part of an answer's body, shared or owned.
  void AppendBody(String text, size_t offset, size_t size, std::shared_ptr<Exchange> exchange);
  void AppendBody(std::string bytes, std::shared_ptr<Exchange> exchange);

  // The first bytes, in as many pieces as there is room for. Returns the number of pieces.
  size_t Gather(std::span<iovec> pieces) const;
  // The socket took that many. Answers that have no bytes left here or elsewhere, and want to know, go to `drained`.
  void Consume(size_t bytes, std::vector<std::shared_ptr<Exchange>>& drained);
  // There is no socket any more.
  void Clear();

  // The answer that the first byte is of, or null.
  Exchange* first_exchange() const { return segments_.empty() ? nullptr : segments_.front().exchange.get(); }

 private:
  struct Segment {
    std::string owned;
    String shared;  // instead of `owned` when there is one
    size_t offset = 0;
    size_t size = 0;
    std::shared_ptr<Exchange> exchange;
    bool is_body = false;
  };

  std::deque<Segment> segments_;
  size_t size_ = 0;
};

}  // namespace keelson::internal
