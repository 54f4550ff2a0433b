#include "keelson/codec/internal/json_text_reader.h"

namespace keelson::internal {

namespace {

constexpr size_t kMostStrictErrors = 100;
constexpr size_t kMostShown = 40;  // characters of a bad token

std::string_view DescribeToken(char c) {
  switch (c) {
    case '{': return "object";
    case '[': return "array";
    case '"': return "string";
    case 't':
    case 'f': return "boolean";
    case 'n': return "null";
    case '\0': return "the end of the text";
    default: return (c >= '0' && c <= '9') || c == '-' ? "number" : "something else";
  }
}

std::string Shown(std::string_view token) { return std::string(token.substr(0, kMostShown)); }

}  // namespace

void JsonTextReader::Begin(JsonCursor cursor) {
  cursor_ = cursor;
  failure_.clear();
  strict_errors_.clear();
  frame_ = nullptr;
  depth_ = 0;
}

std::string JsonTextReader::Path() const {
  std::vector<const Frame*> frames;
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->parent) frames.push_back(frame);
  std::string path;
  for (size_t i = frames.size(); i-- > 0;) {
    if (frames[i]->is_element) {
      path += "[" + std::to_string(frames[i]->index) + "]";
    } else {
      if (!path.empty() && !frames[i]->name.empty()) path += ".";
      path += frames[i]->name;
    }
  }
  return path;
}

bool JsonTextReader::Fail(std::string reason) {
  if (!failure_.empty()) return false;
  const std::string path = Path();
  failure_ =
      (path.empty() ? "" : path + ": ") + std::move(reason) + " (at byte " + std::to_string(cursor_.offset()) + ")";
  return false;
}

bool JsonTextReader::FailKind(std::string_view expected) {
  return Fail("expected " + std::string(expected) + ", found " + std::string(DescribeToken(cursor_.Peek())));
}

bool JsonTextReader::FailDepth() {
  return Fail("nested deeper than " + std::to_string(options_.max_depth) + " levels");
}

bool JsonTextReader::FailStrictly() {
  failure_ = "strict decoding error: ";
  for (size_t i = 0; i < strict_errors_.size(); ++i) failure_ += (i == 0 ? "" : ", ") + strict_errors_[i];
  return false;
}

void JsonTextReader::NoteStrictly(FrameScope& frame, std::string_view what, std::string_view name) {
  ++oddities_;
  if (!options_.strict || strict_errors_.size() >= kMostStrictErrors) return;
  const Frame* own = std::exchange(frame_, frame->parent);
  std::string path = Path();
  frame_ = own;
  if (!path.empty()) path += ".";
  strict_errors_.push_back(std::string(what) + " field \"" + path + std::string(name) + "\"");
}

bool JsonTextReader::TakeLiteral(std::string_view literal) {
  const std::string_view token = cursor_.TakeScalar();
  return token == literal || Fail("\"" + Shown(token) + "\" is not JSON");
}

bool JsonTextReader::Unescaped(std::string_view& text) {
  unescaped_.clear();
  if (!Unescape(text, unescaped_)) return Fail("a string holds an escape that JSON does not have");
  text = unescaped_;
  return true;
}

bool JsonTextReader::TakeNumber(std::string_view& text, NumberForm& form) {
  const char first = cursor_.Peek();
  if (first != '-' && (first < '0' || first > '9')) return FailKind("number");
  text = cursor_.TakeScalar();
  form = ClassifyNumber(text);
  return form != NumberForm::kBad || Fail("\"" + Shown(text) + "\" is not a JSON number");
}

bool JsonTextReader::ReadInteger(int64_t least, int64_t most, int64_t& out) {
  std::string_view text;
  NumberForm form;
  if (!TakeNumber(text, form)) return false;
  if (form != NumberForm::kInteger) return Fail("expected an integer, found " + Shown(text));
  if (ParseInteger(text, out) && out >= least && out <= most) return true;
  return Fail("the number " + Shown(text) + " is outside " + std::to_string(least) + " … " + std::to_string(most));
}

bool JsonTextReader::ReadBool(bool& out) {
  out = cursor_.Peek() == 't';
  if (!out && cursor_.Peek() != 'f') return FailKind("boolean");
  return TakeLiteral(out ? "true" : "false");
}

bool JsonTextReader::ReadDouble(double& out) {
  std::string_view text;
  NumberForm form;
  if (!TakeNumber(text, form)) return false;
  return ParseReal(text, out) || Fail("the number " + Shown(text) + " is out of range");
}

bool JsonTextReader::Skip(std::string_view& raw) {
  const size_t begin = cursor_.offset();
  if (!SkipValue()) return false;
  raw = cursor_.Since(begin);
  return true;
}

bool JsonTextReader::SkipValue() {
  std::string_view text;
  NumberForm form;
  switch (cursor_.Peek()) {
    case '{': {
      const DepthScope scope(*this);
      return scope.allowed() && ForEachMember([&](std::string_view) { return SkipValue(); });
    }
    case '[': {
      const DepthScope scope(*this);
      return scope.allowed() && ForEachElement([&](size_t) { return SkipValue(); });
    }
    case '"': return TakeText(text);
    case 't': return TakeLiteral("true");
    case 'f': return TakeLiteral("false");
    case 'n': return TakeLiteral("null");
    default: return TakeNumber(text, form);
  }
}

}  // namespace keelson::internal
