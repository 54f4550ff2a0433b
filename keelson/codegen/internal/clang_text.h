// Texts of libclang, which hands out strings to be given back.
#pragma once

#include <string>

#include "keelson/codegen/internal/late_libclang.h"

namespace keelson::codegen::internal {

inline std::string Text(CXString text) {
  const char* const characters = clang_getCString(text);
  std::string copy = characters == nullptr ? "" : characters;
  clang_disposeString(text);
  return copy;
}

inline std::string NameOf(CXCursor cursor) { return Text(clang_getCursorSpelling(cursor)); }

// "std::basic_string": without inline namespaces.
inline std::string QualifiedNameOf(CXCursor cursor) {
  std::string name = NameOf(cursor);
  for (CXCursor parent = clang_getCursorSemanticParent(cursor);
       !clang_Cursor_isNull(parent) && !clang_isInvalid(parent.kind) && !clang_isTranslationUnit(parent.kind);
       parent = clang_getCursorSemanticParent(parent)) {
    if (clang_Cursor_isInlineNamespace(parent) == 0) name = NameOf(parent) + "::" + name;
  }
  return name;
}

// Calls visit(child) for the direct children.
template <class Visit>
void ForEachChild(CXCursor parent, Visit visit) {
  clang_visitChildren(
      parent,
      [](CXCursor child, CXCursor, CXClientData data) {
        (*static_cast<Visit*>(data))(child);
        return CXChildVisit_Continue;
      },
      &visit);
}

}  // namespace keelson::codegen::internal
