// The bytes of protobuf: tags, varints, and a buffer that is written from its end.
//
// A message stands behind its own length. Written from the last byte to the first, the length is known when it is its
// turn, so one pass suffices and no sizes are kept.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "keelson/api/type.h"

namespace keelson::internal {

// A mirror of the wire format's numbers. Three and four open and close a group, which Kubernetes never writes.
enum class WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroupStart = 3, kGroupEnd = 4, kFixed32 = 5 };

constexpr uint32_t MakeTag(uint32_t number, WireType wire) { return number << 3 | static_cast<uint32_t>(wire); }
constexpr uint32_t FieldNumber(uint32_t tag) { return tag >> 3; }
constexpr WireType WireTypeOf(uint32_t tag) { return static_cast<WireType>(tag & 7); }

constexpr size_t kMaxVarintBytes = 10;

// The first byte behind the varint at `at`, or null when it does not end before `end` or is longer than 64 bits.
inline const uint8_t* ReadVarint(const uint8_t* at, const uint8_t* end, uint64_t* value) {
  if (at < end && *at < 0x80) {
    *value = *at;
    return at + 1;
  }
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
    const uint8_t byte = *at++;
    if (shift == 63 && byte > 1) return nullptr;
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return at;
    }
  }
  return nullptr;
}

// Likewise a tag: null also when it names no possible field.
inline const uint8_t* ReadTag(const uint8_t* at, const uint8_t* end, uint32_t* tag) {
  uint64_t value = 0;
  at = ReadVarint(at, end, &value);
  if (at == nullptr || value > UINT32_MAX || FieldNumber(static_cast<uint32_t>(value)) == 0) return nullptr;
  *tag = static_cast<uint32_t>(value);
  return at;
}

// The first byte behind the field whose tag ends at `at`, or null when it is malformed. Groups are skipped without
// recursion, whatever they hold.
inline const uint8_t* SkipField(const uint8_t* at, const uint8_t* end, uint32_t tag) {
  size_t open_groups = 0;
  for (;;) {
    uint64_t value = 0;
    switch (WireTypeOf(tag)) {
      case WireType::kVarint: at = ReadVarint(at, end, &value); break;
      case WireType::kFixed64: at = end - at < 8 ? nullptr : at + 8; break;
      case WireType::kFixed32: at = end - at < 4 ? nullptr : at + 4; break;
      case WireType::kBytes:
        at = ReadVarint(at, end, &value);
        if (at != nullptr) at = static_cast<uint64_t>(end - at) < value ? nullptr : at + value;
        break;
      case WireType::kGroupStart: ++open_groups; break;
      case WireType::kGroupEnd:
        if (open_groups == 0) return nullptr;
        --open_groups;
        break;
      default: return nullptr;
    }
    if (at == nullptr || open_groups == 0) return at;
    at = ReadTag(at, end, &tag);
    if (at == nullptr) return nullptr;
  }
}

constexpr size_t VarintSize(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }

inline char* WriteVarint(char* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

// Appends to a string what is given to it last part first.
class BackwardWriter {
 public:
  // Until Finish, `out` holds other bytes behind its old content.
  explicit BackwardWriter(std::string& out) : out_(out), old_size_(out.size()) {
    const size_t free = out_.capacity() - old_size_;
    out_.resize(old_size_ + (free < kFirstRoom ? kFirstRoom : free < kMostUsedRoom ? free : kMostUsedRoom));
    SetEnds(out_.size());
  }
  BackwardWriter(const BackwardWriter&) = delete;
  BackwardWriter& operator=(const BackwardWriter&) = delete;

  // How much has been written: a message's length is the difference between two of these.
  size_t size() const { return static_cast<size_t>(end_ - at_); }

  void Prepend(std::string_view bytes) {
    Reserve(bytes.size());
    at_ -= bytes.size();
    if (!bytes.empty()) std::memcpy(at_, bytes.data(), bytes.size());
  }
  void PrependByte(uint8_t byte) {
    Reserve(1);
    *--at_ = static_cast<char>(byte);
  }
  void PrependVarint(uint64_t value) {
    Reserve(kMaxVarintBytes);
    PutVarint(value);
  }
  void PrependFixed64(uint64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) PrependByte(static_cast<uint8_t>(value >> shift));
  }
  void PrependTag(uint32_t number, WireType wire) { PrependVarint(MakeTag(number, wire)); }
  // The length and tag of what was written since size() was `mark`.
  void PrependHeader(uint32_t number, size_t mark) {
    Reserve(2 * kMaxVarintBytes);
    PutVarint(size() - mark);
    PutVarint(MakeTag(number, WireType::kBytes));
  }
  void PrependBytesField(uint32_t number, std::string_view bytes) {
    Reserve(bytes.size() + 2 * kMaxVarintBytes);
    at_ -= bytes.size();
    if (!bytes.empty()) std::memcpy(at_, bytes.data(), bytes.size());
    PutVarint(bytes.size());
    PutVarint(MakeTag(number, WireType::kBytes));
  }

  void Finish() {
    const size_t written = size();
    std::memmove(out_.data() + old_size_, at_, written);
    out_.resize(old_size_ + written);
  }

 private:
  static constexpr size_t kFirstRoom = 1024;
  static constexpr size_t kMostUsedRoom = 64 * 1024;  // resizing clears memory: only as much as is likely needed

  void SetEnds(size_t at) {
    begin_ = out_.data() + old_size_;
    end_ = out_.data() + out_.size();
    at_ = out_.data() + at;
  }
  // Where there is room.
  void PutVarint(uint64_t value) {
    if (value < 0x80) {
      *--at_ = static_cast<char>(value);
      return;
    }
    at_ -= VarintSize(value);
    WriteVarint(at_, value);
  }
  void Reserve(size_t bytes) {
    if (static_cast<size_t>(at_ - begin_) < bytes) Grow(bytes);
  }
  // Kept out of its callers, which are small without it.
  [[gnu::noinline, gnu::cold]] void Grow(size_t bytes) {
    const size_t written = size();
    const size_t old_end = out_.size();
    out_.resize(old_size_ + 2 * (old_end - old_size_) + bytes);
    std::memmove(out_.data() + out_.size() - written, out_.data() + old_end - written, written);
    SetEnds(out_.size() - written);
  }

  std::string& out_;
  const size_t old_size_;
  char* begin_;
  char* end_;
  char* at_;
};

// Writes a value as a message; the base of AppendProtobuf, for messages inside hand-written ones.
void PrependProtobuf(const Type& type, const void* value, BackwardWriter& out);

}  // namespace keelson::internal
