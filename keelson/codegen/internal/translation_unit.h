// The user's headers as libclang understands them, in one translation unit, and whose each file is.
//
//   std::unique_ptr<TranslationUnit> unit = TranslationUnit::Parse(headers, options, problems);
//   if (unit == nullptr) return;     // it does not compile: `problems` say why
//   ForEachChild(unit->root(), …);
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "keelson/codegen/header_reader.h"
#include "keelson/codegen/internal/attached_comments.h"
#include "keelson/codegen/internal/late_libclang.h"
#include "keelson/codegen/source_position.h"

namespace keelson::codegen::internal {

struct SourceFile {
  enum class Owner { kGiven, kIncluded, kKeelson, kSystem };

  Owner owner = Owner::kSystem;
  std::string path;       // as given to the reader; of others as short as it can be said
  std::string real_path;  // tells files apart
  int given_index = -1;   // among the headers given

  bool IsUsers() const { return owner == Owner::kGiven || owner == Owner::kIncluded; }
};

// Where something stands. Of what a macro made: where the macro is used.
struct Place {
  const SourceFile* file = nullptr;  // null: nowhere, made by the compiler
  int line = 0;
  int column = 0;

  SourcePosition position() const {
    return {.file = file == nullptr ? "" : file->path, .line = line, .column = column};
  }
};

class TranslationUnit {
 public:
  static std::unique_ptr<TranslationUnit> Parse(const std::vector<std::string>& headers,
                                                const HeaderReadOptions& options, Diagnostics& problems);
  ~TranslationUnit();
  TranslationUnit(const TranslationUnit&) = delete;
  TranslationUnit& operator=(const TranslationUnit&) = delete;

  CXCursor root() const { return clang_getTranslationUnitCursor(unit_); }
  Place PlaceOf(CXSourceLocation location);
  Place PlaceOf(CXCursor cursor) { return PlaceOf(clang_getCursorLocation(cursor)); }
  Extent ExtentOf(CXCursor cursor);

  // All that was read, but not the system's, sorted.
  std::vector<std::string> FilesRead();
  // The user's, by their real paths.
  std::vector<const SourceFile*> UsersFiles();
  std::string TextOf(const SourceFile& file);

 private:
  TranslationUnit() = default;
  // Which headers are replaced by stand-ins.
  enum class Stubs { kAll, kKeelsons, kNone };
  bool TryParse(const HeaderReadOptions& options, Stubs stubs);
  void ReportErrors(Diagnostics& problems);
  Diagnostic Explain(CXDiagnostic diagnostic);
  CXCursor MemberAt(const Place& place);
  Place UsersPlaceOf(CXDiagnostic diagnostic);
  const SourceFile* FileOf(CXFile file, bool system);
  std::unique_ptr<SourceFile> Describe(const std::string& name, bool system);

  std::vector<std::string> headers_;
  std::vector<std::string> keelson_directories_;
  std::map<std::string, int> given_;                      // index by real path
  std::map<std::string, std::string> given_directories_;  // as given, by real path
  std::map<CXFile, const SourceFile*> by_handle_;
  std::map<std::string, std::unique_ptr<SourceFile>> files_;  // by real path
  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
};

}  // namespace keelson::codegen::internal
