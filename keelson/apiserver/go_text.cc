#include "keelson/apiserver/go_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "keelson/codec/internal/go_text.h"

namespace keelson::apiserver {

namespace {

struct CodePointRange {
  uint32_t first;
  uint32_t last;
};

// What %q does not show as it is, beyond ASCII: controls, spaces other than the plain one, formats, surrogates, private
// use, noncharacters. Unassigned code points are taken to be printable.
constexpr std::array<CodePointRange, 22> kUnprintable = {{
    {0x80, 0xa0},       {0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},      {0x6dd, 0x6dd},   {0x70f, 0x70f},
    {0x890, 0x891},     {0x8e2, 0x8e2},     {0x1680, 0x1680},   {0x180e, 0x180e},    {0x2000, 0x200f}, {0x2028, 0x202f},
    {0x205f, 0x206f},   {0x3000, 0x3000},   {0xd800, 0xf8ff},   {0xfeff, 0xfeff},    {0xfff0, 0xfffb}, {0xfffe, 0xffff},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe00ff}, {0xe01f0, 0x10ffff},
}};

bool IsPrintable(uint32_t code_point) {
  if (code_point < 0x80) return code_point >= 0x20 && code_point != 0x7f;
  const auto range = std::lower_bound(kUnprintable.begin(), kUnprintable.end(), code_point,
                                      [](const CodePointRange& r, uint32_t c) { return r.last < c; });
  return range == kUnprintable.end() || code_point < range->first;
}

}  // namespace

uint32_t NextCodePoint(std::string_view text, size_t& position) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(position++);
  if (first < 0x80) return first;
  const int following = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;
  if (following == 0 || first > 0xf4 || position + following > text.size()) return kReplacementCharacter;
  uint32_t code_point = first & (0x3f >> following);
  for (int i = 0; i < following; ++i) {
    const unsigned char next = byte(position + i);
    if ((next & 0xc0) != 0x80) return kReplacementCharacter;
    code_point = code_point << 6 | (next & 0x3f);
  }
  constexpr std::array<uint32_t, 4> kSmallest = {0, 0x80, 0x800, 0x10000};
  if (code_point < kSmallest[following] || code_point > 0x10ffff || (code_point >= 0xd800 && code_point <= 0xdfff)) {
    return kReplacementCharacter;
  }
  position += following;
  return code_point;
}

void AppendCodePoint(std::string& out, uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) c = kReplacementCharacter;
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int following = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr std::array<uint32_t, 4> kLead = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(kLead[following] | c >> (6 * following));
  for (int i = following - 1; i >= 0; --i) out += static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
}

std::vector<uint32_t> DecodeCodePoints(std::string_view text) {
  std::vector<uint32_t> code_points;
  code_points.reserve(text.size());
  for (size_t i = 0; i < text.size();) code_points.push_back(NextCodePoint(text, i));
  return code_points;
}

std::string FromCodePoints(const uint32_t* begin, const uint32_t* end) {
  std::string text;
  for (; begin != end; ++begin) AppendCodePoint(text, *begin);
  return text;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (size_t i = 0; i < text.size();) {
    const size_t start = i;
    const uint32_t c = NextCodePoint(text, i);
    if (c == kReplacementCharacter && i - start == 1) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[start]));
      continue;
    }
    switch (c) {
      case '"': quoted += "\\\""; break;
      case '\\': quoted += "\\\\"; break;
      case '\a': quoted += "\\a"; break;
      case '\b': quoted += "\\b"; break;
      case '\f': quoted += "\\f"; break;
      case '\n': quoted += "\\n"; break;
      case '\r': quoted += "\\r"; break;
      case '\t': quoted += "\\t"; break;
      case '\v': quoted += "\\v"; break;
      default:
        if (IsPrintable(c)) {
          quoted += text.substr(start, i - start);
        } else if (c < 0x80) {
          quoted += fmt::format("\\x{:02x}", c);
        } else if (c < 0x10000) {
          quoted += fmt::format("\\u{:04x}", c);
        } else {
          quoted += fmt::format("\\U{:08x}", c);
        }
    }
  }
  return quoted += '"';
}

std::string GoFloat(double value) {
  std::string text;
  internal::AppendGoDouble(value, text);
  return text;
}

std::string GoText(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "<nil>";
    case Json::Kind::kBool: return value.boolean() ? "true" : "false";
    case Json::Kind::kInt:
    case Json::Kind::kDouble: return GoFloat(value.number());
    case Json::Kind::kString: return value.string().str();
    case Json::Kind::kList: {
      std::string shown = "[";
      for (const Json& item : value.list()) shown.append(shown.size() > 1 ? " " : "").append(GoText(item));
      return shown + "]";
    }
    case Json::Kind::kObject: {
      std::string shown;
      for (const auto& [key, member] : value.object()) {
        shown.append(shown.empty() ? "" : " ").append(key.view()).append(":").append(GoText(member));
      }
      return "map[" + shown + "]";
    }
  }
  return {};
}

std::string GoSyntax(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "interface {}(nil)";
    case Json::Kind::kString: return Quoted(value.string());
    case Json::Kind::kList: {
      std::string shown;
      for (const Json& item : value.list()) shown.append(shown.empty() ? "" : ", ").append(GoSyntax(item));
      return "[]interface {}{" + shown + "}";
    }
    case Json::Kind::kObject: {
      std::string shown;
      for (const auto& [key, member] : value.object()) {
        shown.append(shown.empty() ? "" : ", ").append(Quoted(key)).append(":").append(GoSyntax(member));
      }
      return "map[string]interface {}{" + shown + "}";
    }
    default: return GoText(value);
  }
}

std::string_view GoTypeName(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "<nil>";
    case Json::Kind::kBool: return "bool";
    case Json::Kind::kInt: return "int64";
    case Json::Kind::kDouble: return "float64";
    case Json::Kind::kString: return "string";
    case Json::Kind::kList: return "[]interface {}";
    case Json::Kind::kObject: return "map[string]interface {}";
  }
  return {};
}

bool IsSpace(uint32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

std::string_view TrimSpace(std::string_view text) {
  size_t begin = text.size();
  size_t end = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t start = i;
    if (IsSpace(NextCodePoint(text, i))) continue;
    begin = std::min(begin, start);
    end = i;
  }
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

}  // namespace keelson::apiserver
