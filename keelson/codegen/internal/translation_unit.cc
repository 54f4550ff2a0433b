#include "keelson/codegen/internal/translation_unit.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "keelson/codegen/internal/clang_text.h"
#include "keelson/codegen/internal/header_stubs.h"

namespace keelson::codegen::internal {

namespace {

namespace fs = std::filesystem;

// The file that includes all headers, which is nowhere on disk.
constexpr const char* kMainFile = "/keelson-generate-input.cc";
// Likewise, of the stand-ins for standard headers.
constexpr const char* kStandardStubDirectory = "/keelson-generate-stubs";

std::string RealPath(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal().string() : real.string();
}

bool IsBelow(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

bool HoldsKeelson(const fs::path& directory) {
  std::error_code error;
  return fs::exists(directory / "keelson/api/type.h", error) || fs::exists(directory / "keelson/api/meta/v1.h", error);
}

// Those of the installation that this program belongs to, else those of the source tree it was built in.
std::vector<std::string> FindKeelson() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "include";
  if (!error && HoldsKeelson(installed)) return {installed.string()};
  std::vector<std::string> found;
  for (const char* directory : {KEELSON_SOURCE_INCLUDE, KEELSON_GENERATED_INCLUDE}) {
    if (HoldsKeelson(directory)) found.emplace_back(directory);
  }
  return found;
}

bool IsError(CXDiagnostic diagnostic) { return clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error; }

// What stands between quotes behind `prefix`.
std::optional<std::string> QuotedAfter(const std::string& message, std::string_view prefix) {
  const size_t at = message.find(prefix);
  if (at == message.npos) return std::nullopt;
  const size_t start = message.find('\'', at);
  const size_t end = start == message.npos ? start : message.find('\'', start + 1);
  if (end == message.npos) return std::nullopt;
  return message.substr(start + 1, end - start - 1);
}

// The members of the user's structs, to name the one that an error is about.
struct MemberSearch {
  TranslationUnit& unit;
  const Place& place;
  CXCursor found = clang_getNullCursor();

