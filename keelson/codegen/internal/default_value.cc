#include "keelson/codegen/internal/default_value.h"

#include <set>
#include <string>
#include <string_view>

#include "keelson/codegen/internal/clang_text.h"

namespace keelson::codegen::internal {

bool HasDefaultValue(CXCursor member) {
  CXTranslationUnit unit = clang_Cursor_getTranslationUnit(member);
  CXToken* tokens = nullptr;
  unsigned count = 0;
  clang_tokenize(unit, clang_getCursorExtent(member), &tokens, &count);
  const CXSourceLocation name = clang_getCursorLocation(member);
  bool behind_name = false;
  std::string initialiser;
  for (unsigned i = 0; i < count; ++i) {
    if (behind_name && clang_getTokenKind(tokens[i]) != CXToken_Comment) {
      initialiser += Text(clang_getTokenSpelling(unit, tokens[i]));
    }
    behind_name = behind_name || clang_equalLocations(clang_getTokenLocation(unit, tokens[i]), name) != 0;
  }
  clang_disposeTokens(unit, tokens, count);

  std::string_view value = initialiser;
  if (value.starts_with('=')) value.remove_prefix(1);
  if (value.starts_with('{') && value.ends_with('}')) value = value.substr(1, value.size() - 2);
  if (value.ends_with(';')) value.remove_suffix(1);
  static const std::set<std::string_view> kZeros = {"", "0", "0.0", "0.", "false", "\"\"", "nullopt", "std::nullopt"};
  return !kZeros.contains(value);
}

}  // namespace keelson::codegen::internal
