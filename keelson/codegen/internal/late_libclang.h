// libclang, loaded when it is first called: what generates nothing starts without it and its hundred megabytes.
//
// In this namespace clang_createIndex and its like are objects that look like the functions of clang-c/Index.h, which
// they hide; so code here calls them as ever. A new function is one more line below.
#pragma once

#include <clang-c/Index.h>

#include <atomic>
#include <string>

namespace keelson::codegen {

// Why libclang cannot be loaded; empty when it can. To be asked before the first call of one of its functions, which
// otherwise end the process with that message.
const std::string& LibclangProblem();

namespace internal {

void* FindInLibclang(const char* name);

template <class Function>
class LateFunction;
template <class Answer, class... Arguments>
class LateFunction<Answer (*)(Arguments...)> {
 public:
  explicit constexpr LateFunction(const char* name) : name_(name) {}

  Answer operator()(Arguments... arguments) const {
    void* found = found_.load(std::memory_order_acquire);
    if (found == nullptr) {
      found = FindInLibclang(name_);
      found_.store(found, std::memory_order_release);
    }
    return reinterpret_cast<Answer (*)(Arguments...)>(found)(arguments...);
  }

 private:
  const char* const name_;
  mutable std::atomic<void*> found_{nullptr};
};

}  // namespace internal

#define KEELSON_LATE(name) inline constinit const internal::LateFunction<decltype(&::name)> name(#name)
KEELSON_LATE(clang_CXXMethod_isVirtual);
KEELSON_LATE(clang_Cursor_getTranslationUnit);
KEELSON_LATE(clang_Cursor_isAnonymous);
KEELSON_LATE(clang_Cursor_isAnonymousRecordDecl);
KEELSON_LATE(clang_Cursor_isBitField);
KEELSON_LATE(clang_Cursor_isInlineNamespace);
KEELSON_LATE(clang_Cursor_isNull);
KEELSON_LATE(clang_EnumDecl_isScoped);
KEELSON_LATE(clang_Location_isInSystemHeader);
KEELSON_LATE(clang_Type_getNamedType);
KEELSON_LATE(clang_Type_getNumTemplateArguments);
KEELSON_LATE(clang_Type_getTemplateArgumentAsType);
KEELSON_LATE(clang_createIndex);
KEELSON_LATE(clang_disposeDiagnostic);
KEELSON_LATE(clang_disposeIndex);
KEELSON_LATE(clang_disposeString);
KEELSON_LATE(clang_disposeTokens);
KEELSON_LATE(clang_disposeTranslationUnit);
KEELSON_LATE(clang_equalCursors);
KEELSON_LATE(clang_equalLocations);
KEELSON_LATE(clang_equalTypes);
KEELSON_LATE(clang_getArrayElementType);
KEELSON_LATE(clang_getCString);
KEELSON_LATE(clang_getCXXAccessSpecifier);
KEELSON_LATE(clang_getCanonicalType);
KEELSON_LATE(clang_getChildDiagnostics);
KEELSON_LATE(clang_getCursorDefinition);
KEELSON_LATE(clang_getCursorExtent);
KEELSON_LATE(clang_getCursorLocation);
KEELSON_LATE(clang_getCursorSemanticParent);
KEELSON_LATE(clang_getCursorSpelling);
KEELSON_LATE(clang_getCursorType);
KEELSON_LATE(clang_getDiagnostic);
KEELSON_LATE(clang_getDiagnosticInSet);
KEELSON_LATE(clang_getDiagnosticLocation);
KEELSON_LATE(clang_getDiagnosticSeverity);
KEELSON_LATE(clang_getDiagnosticSpelling);
KEELSON_LATE(clang_getExpansionLocation);
KEELSON_LATE(clang_getFileContents);
KEELSON_LATE(clang_getFileName);
KEELSON_LATE(clang_getInclusions);
KEELSON_LATE(clang_getLocationForOffset);
KEELSON_LATE(clang_getNullCursor);
KEELSON_LATE(clang_getNumDiagnostics);
KEELSON_LATE(clang_getNumDiagnosticsInSet);
KEELSON_LATE(clang_getNumOverloadedDecls);
KEELSON_LATE(clang_getOverloadedDecl);
KEELSON_LATE(clang_getPointeeType);
KEELSON_LATE(clang_getRangeEnd);
KEELSON_LATE(clang_getRangeStart);
KEELSON_LATE(clang_getSpecializedCursorTemplate);
KEELSON_LATE(clang_getTokenKind);
KEELSON_LATE(clang_getTokenLocation);
KEELSON_LATE(clang_getTokenSpelling);
KEELSON_LATE(clang_getTranslationUnitCursor);
KEELSON_LATE(clang_getTypeDeclaration);
KEELSON_LATE(clang_getTypeSpelling);
KEELSON_LATE(clang_getTypedefDeclUnderlyingType);
KEELSON_LATE(clang_getUnqualifiedType);
KEELSON_LATE(clang_hashCursor);
KEELSON_LATE(clang_isConstQualifiedType);
KEELSON_LATE(clang_isCursorDefinition);
KEELSON_LATE(clang_isInvalid);
KEELSON_LATE(clang_isTranslationUnit);
KEELSON_LATE(clang_isVirtualBase);
KEELSON_LATE(clang_isVolatileQualifiedType);
KEELSON_LATE(clang_parseTranslationUnit2);
KEELSON_LATE(clang_tokenize);
KEELSON_LATE(clang_visitChildren);
#undef KEELSON_LATE

}  // namespace keelson::codegen