  void In(CXCursor parent) {
    ForEachChild(parent, [this](CXCursor child) {
      const Extent extent = unit.ExtentOf(child);
      if (unit.PlaceOf(child).file != place.file) return;
      const auto at = std::pair(place.line, place.column);
      if (at < std::pair(extent.line, extent.column) || at >= std::pair(extent.end_line, extent.end_column)) return;
      if (child.kind == CXCursor_FieldDecl) found = child;
      if (child.kind == CXCursor_Namespace || child.kind == CXCursor_StructDecl) In(child);
    });
  }
};

}  // namespace

std::unique_ptr<TranslationUnit> TranslationUnit::Parse(const std::vector<std::string>& headers,
                                                        const HeaderReadOptions& options, Diagnostics& problems) {
  if (!LibclangProblem().empty()) {
    problems.Add({.file = headers.front(), .line = 0, .column = 0}, LibclangProblem());
    return nullptr;
  }
  std::unique_ptr<TranslationUnit> unit(new TranslationUnit());
  unit->headers_ = headers;
  for (size_t i = 0; i < headers.size(); ++i) {
    const std::string real = RealPath(headers[i]);
    unit->given_.emplace(real, static_cast<int>(i));
    const fs::path directory = fs::path(headers[i]).parent_path();
    unit->given_directories_.emplace(fs::path(real).parent_path().string(), directory.string());
  }
  unit->keelson_directories_ = FindKeelson();
  for (const std::string& directory : options.include_directories) {
    if (HoldsKeelson(directory)) unit->keelson_directories_.push_back(RealPath(directory));
  }
  for (const Stubs stubs : {Stubs::kAll, Stubs::kKeelsons, Stubs::kNone}) {
    if (unit->TryParse(options, stubs)) return unit;
  }
  unit->ReportErrors(problems);
  return nullptr;
}

TranslationUnit::~TranslationUnit() {
  if (unit_ != nullptr) clang_disposeTranslationUnit(unit_);
  if (index_ != nullptr) clang_disposeIndex(index_);
}

bool TranslationUnit::TryParse(const HeaderReadOptions& options, Stubs stubs) {
  if (unit_ != nullptr) clang_disposeTranslationUnit(unit_);
  unit_ = nullptr;
  by_handle_.clear();
  files_.clear();
  if (index_ == nullptr) index_ = clang_createIndex(0, 0);

  std::vector<std::string> arguments = {"-xc++", "-std=c++20", "-w", "-ferror-limit=100", "-fspell-checking"};
  if (std::error_code error; fs::exists(KEELSON_CLANG_RESOURCES, error)) {
    arguments.emplace_back("-resource-dir=" KEELSON_CLANG_RESOURCES);
  }
  for (const std::string& define : options.defines) arguments.push_back("-D" + define);
  for (const std::string& directory : options.include_directories) arguments.push_back("-I" + directory);
  for (const std::string& directory : keelson_directories_) arguments.push_back("-I" + directory);
  if (stubs == Stubs::kAll) arguments.push_back(std::string("-isystem") + kStandardStubDirectory);
  std::vector<const char*> argument_pointers;
  for (const std::string& argument : arguments) argument_pointers.push_back(argument.c_str());

  std::string main_text;
  for (const std::string& header : headers_) {
    main_text += "#include \"" + fs::absolute(header).lexically_normal().string() + "\"\n";
  }
  std::vector<CXUnsavedFile> unsaved = {{kMainFile, main_text.data(), main_text.size()}};
  std::vector<std::string> stub_paths;
  for (const std::string& directory : keelson_directories_) {
    for (const std::string_view header : kValueHeaders) {
      std::string path = directory + "/keelson/api/" + std::string(header);
      if (std::error_code error; stubs != Stubs::kNone && fs::exists(path, error))
        stub_paths.push_back(std::move(path));
    }
  }
  const size_t keelsons = stub_paths.size();
  if (stubs == Stubs::kAll) {
    stub_paths.push_back(std::string(kStandardStubDirectory) + "/keelson_standard_stubs");
    for (const std::string_view header : kStandardHeaders) {
      stub_paths.push_back(std::string(kStandardStubDirectory) + "/" + std::string(header));
    }
  }
  constexpr std::string_view kIncludeValues = "#pragma once\n#include \"keelson/api/values.h\"\n";
  constexpr std::string_view kIncludeStandard = "#pragma once\n#include <keelson_standard_stubs>\n";
  for (size_t i = 0; i < stub_paths.size(); ++i) {
    const std::string_view text = i < keelsons    ? stub_paths[i].ends_with("/values.h") ? kValueStubs : kIncludeValues
                                  : i == keelsons ? kStandardStubs
                                                  : kIncludeStandard;
    unsaved.push_back({stub_paths[i].c_str(), text.data(), text.size()});
  }

  // Going on after a missing include shows all of them at once.
  const unsigned flags =
      CXTranslationUnit_SkipFunctionBodies | CXTranslationUnit_Incomplete | CXTranslationUnit_KeepGoing;
  const CXErrorCode code = clang_parseTranslationUnit2(index_, kMainFile, argument_pointers.data(),
                                                       static_cast<int>(argument_pointers.size()), unsaved.data(),
                                                       static_cast<unsigned>(unsaved.size()), flags, &unit_);
  if (code != CXError_Success || unit_ == nullptr) return false;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit_); ++i) {
    const CXDiagnostic diagnostic = clang_getDiagnostic(unit_, i);
    const bool error = IsError(diagnostic);
    clang_disposeDiagnostic(diagnostic);
    if (error) return false;
  }
  return true;
}

