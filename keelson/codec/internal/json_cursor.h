// A position among the tokens of a JSON text (json_structure.h).
//
// The end of a string or number needs no search: between it and the next token there is only white space.
#pragma once

#include <cstdint>
#include <string_view>

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
  // Bytes from the start of the text.
  size_t offset() const { return AtEnd() ? size_ : *token_; }

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

}  // namespace keelson::internal
