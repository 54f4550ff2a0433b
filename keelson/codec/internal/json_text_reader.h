// The part of reading JSON that knows no types: where the walk is, what went wrong, scalars, and the loops over members
// and elements. JsonReader's walk by tables is built on it.
//
// Every function that can fail returns false after Fail has noted the reason; the first reason counts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/codec/internal/json_cursor.h"
#include "keelson/codec/internal/json_text.h"
#include "keelson/codec/json_reader.h"

namespace keelson::internal {

class JsonTextReader {
 protected:
  explicit JsonTextReader(JsonReadOptions options) : options_(options) {}

  void Begin(JsonCursor cursor);

  // Where the walk is: a field, an element or a map entry.
  struct Frame {
    const Frame* parent;
    std::string_view name;
    size_t index = 0;
    bool is_element = false;
  };
  class FrameScope {
   public:
    explicit FrameScope(JsonTextReader& reader) : reader_(reader), frame_{reader.frame_, {}, 0, false} {
      reader.frame_ = &frame_;
    }
    ~FrameScope() { reader_.frame_ = frame_.parent; }
    FrameScope(const FrameScope&) = delete;
    FrameScope& operator=(const FrameScope&) = delete;
    Frame* operator->() { return &frame_; }

   private:
    JsonTextReader& reader_;
    Frame frame_;
  };
  // One level deeper, if that is allowed.
  class DepthScope {
   public:
    explicit DepthScope(JsonTextReader& reader)
        : reader_(reader), allowed_(++reader.depth_ <= reader.options_.max_depth) {
      if (!allowed_) [[unlikely]]
        reader_.FailDepth();
    }
    ~DepthScope() { --reader_.depth_; }
    DepthScope(const DepthScope&) = delete;
    DepthScope& operator=(const DepthScope&) = delete;
    bool allowed() const { return allowed_; }

   private:
    JsonTextReader& reader_;
    bool allowed_;
  };

  bool Fail(std::string reason);
  bool FailKind(std::string_view expected);  // "expected array, found string"
  bool FailDepth();
  // All that strict reading has noted, as one error.
  bool FailStrictly();
  // "unknown" or "duplicate": of a member whose own frame is the one at hand.
  void NoteStrictly(FrameScope& frame, std::string_view what, std::string_view name);

  bool TakeLiteral(std::string_view literal);
  // The text of the string at hand, valid until the next call. Moves on.
  bool TakeText(std::string_view& text) {
    if (cursor_.Peek() != '"') return FailKind("string");
    text = cursor_.TakeString();
    return ResolveEscapes(text);
  }
  bool ResolveEscapes(std::string_view& text) { return !HasEscape(text) || Unescaped(text); }
  bool TakeNumber(std::string_view& text, NumberForm& form);
  bool ReadInteger(int64_t least, int64_t most, int64_t& out);
  bool ReadBool(bool& out);
  bool ReadDouble(double& out);

  // Moves over one value, checking that it is well-formed, and gives its text.
  bool Skip(std::string_view& raw);

  // read(key) reads the value; the key is valid until it does.
  template <class ReadMember>
  bool ForEachMember(ReadMember read) {
    return ForEachRawMember([&](std::string_view key) { return ResolveEscapes(key) && read(key); });
  }
  // The same with keys as they stand in the text, escapes and all.
  template <class ReadMember>
  bool ForEachRawMember(ReadMember read) {
    cursor_.Advance();  // the brace
    if (cursor_.Take('}')) return true;
    while (true) {
      if (cursor_.Peek() != '"') return FailKind("a field's name");
      const std::string_view key = cursor_.TakeString();
      if (!cursor_.Take(':')) return Fail("expected ':' behind a field's name");
      if (!read(key)) return false;
      if (cursor_.Take(',')) continue;
      if (cursor_.Take('}')) return true;
      return Fail("expected ',' or '}' in an object");
    }
  }
  // read(index) reads the element.
  template <class ReadOne>
  bool ForEachElement(ReadOne read) {
    cursor_.Advance();  // the bracket
    if (cursor_.Take(']')) return true;
    for (size_t index = 0;; ++index) {
      if (!read(index)) return false;
      if (cursor_.Take(',')) continue;
      if (cursor_.Take(']')) return true;
      return Fail("expected ',' or ']' in an array");
    }
  }

  JsonReadOptions options_;
  JsonCursor cursor_;
  std::string failure_;
  std::vector<std::string> strict_errors_;
  int depth_ = 0;
  size_t oddities_ = 0;  // unknown and repeated fields met so far, strict or not

 private:
  std::string Path() const;
  bool Unescaped(std::string_view& text);
  bool SkipValue();

  std::string unescaped_;
  const Frame* frame_ = nullptr;
};

}  // namespace keelson::internal
