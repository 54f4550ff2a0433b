// A position among the tokens of a JSON text (json_structure.h).
//
// The end of a string or number needs no search: between it and the next token there is only white space.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "keelson/api/type.h"
#include "keelson/codec/internal/json_text.h"

namespace keelson::internal {

class JsonCursor {
 public:
  JsonCursor() = default;
  JsonCursor(std::string_view text, const uint32_t* tokens, size_t count)
      : text_(text.data()), size_(text.size()), token_(tokens), end_(tokens + count) {}

  bool AtEnd() const { return token_ >= end_; }
  // The first character of the token at hand; 0 at the end of the text.
  char Peek() const { return AtEnd() ? '\0' : text_[*token_]; }
  char PeekNext() const { return token_ + 1 >= end_ ? '\0' : text_[token_[1]]; }
  void Advance() { ++token_; }
  bool Take(char c) {
    if (Peek() != c) return false;
    Advance();
    return true;
  }
  // Moves over the object at hand when it holds nothing but objects, has no white space between tokens and no bad
  // escape: what a set of fields looks like. Otherwise stays and returns false. For every comma, at_comma(offset behind
  // it, depth) gives the depth from which to go on counting.
  template <class AtComma>
  bool TakeNestedObjects(AtComma at_comma);

  // The object or array at hand, found by counting brackets alone, and where to go on behind it. Empty when it is
  // longer than `most` bytes or is neither.
  struct Extent {
    std::string_view text;
    const uint32_t* behind = nullptr;
    size_t tokens = 0;
  };
  Extent FindExtent(size_t most) const {
    const size_t begin = offset();
    int depth = 0;
    for (const uint32_t* token = token_; token < end_ && *token - begin < most; ++token) {
      const char c = text_[*token];
      if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        --depth;
      }
      if (depth <= 0)
        return depth == 0 && token != token_ ? ExtentOf(static_cast<size_t>(token + 1 - token_)) : Extent{};
    }
    return {};
  }
  // The text of so many tokens from here, if they end in a bracket: what an object or array of that many would be.
  Extent ExtentOf(size_t tokens) const {
    if (tokens < 2 || tokens > static_cast<size_t>(end_ - token_)) return {};
    const char last = text_[token_[tokens - 1]];
    if (last != '}' && last != ']') return {};
    return {text(*token_, token_[tokens - 1] + size_t{1}), token_ + tokens, tokens};
  }
  void JumpBehind(const Extent& extent) { token_ = extent.behind; }
  // What was read from there up to here, the end of an object or array.
  std::string_view TextSince(const JsonCursor& start) const { return text(start.offset(), offset_behind()); }
  size_t TokensSince(const JsonCursor& start) const { return static_cast<size_t>(token_ - start.token_); }

  // Bytes from the start of the text.
  size_t offset() const { return AtEnd() ? size_ : *token_; }

  // Bytes up to the end of the token behind us, which is one character long.
  size_t offset_behind() const { return token_[-1] + size_t{1}; }
  // From the token at hand to the end of the text.
  std::string_view rest() const { return {text_ + offset(), size_ - offset()}; }
  std::string_view text(size_t begin, size_t end) const { return {text_ + begin, end - begin}; }

  // The token at hand is a string: its content between the quotes, escapes and all. Moves on.
  std::string_view TakeString() {
    const std::string_view token = TakeScalar();
    return token.substr(1, token.size() - 2);
  }
  // The token at hand is a string, number or literal: all its characters. Moves on.
  std::string_view TakeScalar() {
    const size_t begin = *token_;
    size_t end = token_ + 1 < end_ ? token_[1] : size_;
    ++token_;
    while (IsJsonSpace(text_[end - 1])) --end;
    return {text_ + begin, end - begin};
  }
  // NamePrefix of a string's content, read eight bytes at a time where the text goes on so far.
  uint64_t PrefixOf(std::string_view content) const {
    if (content.data() + 8 > text_ + size_) [[unlikely]]
      return NamePrefix(content);
    uint64_t word;
    std::memcpy(&word, content.data(), 8);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return content.size() >= 8 ? word : word & ((uint64_t{1} << (8 * content.size())) - 1);
  }
  // The characters from `begin` up to the token at hand, without trailing white space.
  std::string_view Since(size_t begin) const {
    size_t end = offset();
    while (end > begin && IsJsonSpace(text_[end - 1])) --end;
    return {text_ + begin, end - begin};
  }

 private:
  const char* text_ = nullptr;
  size_t size_ = 0;
  const uint32_t* token_ = nullptr;
  const uint32_t* end_ = nullptr;
};

template <class AtComma>
bool JsonCursor::TakeNestedObjects(AtComma at_comma) {
  if (Peek() != '{') return false;
  const uint32_t* token = token_ + 1;
  uint32_t expected = *token_ + 1;  // where the next token is when there is no white space
  int depth = 1;
  int counted_depth = 1;
  // At the token behind an opening brace.
  while (end_ - token > 0) {
    while (text_[*token] == '}') {
      if (*token != expected) return false;
      ++token;
      ++expected;
      --counted_depth;
      if (--depth == 0) {
        token_ = token;
        return true;
      }
      if (token == end_ || *token != expected) return false;
      if (text_[expected] == '}') continue;
      if (text_[expected] != ',' || end_ - token < 2) return false;
      ++token;
      counted_depth = at_comma(++expected, counted_depth);
      if (text_[*token] == '}') return false;
    }
    // A name, its colon and the brace behind that.
    if (end_ - token < 3) return false;
    const uint32_t name = token[0], colon = token[1], brace = token[2];
    if (name != expected || text_[name] != '"' || text_[colon] != ':' || text_[colon - 1] != '"' ||
        brace != colon + 1 || text_[brace] != '{') {
      return false;
    }
    const std::string_view content(text_ + name + 1, colon - name - 2);
    if (HasEscape(content) && !HasOnlyGoodEscapes(content)) return false;
    ++depth, ++counted_depth;
    expected = brace + 1;
    token += 3;
  }
  return false;
}

}  // namespace keelson::internal