void TranslationUnit::ReportErrors(Diagnostics& problems) {
  if (unit_ == nullptr) {
    problems.Add({.file = headers_.front(), .line = 0, .column = 0}, "libclang could not read the headers");
    return;
  }
  std::vector<Diagnostic> missing, others;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit_); ++i) {
    const CXDiagnostic diagnostic = clang_getDiagnostic(unit_, i);
    const std::string message = Text(clang_getDiagnosticSpelling(diagnostic));
    if (IsError(diagnostic) && message.find("too many errors") == message.npos) {
      (message.ends_with("file not found") ? missing : others).push_back(Explain(diagnostic));
    }
    clang_disposeDiagnostic(diagnostic);
  }
  // What follows from a missing file is not worth reading, nor what else is wrong at the same place.
  std::set<SourcePosition> seen;
  for (Diagnostic& problem : missing.empty() ? others : missing) {
    if (seen.insert(problem.position).second) problems.Add(std::move(problem.position), std::move(problem.message));
  }
}

Diagnostic TranslationUnit::Explain(CXDiagnostic diagnostic) {
  const std::string message = Text(clang_getDiagnosticSpelling(diagnostic));
  const Place place = UsersPlaceOf(diagnostic);
  if (message.ends_with("file not found")) {
    const std::string hint =
        message.find("'keelson/") != message.npos && keelson_directories_.empty()
            ? ": the headers of Keelson are not installed beside this program; pass their directory with -I DIR"
            : ": pass the directory that this name begins at with -I DIR";
    return {place.position(), message + hint};
  }
  const bool unknown_name = message.starts_with("unknown type name") || message.starts_with("no type named") ||
                            message.starts_with("no template named") || message.starts_with("use of undeclared");
  if (unknown_name && message.find("did you mean") == message.npos) {
    return {place.position(), message + ": include the header that declares it, or declare it above"};
  }
  const CXCursor member = MemberAt(place);
  if (clang_Cursor_isNull(member)) return {place.position(), message};
  const std::optional<std::string> incomplete = QuotedAfter(message, "incomplete type");
  if (!incomplete) {
    const bool elsewhere = PlaceOf(clang_getDiagnosticLocation(diagnostic)).file != place.file;
    return {elsewhere ? PlaceOf(member).position() : place.position(),
            elsewhere ? "member '" + NameOf(member) + "': " + message : message};
  }
  const CXCursor owner = clang_getCursorSemanticParent(member);
  const bool itself = *incomplete == QualifiedNameOf(owner) || *incomplete == NameOf(owner);
  const std::string instead = "write keelson::RawExtension with +kubebuilder:pruning:PreserveUnknownFields";
  std::string text = "member '" + NameOf(member) + "' ";
  if (itself) {
    text += "would make '" + NameOf(owner) +
            "' hold itself without indirection. The schema of a custom resource has no cycles at all: " + instead;
  } else {
    text += "needs '" + *incomplete +
            "', which is not defined above it: define it first, or include its header. If it " + "holds '" +
            NameOf(owner) + "' in turn, that is a cycle without indirection: " + instead + " for one of the two";
  }
  return {PlaceOf(member).position(), text};
}

CXCursor TranslationUnit::MemberAt(const Place& place) {
  MemberSearch search = {.unit = *this, .place = place};
  if (place.file != nullptr && place.file->IsUsers()) search.In(root());
  return search.found;
}

// An error inside a standard header has a note that says which line of the user's led there.
Place TranslationUnit::UsersPlaceOf(CXDiagnostic diagnostic) {
  const Place place = PlaceOf(clang_getDiagnosticLocation(diagnostic));
  if (place.file != nullptr && place.file->IsUsers()) return place;
  const CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
  Place found = place;
  for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); ++i) {
    const CXDiagnostic note = clang_getDiagnosticInSet(notes, i);
    const Place at = PlaceOf(clang_getDiagnosticLocation(note));
    const bool include = Text(clang_getDiagnosticSpelling(note)).starts_with("in file included from");
    clang_disposeDiagnostic(note);
    const bool better = !include && (found.file == nullptr || !found.file->IsUsers());
    if (better && at.file != nullptr && at.file->IsUsers()) found = at;
  }
  return found;
}

