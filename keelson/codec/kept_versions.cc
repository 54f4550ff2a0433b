#include "keelson/codec/kept_versions.h"

#include <cstring>

namespace keelson {

namespace {

constexpr uint16_t PlaceOf(uint32_t offset) { return static_cast<uint16_t>(offset / sizeof(void*)); }

}  // namespace

SectionMarks::SectionMarks(std::span<const Mark> marks) {
  static_assert(sizeof(Rest) == 4);
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

size_t SectionMarks::Find(uint32_t offset, size_t from) const {
  const size_t count = size();
  const uint16_t place = PlaceOf(offset);
  for (size_t i = from; i < count; ++i) {
    if (RestOf(i).place == place) return i;
  }
  for (size_t i = 0; i < from && i < count; ++i) {
    if (RestOf(i).place == place) return i;
  }
  return count;
}

void KeptVersions::Version::PrefetchSections() const {
  for (size_t i = 0; i < marks->size(); ++i) {
    const uint32_t offset = marks->at(i).offset;
    if (offset == SectionMarks::kElement) continue;
    const void* node;
    std::memcpy(&node, static_cast<const std::byte*>(object) + offset, sizeof node);
    __builtin_prefetch(node);
  }
}

}  // namespace keelson
