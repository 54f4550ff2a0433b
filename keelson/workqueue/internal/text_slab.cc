#include "keelson/workqueue/internal/text_slab.h"

#include <cstring>

namespace keelson::internal {

namespace {

// Said by the two bytes before a text that is too long for them: its length is in the eight bytes before these.
constexpr uint16_t kLong = 0xffff;

size_t Units(size_t size, size_t unit) { return (sizeof(uint16_t) + size + unit - 1) / unit; }

}  // namespace

char* TextSlab::Store(std::string_view text) {
  if (text.size() > kLongest) {
    char* block = new char[sizeof(uint64_t) + sizeof kLong + text.size()];
    const uint64_t size = text.size();
    std::memcpy(block, &size, sizeof size);
    char* stored = block + sizeof size;
    std::memcpy(stored, &kLong, sizeof kLong);
    std::memcpy(stored + sizeof kLong, text.data(), text.size());
    return stored;
  }
  const size_t units = Units(text.size(), kUnit);
  char* stored = free_[units];
  if (stored != nullptr) {
    std::memcpy(&free_[units], stored, sizeof(char*));
  } else {
    if (used_ + units * kUnit > kBlock) {
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlock));
      used_ = 0;
    }
    stored = blocks_.back().get() + used_;
    used_ += units * kUnit;
  }
  const auto size = static_cast<uint16_t>(text.size());
  std::memcpy(stored, &size, sizeof size);
  if (!text.empty()) std::memcpy(stored + sizeof size, text.data(), text.size());
  ++texts_;
  return stored;
}

std::string_view TextSlab::View(const char* stored) {
  uint16_t size;
  std::memcpy(&size, stored, sizeof size);
  if (size != kLong) return {stored + sizeof size, size};
  uint64_t long_size;
  std::memcpy(&long_size, stored - sizeof long_size, sizeof long_size);
  return {stored + sizeof size, long_size};
}

void TextSlab::Free(char* stored) {
  const size_t size = View(stored).size();
  if (size > kLongest) {
    delete[] (stored - sizeof(uint64_t));
    return;
  }
  if (--texts_ == 0) return Clear();
  const size_t units = Units(size, kUnit);
  std::memcpy(stored, &free_[units], sizeof(char*));
  free_[units] = stored;
}

void TextSlab::Clear() {
  free_.fill(nullptr);
  blocks_.clear();
  blocks_.shrink_to_fit();
  used_ = kBlock;
  texts_ = 0;
}

}  // namespace keelson::internal
