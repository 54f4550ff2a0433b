// The values of markers as text: `0`, `"a text"`, `{a,b}`, `a;b`, `{x: 1}`.
//
//   MarkerScanner scanner(R"(path=apps,shortName={ap,aps})");
//   std::optional<Json> value = scanner.ReadValue({.lists = 1, .leaf = ValueLeaf::kText});
//   if (!value) Report(scanner.problem()->offset, scanner.problem()->message);
//
// The syntax is controller-gen's, which is made of Go's tokens:
// - a text is "quoted", `raw`, or bare: then it reaches to the next `,`, `;` or `}` outside quotation marks;
// - a list is `{a, b}` or `a;b`;
// - a value of any kind is what it looks like. The members of a list are of the kind of its first one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/api/json.h"

namespace keelson::codegen {

enum class ValueLeaf { kBool, kInt, kNumber, kText, kMap, kAny };

// A leaf, or lists of it: {.lists = 1, .leaf = kText} is a list of texts. The values of a kMap are of any type.
struct ValueType {
  int lists = 0;
  ValueLeaf leaf = ValueLeaf::kAny;
};

// `offset` is counted in bytes from the beginning of the scanned text.
struct ValueProblem {
  size_t offset = 0;
  std::string message;
};

// Reads a text token by token. A copy reads on from the same place. After the first problem all that is read is
// meaningless. The text outlives the scanner.
class MarkerScanner {
 public:
  enum class Token { kEnd, kIdentifier, kInt, kFloat, kQuoted, kRaw, kCharacter };

  explicit MarkerScanner(std::string_view text, size_t offset = 0) : text_(text), position_(offset) {}

  // The next token, after white space.
  Token Scan();
  std::string_view token() const { return text_.substr(token_begin_, position_ - token_begin_); }
  size_t token_offset() const { return token_begin_; }

  bool at_end() const { return position_ == text_.size(); }
  // The next character, after white space; '\0' at the end.
  char Peek();
  // Whether the next token is this character; it is consumed in any case.
  bool Take(char character) { return Scan() == Token::kCharacter && token().front() == character; }

  // Nothing when there was a problem.
  std::optional<Json> ReadValue(ValueType type);

  void Fail(size_t offset, std::string message);
  const std::optional<ValueProblem>& problem() const { return problem_; }

 private:
  Token ScanNumber(bool after_point);
  int SkipDigits(int base, bool& invalid);
  Token ScanQuoted();
  Token ScanRaw();

  Json Read(ValueType type, bool in_list, int depth);
  Json ReadText(bool key);
  Json ReadBool();
  Json ReadNumber(bool integer);
  Json ReadList(ValueType type, int depth);
  Json ReadMap(int depth);
  ValueType Guess(bool allow_list, int depth) const;
  ValueType GuessOne(int depth) const;
  bool LooksLikeNumber(ValueLeaf& leaf) const;

  std::string_view text_;
  size_t position_ = 0;
  size_t token_begin_ = 0;
  bool numbers_ = true;  // off inside bare texts: `1.2.3` and `08x` are no numbers there
  std::optional<ValueProblem> problem_;
};

// Numbers that fill a text: what `Minimum=` and `MaxItems=` take. Nothing when it is none.
std::optional<double> ParseWholeNumber(std::string_view text);
std::optional<int64_t> ParseWholeInteger(std::string_view text);

// `text` without the white space around it.
std::string_view TrimSpace(std::string_view text);

}  // namespace keelson::codegen
