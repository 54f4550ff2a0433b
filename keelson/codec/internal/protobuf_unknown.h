// Unknown fields on their way from where they were found to the object that keeps them.
//
// Their paths are put together from the inside out, because the keys that name an element of a list are known only when
// it has been read: whoever has read a part adds its step to the paths of all that were found in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/values.h"

namespace keelson::internal {

// Merging what should have come together and naming unknown fields cost more than the bytes they come from. This much
// is allowed, in bytes moved, so that no input takes unreasonably long.
class WorkBudget {
 public:
  void Begin(size_t message_bytes) { left_ = kBase + kPerByte * message_bytes; }
  [[nodiscard]] bool Spend(size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  static constexpr size_t kBase = size_t{1} << 30;
  static constexpr size_t kPerByte = 64;

  size_t left_ = 0;
};

class ProtobufUnknown {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  // Messages that have any, so far: compare with an earlier count to learn whether a part had some.
  size_t count() const { return count_; }

  void Clear() {
    found_.clear();
    count_ = 0;
  }
  // `*message` is kNone at the first field of each message.
  void Keep(size_t* message, std::string_view field);
  // In front of the paths of all since the count was `mark`. False when that is too much work.
  [[nodiscard]] bool AddStep(size_t mark, const std::string& step, WorkBudget& budget);
  // Those since `mark`, into the object. False when that is too much work, or too long.
  [[nodiscard]] bool File(size_t mark, UnknownFields& fields, WorkBudget& budget);

 private:
  struct Found {
    std::vector<std::string> steps;  // innermost first
    std::string bytes;
  };

  std::vector<Found> found_;
  size_t count_ = 0;  // its size, at hand
};

}  // namespace keelson::internal
