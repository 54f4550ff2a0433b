#include "keelson/codegen/comments.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace keelson::codegen {

namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool IsNewline(char c) { return c == '\n' || c == '\r'; }
bool IsIdentifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

std::string_view TrimRight(std::string_view text) {
  while (!text.empty() && (IsBlank(text.back()) || IsNewline(text.back()))) text.remove_suffix(1);
  return text;
}

// Whether what follows `//` is for a tool: `//nolint:all`, `//go:build`, a lower-case word, a colon and another, as Go
// has them. No documentation.
bool IsDirective(std::string_view text) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const size_t colon = text.find(':');
  return colon != text.npos && colon > 0 && colon + 1 < text.size() && is_word(text[colon + 1]) &&
         std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(colon), is_word);
}

// One line of a comment, and the column where it begins.
struct CommentLine {
  std::string text;
  int line = 0;
  int column = 0;
};

class Scanner {
 public:
  Scanner(std::string_view source, const std::string& file) : source_(source), file_(file) {
    if (source_.substr(0, 3) == "\xEF\xBB\xBF") source_.remove_prefix(3);
  }

  std::vector<CommentBlock> Scan() {
    while (!AtEnd()) ScanToken();
    for (CommentBlock& block : blocks_) TrimEmptyLines(block.comment.lines);
    return std::move(blocks_);
  }

 private:
  bool AtEnd() const { return at_ >= source_.size(); }
  char Peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  int Column() const { return static_cast<int>(at_ - line_start_) + 1; }

  // Length of the newline at `at`: 0, 1 or 2.
  size_t NewlineAt(size_t at) const {
    if (at >= source_.size() || !IsNewline(source_[at])) return 0;
    return source_.substr(at, 2) == "\r\n" ? 2 : 1;
  }
  // Length of a backslash and newline, which continue a line.
  size_t SpliceAt(size_t at) const {
    if (at >= source_.size() || source_[at] != '\\') return 0;
    const size_t newline = NewlineAt(at + 1);
    return newline == 0 ? 0 : newline + 1;
  }

  void Advance() {
    if (const size_t newline = NewlineAt(at_)) {
      at_ += newline;
      ++line_;
      line_start_ = at_;
      code_on_line_ = false;
    } else {
      ++at_;
    }
  }

  void ScanToken() {
    const char c = Peek();
    if (IsBlank(c) || IsNewline(c)) return Advance();
    if (SpliceAt(at_) != 0) {
      const bool code = code_on_line_;
      ++at_;
      Advance();
      code_on_line_ = code;
      return;
    }
    if (c == '/' && Peek(1) == '/') return ScanLineComment();
    if (c == '/' && Peek(1) == '*') return ScanBlockComment();
    SawCode();
    if (c == '"' || c == '\'') return SkipQuoted(c);
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return SkipNumber();
    if (IsIdentifier(c)) return SkipWord();
    if (c == '#') return SkipDirective();
    Advance();
  }

  void SawCode() {
    code_on_line_ = true;
    open_ = false;
  }

  void SkipQuoted(char quote) {
    Advance();
    while (!AtEnd() && !IsNewline(Peek())) {
      const char c = Peek();
      Advance();
      if (c == quote) return;
      if (c == '\\' && !AtEnd()) {
        Advance();
        code_on_line_ = true;  // the literal goes on behind a spliced newline
      }
    }
  }

  // With digit separators: 1'000'000.
  void SkipNumber() {
    while (!AtEnd()) {
      const char c = Peek();
      const bool separator = c == '\'' && IsIdentifier(Peek(1));
      if (!IsIdentifier(c) && c != '.' && !separator) return;
      Advance();
    }
  }

  void SkipWord() {
    const size_t start = at_;
    while (!AtEnd() && IsIdentifier(Peek())) Advance();
    const std::string_view word = source_.substr(start, at_ - start);
    const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
    if (raw && Peek() == '"') SkipRawString();
  }

  void SkipRawString() {
    constexpr size_t kLongestDelimiter = 16;
    const size_t open = source_.find('(', at_ + 1);
    const std::string_view delimiter = source_.substr(at_ + 1, open == source_.npos ? open : open - at_ - 1);
    if (open == source_.npos || delimiter.size() > kLongestDelimiter ||
        delimiter.find_first_of(" \t\v\f\r\n\\)\"") != delimiter.npos) {
      return SkipQuoted('"');
    }
    const std::string close = ")" + std::string(delimiter) + "\"";
    const size_t found = source_.find(close, open);
    const size_t end = found == source_.npos ? source_.size() : found + close.size();
    while (at_ < end) Advance();
    code_on_line_ = true;
  }

