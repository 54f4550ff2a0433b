#include "keelson/apiserver/apply/field_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "keelson/apiserver/go_text.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_scalars.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr int kMaxDepth = 200;

template <class T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int CompareMembers(const JsonObject& a, const JsonObject& b) {
  auto left = a.begin();
  auto right = b.begin();
  for (;; ++left, ++right) {
    if (left == a.end() || right == b.end()) return left != a.end() ? 1 : right != b.end() ? -1 : 0;
    const auto& [a_key, a_value] = *left;
    const auto& [b_key, b_value] = *right;
    if (const int order = a_key.view().compare(b_key.view()); order != 0) return order < 0 ? -1 : 1;
    if (const int order = CompareValues(a_value, b_value); order != 0) return order;
  }
}

// Where each kind of value stands in the order; numbers are one kind.
int Rank(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kDouble:
    case Json::Kind::kInt: return 0;
    case Json::Kind::kString: return 1;
    case Json::Kind::kBool: return 2;
    case Json::Kind::kList: return 3;
    case Json::Kind::kObject: return 4;
    case Json::Kind::kNull: return 5;
  }
  return 6;
}

void Quote(std::string_view text, std::string& out, bool escape_html) {
  static constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  const auto is_plain = [&](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' &&
           !(escape_html && (c == '<' || c == '>' || c == '&'));
  };
  while (!text.empty()) {
    // Most of it goes over in one piece.
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain);
    const auto plain = static_cast<size_t>(end - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text[0];
    text.remove_prefix(1);
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  out += '"';
}

void AppendValue(const Json& value, std::string& out) {
  if (value.is_string()) return Quote(value.string(), out, true);
  if (value.is_int()) {
    fmt::format_to(std::back_inserter(out), "{}", value.integer());
    return;
  }
  // A double that is a whole number is written as one.
  if (value.is_double() && std::trunc(value.number()) == value.number() && std::fabs(value.number()) < 1e15) {
    fmt::format_to(std::back_inserter(out), "{}", static_cast<int64_t>(value.number()));
    return;
  }
  AppendJson(TypeOf<Json>(), &value, out);
}

std::string ShownValue(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "null";
    case Json::Kind::kBool: return value.boolean() ? "true" : "false";
    case Json::Kind::kInt: return std::to_string(value.integer());
    case Json::Kind::kDouble: return GoFloat(value.number());
    case Json::Kind::kString: return Quoted(value.string());
    case Json::Kind::kList: {
      std::string shown = "[";
      for (const Json& item : value.list()) shown.append(shown.size() > 1 ? "," : "").append(ShownValue(item));
      return shown + "]";
    }
    case Json::Kind::kObject: {
      std::string shown;
      for (const auto& [key, member] : value.object()) shown.append(key.view()).append("=").append(ShownValue(member));
      return shown;
    }
  }
  return {};
}

// Reads the text of a set: objects inside objects, and nothing else.
class SetReader {
 public:
  explicit SetReader(std::string_view text) : text_(text) {}

  Result<FieldSet> Read() {
    FieldSet set;
    bool member = false;
    if (!ReadObject(set, member, 0)) return std::move(*error_);
    SkipSpace();
    if (at_ != text_.size()) {
      Fail("text behind the set");
      return std::move(*error_);
    }
    return set;
  }

