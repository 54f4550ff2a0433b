// Cuts the text of a label selector into tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace keelson::labels::internal {

struct Token {
  enum Kind : uint8_t {
    kEnd,
    kIdentifier,
    kComma,
    kOpen,
    kClose,
    kNot,
    kEquals,
    kDoubleEquals,
    kNotEquals,
    kGreaterThan,
    kLessThan,
    kIn,
    kNotIn,
  };

  Kind kind = kEnd;
  std::string_view text;

  // Where a key or a value stands, "in" and "notin" are ordinary words.
  Kind AsValue() const { return kind == kIn || kind == kNotIn ? kIdentifier : kind; }
};

// The tokens of `text`, which they point into, and a kEnd. A NUL ends the text, as it does in Kubernetes.
std::vector<Token> SplitTokens(std::string_view text);

}  // namespace keelson::labels::internal