  // `#include <a//b.h>` has no comment in it, `#error don't` no character literal.
  void SkipDirective() {
    Advance();
    while (IsBlank(Peek())) Advance();
    const size_t start = at_;
    while (!AtEnd() && IsIdentifier(Peek())) Advance();
    if (!source_.substr(start, at_ - start).starts_with("include")) return;
    while (IsBlank(Peek())) Advance();
    if (Peek() != '<') return;
    while (!AtEnd() && !IsNewline(Peek()) && Peek() != '>') Advance();
  }

  // What follows `//` or `/*` in documentation: `///`, `//!`, `///<`, `/**`, and in rulers of slashes or stars.
  void SkipDocumentationSign(char sign) {
    const size_t start = at_;
    while (Peek() == sign && (sign == '/' || Peek(1) != '/')) ++at_;
    if (Peek() == '!') ++at_;
    if (at_ != start && Peek() == '<') ++at_;
  }

  void ScanLineComment() {
    const int first_line = line_, column = Column();
    const bool trailing = code_on_line_;
    at_ += 2;
    const size_t start = at_;
    SkipDocumentationSign('/');
    const bool bare = at_ == start;
    CommentLine line = {.text = "", .line = first_line, .column = Column()};
    while (!AtEnd() && !IsNewline(Peek())) {
      if (SpliceAt(at_) != 0) {
        ++at_;
        Advance();
        continue;
      }
      line.text += Peek();
      Advance();
    }
    code_on_line_ = false;
    Block(first_line, column, trailing);
    if (!bare || !IsDirective(line.text)) AddLine(line);
  }

  void ScanBlockComment() {
    const int first_line = line_, column = Column();
    const bool trailing = code_on_line_;
    at_ += 2;
    SkipDocumentationSign('*');
    const size_t found = source_.find("*/", at_);
    const size_t end = found == source_.npos ? source_.size() : found;
    std::vector<CommentLine> lines;
    bool first = true;
    while (true) {
      // Lines below the first may begin with a star, which is the comment's own.
      if (!first) {
        while (at_ < end && IsBlank(Peek())) Advance();
        if (at_ < end && Peek() == '*') Advance();
      }
      first = false;
      lines.push_back({.text = "", .line = line_, .column = Column()});
      const size_t start = at_;
      while (at_ < end && !IsNewline(Peek())) Advance();
      lines.back().text = source_.substr(start, at_ - start);
      if (at_ >= end) break;
      Advance();
    }
    at_ = std::min(end + 2, source_.size());
    code_on_line_ = trailing && line_ == first_line;
    Block(first_line, column, trailing);
    for (const CommentLine& line : lines) AddLine(line);
  }

  // Opens a block, or goes on with the one that is open, for a comment that has just been read.
  void Block(int first_line, int column, bool trailing) {
    const bool adjacent = open_ && first_line <= blocks_.back().last_line + 1;
    const bool joins = adjacent && (blocks_.back().trailing ? trailing || column == column_ : !trailing);
    if (!joins) {
      blocks_.push_back({.first_line = first_line, .last_line = line_, .trailing = trailing, .comment = {}});
      column_ = column;
    }
    blocks_.back().last_line = line_;
    open_ = true;
  }

  void AddLine(const CommentLine& line) {
    std::string_view text = TrimRight(line.text);
    const size_t plus = std::min(text.find_first_not_of(" \t\v\f"), text.size());
    Comment& comment = blocks_.back().comment;
    const bool marker =
        text.size() > plus + 1 && text[plus] == '+' && std::isalpha(static_cast<unsigned char>(text[plus + 1])) != 0;
    if (marker) {
      comment.markers.push_back(
          {.text = std::string(text.substr(plus + 1)),
           .position = {.file = file_, .line = line.line, .column = line.column + static_cast<int>(plus)}});
      return;
    }
    if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    comment.lines.emplace_back(text);
  }

  static void TrimEmptyLines(std::vector<std::string>& lines) {
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    const auto begin = std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return !line.empty(); });
    lines.erase(lines.begin(), begin);
  }

  std::string_view source_;
  const std::string& file_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  int line_ = 1;
  bool code_on_line_ = false;
  std::vector<CommentBlock> blocks_;
  bool open_ = false;  // no code since the last of `blocks_`
  int column_ = 0;     // where the last of `blocks_` begins
};

}  // namespace

std::vector<CommentBlock> ScanComments(std::string_view source, const std::string& file) {
  return Scanner(source, file).Scan();
}

std::vector<Marker> ScanMarkers(std::string_view source, const std::string& file) {
  std::vector<Marker> markers;
  for (CommentBlock& block : ScanComments(source, file)) {
    for (Marker& marker : block.comment.markers) markers.push_back(std::move(marker));
  }
  return markers;
}

}  // namespace keelson::codegen