 private:
  bool Fail(std::string_view what) {
    if (!error_) error_ = Error(ErrorCode::kInvalidArgument, fmt::format("set of fields, byte {}: {}", at_, what));
    return false;
  }
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool Take(char c) {
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // The text between quotes; `key` refers to the input or to `buffer_`.
  bool ReadKey(std::string_view& key) {
    if (!Take('"')) return Fail("expected a name in quotes");
    const size_t begin = at_;
    bool escaped = false;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      // Sets are written into JSON documents as they are.
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte < 0x20) return Fail("a control character in a name");
      if (byte >= 0x80) {
        const size_t length = internal::ValidUtf8Length(text_.substr(at_));
        if (length == 0) return Fail("not UTF-8");
        at_ += length - 1;
      }
      if (text_[at_] == '\\') {
        escaped = true;
        ++at_;
        constexpr std::string_view kEscapes = "\"\\/bfnrtu";
        if (at_ < text_.size() && kEscapes.find(text_[at_]) == std::string_view::npos) return Fail("no such escape");
      }
    }
    if (at_ >= text_.size()) return Fail("expected the end of a name");
    key = text_.substr(begin, at_ - begin);
    ++at_;
    if (!escaped) return true;
    // The simple escapes at hand, all others by the reader of documents.
    if (key.find("\\u") != std::string_view::npos || key.find("\\b") != std::string_view::npos ||
        key.find("\\f") != std::string_view::npos) {
      Result<Json> read = ParseJson(text_.substr(begin - 1, at_ - begin + 1));
      if (!read || !read->is_string()) return Fail("expected a name in quotes");
      buffer_ = std::as_const(*read).string().str();
    } else {
      buffer_.clear();
      for (size_t i = 0; i < key.size(); ++i) {
        if (key[i] != '\\') {
          buffer_ += key[i];
          continue;
        }
        const char c = key[++i];
        buffer_ += c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
      }
    }
    key = buffer_;
    return true;
  }

  // `member`: whether "." is in it, or nothing at all.
  bool ReadObject(FieldSet& set, bool& member, int depth) {
    if (depth > kMaxDepth) return Fail("too deep");
    if (!Take('{')) return Fail("expected an object");
    if (Take('}')) return member = true;
    do {
      std::string_view key;
      if (!ReadKey(key)) return false;
      if (!Take(':')) return Fail("expected ':'");
      FieldSet below;
      bool is_member = false;
      if (key == ".") {
        member = true;
        if (!ReadObject(below, is_member, depth + 1)) return false;
        continue;
      }
      Result<std::optional<PathElement>> element = PathElement::Parse(key);
      if (!element) return Fail(element.error().message());
      if (!ReadObject(below, is_member, depth + 1)) return false;
      if (!*element) continue;
      if (!is_member && below.empty()) is_member = true;
      const bool last = set.nodes().empty() || Compare(set.nodes().back().element, **element) < 0;
      FieldNode& node = last ? set.Append(**element) : set.At(**element);
      node.member |= is_member;
      if (!below.empty()) node.children = std::move(below);
    } while (Take(','));
    if (set.empty()) member = true;
    return Take('}') || Fail("expected ',' or '}'");
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string buffer_;
  std::optional<Error> error_;
};

// Whether it is written in quotes as it is.
bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; });
}

void AppendText(const FieldSet& set, bool self, std::string& out) {
  out += '{';
  if (self) out += "\".\":{}";
  bool first = !self;
  for (const FieldNode& node : set.nodes()) {
    if (!first) out += ',';
    first = false;
    node.element.AppendQuoted(out);
    out += ':';
    if (node.children.empty()) {
      out += "{}";
    } else {
      AppendText(node.children, node.member, out);
    }
  }
  out += '}';
}

void Visit(const FieldSet& set, FieldPath& path, const std::function<void(const FieldPath&)>& visit) {
  for (const FieldNode& node : set.nodes()) {
    if (!node.member) continue;
    path.push_back(node.element);
    visit(path);
    path.pop_back();
  }
  for (const FieldNode& node : set.nodes()) {
    path.push_back(node.element);
    Visit(node.children, path, visit);
    path.pop_back();
  }
}

}  // namespace

int CompareValues(const Json& a, const Json& b) {
  if (const int order = Order(Rank(a), Rank(b)); order != 0) return order;
  switch (a.kind()) {
    case Json::Kind::kInt:
      if (b.is_int()) return Order(a.integer(), b.integer());
      return Order(a.number(), b.number());
    case Json::Kind::kDouble: return Order(a.number(), b.number());
    case Json::Kind::kString: return Order(a.string().view().compare(b.string().view()), 0);
    case Json::Kind::kBool: return Order(a.boolean(), b.boolean());
    case Json::Kind::kList:
      for (size_t i = 0; i < a.list().size() && i < b.list().size(); ++i) {
        if (const int order = CompareValues(a.list()[i], b.list()[i]); order != 0) return order;
      }
      return Order(a.list().size(), b.list().size());
    case Json::Kind::kObject: return CompareMembers(a.object(), b.object());
    case Json::Kind::kNull: return 0;
  }
  return 0;
}

