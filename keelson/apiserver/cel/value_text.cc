// DebugText: how values look in messages.
#include <fmt/format.h>

#include <string>

#include "keelson/apiserver/cel/scalar_text.h"
#include "keelson/apiserver/cel/value.h"
#include "keelson/core/time.h"

namespace keelson::apiserver::cel {

namespace {

constexpr size_t kLongestText = 10'000;

void Append(const Value& value, Arena& arena, std::string& out) {
  if (out.size() > kLongestText) return;
  switch (value.kind()) {
    case ValueKind::kNull: out += "NULL_VALUE"; return;
    case ValueKind::kBool: out += value.boolean() ? "true" : "false"; return;
    case ValueKind::kInt: out += std::to_string(value.integer()); return;
    case ValueKind::kUint: out += std::to_string(value.uinteger()); return;
    case ValueKind::kDouble: out += FormatDouble(value.number()); return;
    case ValueKind::kError:
    case ValueKind::kString:
    case ValueKind::kType: out += value.text(); return;
    case ValueKind::kBytes: {
      out += '[';
      for (size_t i = 0; i < value.text().size() && out.size() <= kLongestText; ++i) {
        if (i > 0) out += ' ';
        out += std::to_string(static_cast<unsigned char>(value.text()[i]));
      }
      out += ']';
      return;
    }
    case ValueKind::kTimestamp: {
      std::string text = FormatTimestamp({.seconds = value.seconds(), .nanos = value.nanos(), .offset_minutes = 0});
      text.pop_back();
      text[text.find('T')] = ' ';
      out += text + " +0000 UTC";
      return;
    }
    case ValueKind::kDuration: out += FormatDuration(Duration(value.duration())); return;
    case ValueKind::kList:
      out += '[';
      for (size_t i = 0; i < Length(value) && out.size() <= kLongestText; ++i) {
        if (i > 0) out += ", ";
        Append(ItemAt(value, i, arena), arena, out);
      }
      out += ']';
      return;
    case ValueKind::kMap: {
      out += '{';
      bool first = true;
      for (const Value& key : KeysOf(value, arena)) {
        if (out.size() > kLongestText) break;
        if (!first) out += ", ";
        first = false;
        Append(key, arena, out);
        out += ": ";
        Value member;
        if (FindMember(value, key, arena, &member) != Lookup::kMissing) Append(member, arena, out);
      }
      out += '}';
      return;
    }
    case ValueKind::kOptional:
      if (value.optional() == nullptr) {
        out += "optional.none()";
        return;
      }
      out += "optional(";
      Append(*value.optional(), arena, out);
      out += ')';
      return;
    case ValueKind::kOpaque: {
      const Value text = value.opaque()->ToText(arena);
      out += text.is_string() ? text.text() : value.opaque()->TypeName();
      return;
    }
  }
}

}  // namespace

std::string DebugText(const Value& value, Arena& arena) {
  std::string out;
  Append(value, arena, out);
  return out;
}

}  // namespace keelson::apiserver::cel