Place TranslationUnit::PlaceOf(CXSourceLocation location) {
  CXFile file = nullptr;
  unsigned line = 0, column = 0;
  clang_getExpansionLocation(location, &file, &line, &column, nullptr);
  if (file == nullptr) return {};
  return {.file = FileOf(file, clang_Location_isInSystemHeader(location) != 0),
          .line = static_cast<int>(line),
          .column = static_cast<int>(column)};
}

Extent TranslationUnit::ExtentOf(CXCursor cursor) {
  const CXSourceRange range = clang_getCursorExtent(cursor);
  const Place start = PlaceOf(clang_getRangeStart(range)), end = PlaceOf(clang_getRangeEnd(range));
  return {.line = start.line, .column = start.column, .end_line = end.line, .end_column = end.column};
}

const SourceFile* TranslationUnit::FileOf(CXFile file, bool system) {
  const SourceFile*& known = by_handle_[file];
  if (known != nullptr) return known;
  const std::string name = Text(clang_getFileName(file));
  std::unique_ptr<SourceFile>& described = files_[RealPath(name)];
  if (described == nullptr) described = Describe(name, system);
  return known = described.get();
}

std::unique_ptr<SourceFile> TranslationUnit::Describe(const std::string& name, bool system) {
  auto file = std::make_unique<SourceFile>();
  file->path = file->real_path = RealPath(name);
  if (const auto given = given_.find(file->real_path); given != given_.end()) {
    file->owner = SourceFile::Owner::kGiven;
    file->given_index = given->second;
    file->path = headers_[static_cast<size_t>(given->second)];
    return file;
  }
  if (system || name == kMainFile) return file;
  const bool keelsons = std::any_of(
      keelson_directories_.begin(), keelson_directories_.end(),
      [&](const std::string& directory) { return IsBelow(file->real_path, RealPath(directory) + "/keelson"); });
  file->owner = keelsons ? SourceFile::Owner::kKeelson : SourceFile::Owner::kIncluded;
  if (keelsons) return file;
  const fs::path real = file->real_path;
  if (const auto beside = given_directories_.find(real.parent_path().string()); beside != given_directories_.end()) {
    file->path = (fs::path(beside->second) / real.filename()).string();
  } else if (std::error_code error; IsBelow(file->real_path, RealPath(fs::current_path(error)))) {
    file->path = real.lexically_relative(RealPath(fs::current_path(error))).string();
  }
  return file;
}

std::vector<std::string> TranslationUnit::FilesRead() {
  std::vector<CXFile> handles;
  clang_getInclusions(
      unit_,
      [](CXFile file, CXSourceLocation*, unsigned, CXClientData data) {
        static_cast<std::vector<CXFile>*>(data)->push_back(file);
      },
      &handles);
  std::set<std::string> paths;
  for (const CXFile handle : handles) {
    const CXSourceLocation start = clang_getLocationForOffset(unit_, handle, 0);
    const SourceFile* const file = FileOf(handle, clang_Location_isInSystemHeader(start) != 0);
    if (file->owner != SourceFile::Owner::kSystem) paths.insert(file->path);
  }
  return {paths.begin(), paths.end()};
}

std::vector<const SourceFile*> TranslationUnit::UsersFiles() {
  FilesRead();  // knows them all
  std::vector<const SourceFile*> users;
  for (const auto& [real_path, file] : files_) {
    if (file->IsUsers()) users.push_back(file.get());
  }
  return users;
}

std::string TranslationUnit::TextOf(const SourceFile& file) {
  for (const auto& [handle, known] : by_handle_) {
    if (known != &file) continue;
    size_t size = 0;
    const char* const text = clang_getFileContents(unit_, handle, &size);
    if (text != nullptr) return std::string(text, size);
  }
  return "";
}

}  // namespace keelson::codegen::internal