Result<std::optional<PathElement>> PathElement::Parse(std::string_view text) {
  const auto malformed = [&](std::string_view why) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("step \"{}\" of a path: {}", text, why));
  };
  if (text.size() < 2 || text[1] != ':') return malformed("expected a letter and a colon first");
  const std::string_view rest = text.substr(2);
  switch (text[0]) {
    case 'f': return std::optional(Field(rest));
    case 'v': {
      Result<Json> value = ParseJson(rest);
      if (!value) return malformed("expected a JSON value behind v:");
      return std::optional(Value(std::move(*value)));
    }
    case 'k': {
      Result<Json> keys = ParseJson(rest);
      if (!keys || !keys->is_object()) return malformed("expected a JSON object behind k:");
      return std::optional(Key(std::move(*keys)));
    }
    case 'i': {
      int64_t index = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
      if (error != std::errc() || end != rest.data() + rest.size()) return malformed("expected a number behind i:");
      return std::optional(Index(index));
    }
    default: return std::optional<PathElement>();
  }
}

std::string PathElement::ToString() const {
  switch (kind_) {
    case Kind::kField: return "." + name_.str();
    case Kind::kKey: {
      std::string shown;
      for (const auto& [key, value] : value_.object()) {
        shown.append(shown.empty() ? "[" : ",").append(key.view()).append("=").append(ShownValue(value));
      }
      return (shown.empty() ? "[" : shown) + "]";
    }
    case Kind::kValue: return "[=" + ShownValue(value_) + "]";
    case Kind::kIndex: return "[" + ShownValue(value_) + "]";
  }
  return {};
}

void PathElement::AppendText(std::string& out) const {
  switch (kind_) {
    case Kind::kField: out.append("f:").append(name_.view()); return;
    case Kind::kKey: {
      out += "k:{";
      bool first = true;
      for (const auto& [key, value] : value_.object()) {
        if (!first) out += ',';
        first = false;
        Quote(key, out, false);
        out += ':';
        AppendValue(value, out);
      }
      out += '}';
      return;
    }
    case Kind::kValue:
      out += "v:";
      AppendValue(value_, out);
      return;
    case Kind::kIndex:
      out += "i:";
      AppendValue(value_, out);
      return;
  }
}

void PathElement::AppendQuoted(std::string& out) const {
  if (kind_ == Kind::kField && IsPlain(name_)) {
    out.append("\"f:").append(name_.view()) += '"';
    return;
  }
  std::string text;
  AppendText(text);
  Quote(text, out, false);
}

int Compare(const PathElement& a, const PathElement& b) {
  if (a.kind_ != b.kind_) return a.kind_ < b.kind_ ? -1 : 1;
  switch (a.kind_) {
    case PathElement::Kind::kField: return Order(a.name_.view().compare(b.name_.view()), 0);
    case PathElement::Kind::kKey: return CompareMembers(a.value_.object(), b.value_.object());
    default: return CompareValues(a.value_, b.value_);
  }
}

std::string ToString(const FieldPath& path) {
  std::string shown;
  for (const PathElement& element : path) shown += element.ToString();
  return shown;
}

Result<FieldSet> FieldSet::Parse(std::string_view text) { return SetReader(text).Read(); }

FieldSet FieldSet::Of(std::initializer_list<std::initializer_list<std::string_view>> paths) {
  FieldSet set;
  for (const auto& names : paths) {
    FieldPath path;
    for (const std::string_view name : names) path.push_back(PathElement::Field(name));
    set.Insert(path);
  }
  return set;
}

const FieldNode* FieldSet::Find(const PathElement& element) const& {
  const auto at =
      std::lower_bound(nodes_.begin(), nodes_.end(), element,
                       [](const FieldNode& node, const PathElement& e) { return Compare(node.element, e) < 0; });
  return at != nodes_.end() && at->element == element ? &*at : nullptr;
}

