#include "keelson/codegen/cpp_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace keelson::codegen {

namespace {

// In order of their characters: searched by halves. The last of them are types that generated members use, and macros
// of the C library or of compilers (`linux` is 1 where GNU extensions are on).
constexpr auto kReserved = std::to_array<std::string_view>({
    "BUFSIZ",
    "DOMAIN",
    "EOF",
    "HUGE_VAL",
    "INFINITY",
    "NAN",
    "NULL",
    "OVERFLOW",
    "RAND_MAX",
    "SEEK_CUR",
    "SEEK_END",
    "SEEK_SET",
    "UNDERFLOW",
    "WEOF",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "i386",
    "if",
    "inline",
    "int",
    "int32_t",
    "int64_t",
    "keelson",
    "linux",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "offsetof",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "std",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
});
static_assert(std::is_sorted(kReserved.begin(), kReserved.end()));

bool IsAlphanumeric(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && std::isalnum(byte) != 0;
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char ToUpper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

bool EndsWithAny(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return text.ends_with(ending); });
}

}  // namespace

bool IsIdentifier(std::string_view text) {
  return !text.empty() && !IsDigit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return c == '_' || IsAlphanumeric(c); });
}

bool IsReservedName(std::string_view name) { return std::binary_search(kReserved.begin(), kReserved.end(), name); }

std::string MemberName(std::string_view json_name) {
  std::string member;
  bool next_is_upper = false;
  for (const char c : json_name) {
    if (c != '_' && !IsAlphanumeric(c)) {
      next_is_upper = !member.empty();
      continue;
    }
    member += next_is_upper ? ToUpper(c) : c;
    next_is_upper = false;
  }
  if (member.empty()) return "field";
  if (IsDigit(member.front())) member.insert(0, "_");
  if (json_name.starts_with('$') || IsReservedName(member)) member += '_';
  return member;
}

std::string_view JsonNameOf(std::string_view member) {
  if (member.size() > 1 && member.ends_with('_')) member.remove_suffix(1);
  return member;
}

std::string TypeNamePart(std::string_view json_name) {
  std::string part;
  bool next_is_upper = true;
  for (const char c : json_name) {
    if (!IsAlphanumeric(c)) {
      next_is_upper = true;
      continue;
    }
    part += next_is_upper ? ToUpper(c) : c;
    next_is_upper = false;
  }
  return part.empty() ? "Field" : part;
}

std::string SingularOf(std::string_view name) {
  const size_t length = name.size();
  if (length > 4 && name.ends_with("ies")) return std::string(name.substr(0, length - 3)) + "y";
  if (length > 4 && EndsWithAny(name, {"sses", "xes", "ches", "shes"})) return std::string(name.substr(0, length - 2));
  if (length > 3 && name.ends_with('s') && !EndsWithAny(name, {"ss", "us", "is"})) {
    return std::string(name.substr(0, length - 1));
  }
  return std::string(name);
}

std::string NamespaceName(std::string_view group) {
  std::string name;
  for (const char c : group) name += IsAlphanumeric(c) ? c : '_';
  if (name.empty() || IsDigit(name.front())) name.insert(0, "n");
  if (IsReservedName(name)) name += '_';
  return name;
}

}  // namespace keelson::codegen
