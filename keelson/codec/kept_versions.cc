#include "keelson/codec/kept_versions.h"

#include <cstring>

namespace keelson {

namespace {

// Handles are aligned to pointers, so that sixteen bits tell their places.
struct Rest {
  uint16_t place;
  uint16_t tokens;
};
static_assert(sizeof(Rest) == 4);

constexpr uint16_t PlaceOf(uint32_t offset) { return static_cast<uint16_t>(offset / sizeof(void*)); }

}  // namespace

SectionMarks::SectionMarks(std::span<const Mark> marks) {
  if (marks.empty()) return;
  const size_t count = marks.size();
  words_ = std::make_unique_for_overwrite<uint64_t[]>(1 + count + (count + 1) / 2);
  words_[0] = count;
  auto* rests = reinterpret_cast<std::byte*>(words_.get() + 1 + count);
  for (size_t i = 0; i < count; ++i, rests += sizeof(Rest)) {
    words_[1 + i] = marks[i].hash;
    const Rest rest{.place = PlaceOf(marks[i].offset), .tokens = marks[i].tokens};
    std::memcpy(rests, &rest, sizeof rest);
  }
}

SectionMarks::Mark SectionMarks::at(size_t i) const {
  Rest rest;
  std::memcpy(&rest, reinterpret_cast<const std::byte*>(words_.get() + 1 + words_[0]) + i * sizeof rest, sizeof rest);
  return {.hash = words_[1 + i], .offset = rest.place * uint32_t{sizeof(void*)}, .tokens = rest.tokens};
}

size_t SectionMarks::Find(uint32_t offset) const {
  if (words_ == nullptr) return 0;
  const size_t count = words_[0];
  const auto* rests = reinterpret_cast<const std::byte*>(words_.get() + 1 + count);
  for (size_t i = 0; i < count; ++i, rests += sizeof(Rest)) {
    uint16_t place;
    std::memcpy(&place, rests, sizeof place);
    if (place == PlaceOf(offset)) return i;
  }
  return count;
}

}  // namespace keelson