bool FieldSet::Has(const FieldPath& path) const {
  const FieldSet* set = this;
  for (size_t i = 0; i < path.size(); ++i) {
    const FieldNode* node = set->Find(path[i]);
    if (node == nullptr) return false;
    if (i + 1 == path.size()) return node->member;
    set = &node->children;
  }
  return false;
}

FieldNode& FieldSet::Append(const PathElement& element) & { return nodes_.emplace_back(FieldNode{.element = element}); }

FieldNode& FieldSet::At(const PathElement& element) & {
  if (nodes_.empty() || Compare(nodes_.back().element, element) < 0) return Append(element);
  const auto at =
      std::lower_bound(nodes_.begin(), nodes_.end(), element,
                       [](const FieldNode& node, const PathElement& e) { return Compare(node.element, e) < 0; });
  if (at->element == element) return *at;
  return *nodes_.insert(at, FieldNode{.element = element});
}

void FieldSet::Insert(const PathElement& element) { At(element).member = true; }

void FieldSet::Insert(const FieldPath& path) {
  FieldSet* set = this;
  for (size_t i = 0; i < path.size(); ++i) {
    FieldNode& node = set->At(path[i]);
    if (i + 1 == path.size()) node.member = true;
    set = &node.children;
  }
}

FieldSet FieldSet::Union(const FieldSet& other) const {
  FieldSet all;
  all.nodes_.reserve(nodes_.size() + other.nodes_.size());
  auto a = nodes_.begin();
  auto b = other.nodes_.begin();
  while (a != nodes_.end() && b != other.nodes_.end()) {
    const int order = Compare(a->element, b->element);
    if (order < 0) {
      all.nodes_.push_back(*a++);
    } else if (order > 0) {
      all.nodes_.push_back(*b++);
    } else {
      all.nodes_.push_back({a->element, a->member || b->member, a->children.Union(b->children)});
      ++a, ++b;
    }
  }
  all.nodes_.insert(all.nodes_.end(), a, nodes_.end());
  all.nodes_.insert(all.nodes_.end(), b, other.nodes_.end());
  return all;
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet both;
  auto a = nodes_.begin();
  auto b = other.nodes_.begin();
  while (a != nodes_.end() && b != other.nodes_.end()) {
    const int order = Compare(a->element, b->element);
    if (order == 0) {
      FieldNode node{a->element, a->member && b->member, a->children.Intersection(b->children)};
      if (node.member || !node.children.empty()) both.nodes_.push_back(std::move(node));
    }
    if (order <= 0) ++a;
    if (order >= 0) ++b;
  }
  return both;
}

FieldSet FieldSet::Difference(const FieldSet& other) const {
  FieldSet rest;
  auto b = other.nodes_.begin();
  for (const FieldNode& node : nodes_) {
    while (b != other.nodes_.end() && Compare(b->element, node.element) < 0) ++b;
    if (b == other.nodes_.end() || !(b->element == node.element)) {
      rest.nodes_.push_back(node);
      continue;
    }
    FieldNode left{node.element, node.member && !b->member, node.children.Difference(b->children)};
    if (left.member || !left.children.empty()) rest.nodes_.push_back(std::move(left));
  }
  return rest;
}

FieldSet FieldSet::RecursiveDifference(const FieldSet& other) const {
  FieldSet rest;
  auto b = other.nodes_.begin();
  for (const FieldNode& node : nodes_) {
    while (b != other.nodes_.end() && Compare(b->element, node.element) < 0) ++b;
    if (b == other.nodes_.end() || !(b->element == node.element)) {
      rest.nodes_.push_back(node);
      continue;
    }
    if (b->member) continue;
    FieldNode left{node.element, node.member, node.children.RecursiveDifference(b->children)};
    if (left.member || !left.children.empty()) rest.nodes_.push_back(std::move(left));
  }
  return rest;
}

void FieldSet::ForEach(const std::function<void(const FieldPath&)>& visit) const {
  FieldPath path;
  Visit(*this, path, visit);
}

std::string FieldSet::ToText() const {
  std::string text;
  AppendText(*this, false, text);
  return text;
}

bool operator==(const FieldSet& a, const FieldSet& b) { return a.nodes_ == b.nodes_; }

}  // namespace keelson::apiserver
