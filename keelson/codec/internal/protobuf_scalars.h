// The part of reading protobuf that needs no table: numbers, text, the small messages of fixed form, and errors.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/node.h"
#include "keelson/api/sharing.h"
#include "keelson/api/string.h"
#include "keelson/codec/internal/protobuf_wire.h"

namespace keelson::internal {

// What is left of a message.
struct ProtobufInput {
  const uint8_t* at = nullptr;
  const uint8_t* end = nullptr;

  bool done() const { return at == end; }
  size_t left() const { return static_cast<size_t>(end - at); }
};

bool IsUtf8(std::string_view text);

inline uint64_t LoadWord(const void* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

inline Node*& NodeAt(std::byte* slot) { return *reinterpret_cast<Node**>(slot); }

// Whether the `size` bytes at `at`, of which `readable` may be looked at, are ASCII.
inline bool IsShortAscii(const uint8_t* at, size_t size, size_t readable) {
  uint64_t seen = 0;
  if (readable >= size + 8) {  // whole words, the rest of the last one shifted out
    size_t left = size;
    for (; left >= 8; at += 8, left -= 8) seen |= LoadWord(at);
    if (left > 0) seen |= LoadWord(at) << (64 - 8 * left);
  } else {
    for (; size > 0; ++at, --size) seen |= *at;
  }
  return (seen & 0x8080808080808080) == 0;
}

// Null for the empty text, as in a String.
inline Node* MakeStringNode(std::string_view text, bool share) {
  if (text.empty()) return nullptr;
  return share ? SharedString(text) : NewStringNode(text);
}
// Sets a String, Bytes or RawExtension.
inline void SetString(std::byte* value, std::string_view text, bool share) {
  Node*& node = NodeAt(value);
  if (node != nullptr && DropReference(node)) FreeStringNode(node);
  node = MakeStringNode(text, share);
}

inline bool IsNumeric(Kind kind) {
  return kind == Kind::kBool || kind == Kind::kInt32 || kind == Kind::kInt64 || kind == Kind::kDouble;
}
inline WireType WireTypeFor(Kind kind) {
  if (kind == Kind::kDouble) return WireType::kFixed64;
  return IsNumeric(kind) ? WireType::kVarint : WireType::kBytes;
}

// Each Read… consumes its part of the input and returns false on an error, which is then described by reason() and
// path. Those that take a `value` need one of the right class there, which they replace.
class ProtobufScalars {
 public:
  using Input = ProtobufInput;

  static constexpr size_t kShortText = 64;

  // "spec.containers[0]: expected …"
  std::string Description() const;

  bool Fail(std::string reason) {
    reason_ = std::move(reason);
    path_.clear();
    return false;
  }
  // Adds where it happened, from the inside out: a field's name, or an index or key in brackets.
  bool FailAt(std::string step) {
    path_.push_back(std::move(step));
    return false;
  }
  bool FailAtIndex(size_t index) { return FailAt("[" + std::to_string(index) + "]"); }
  bool FailOnWireType(WireType expected, WireType found);

  bool CheckLength(size_t length) { return length <= kMaxNodeLength || FailOnLength(); }

  bool ReadVarint(Input& in, uint64_t* value) {
    const uint8_t* next = internal::ReadVarint(in.at, in.end, value);
    if (next == nullptr) return FailOnVarint(in);
    in.at = next;
    return true;
  }
  bool ReadTag(Input& in, uint32_t* tag) {
    const uint8_t* next = internal::ReadTag(in.at, in.end, tag);
    if (next == nullptr) return Fail("expected a field's tag, found bytes that are none");
    in.at = next;
    return true;
  }
  bool Skip(Input& in, uint32_t tag);

  static bool StartsWith(const Input& in, std::string_view tag) {
    if (in.left() < tag.size() || in.at[0] != static_cast<uint8_t>(tag[0])) return false;
    return tag.size() == 1 || std::memcmp(in.at, tag.data(), tag.size()) == 0;
  }
  // The first of some fields with this tag that follow each other is at hand, behind its tag: behind the last of them.
  // Null when they take more than `most` bytes, or are malformed.
  static const uint8_t* FindRunEnd(Input in, std::string_view tag, size_t most) {
    const uint8_t* const limit = in.at + std::min(in.left(), most);
    for (;;) {
      uint64_t length = 0;
      in.at = internal::ReadVarint(in.at, limit, &length);
      if (in.at == nullptr || length > static_cast<size_t>(limit - in.at)) return nullptr;
      in.at += length;
      if (!StartsWith(in, tag)) return in.at;
      in.at += tag.size();
    }
  }

  // The bytes behind a length.
  bool ReadBytes(Input& in, Input* bytes) {
    uint64_t length = 0;
    if (!ReadVarint(in, &length)) return false;
    if (length > in.left()) return FailOnEnd(length, in.left());
    *bytes = {in.at, in.at + length};
    in.at += length;
    return true;
  }
  bool ReadBytes(Input& in, WireType wire, Input* bytes) {
    if (wire != WireType::kBytes) return FailOnWireType(WireType::kBytes, wire);
    return ReadBytes(in, bytes);
  }
  bool ReadView(Input& in, WireType wire, bool is_text, std::string_view* view) {
    Input bytes;
    if (!ReadBytes(in, wire, &bytes)) return false;
    *view = {reinterpret_cast<const char*>(bytes.at), bytes.left()};
    if (bytes.left() <= kShortText) {
      if (!is_text || IsShortAscii(bytes.at, bytes.left(), static_cast<size_t>(in.end - bytes.at))) return true;
    }
    return CheckView(*view, is_text);
  }
  bool ReadInteger(Input& in, WireType wire, uint64_t* value) {
    if (wire != WireType::kVarint) return FailOnWireType(WireType::kVarint, wire);
    return ReadVarint(in, value);
  }
  bool ReadNumber(Kind kind, std::byte* value, WireType wire, Input& in);

  // Small messages. Their unknown fields are dropped: no path leads into them.

  // read(number, wire, in, &known) for each field; leaves `known` false for those it does not know.
  template <class ReadOne>
  bool ReadSmallMessage(Input in, ReadOne read) {
    while (!in.done()) {
      uint32_t tag = 0;
      if (!ReadTag(in, &tag)) return false;
      bool known = true;
      if (!read(FieldNumber(tag), WireTypeOf(tag), in, &known)) return false;
      if (!known && !Skip(in, tag)) return false;
    }
    return true;
  }

  bool ReadTime(Input in, std::byte* value);
  bool ReadMicroTime(Input in, std::byte* value);
  bool ReadDuration(Input in, std::byte* value);
  bool ReadQuantity(Input in, std::byte* value);
  bool ReadIntOrString(Input in, std::byte* value, bool share);
  bool ReadRawExtension(Input in, std::byte* value, bool share);
  // A message whose only field is a string or bytes.
  bool ReadOnlyString(Input in, bool is_text, std::string_view* view);

 private:
  bool CheckView(std::string_view view, bool is_text);
  bool ReadTimestamp(Input in, int64_t* seconds, int64_t* nanoseconds);
  bool FailOnVarint(const Input& in);
  bool FailOnEnd(uint64_t expected, size_t found);
  bool FailOnLength();

  std::string reason_;
  std::vector<std::string> path_;  // innermost first
};

}  // namespace keelson::internal
