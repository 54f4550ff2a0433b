#include "keelson/codegen/header_reader.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "keelson/codegen/internal/attached_comments.h"
#include "keelson/codegen/internal/clang_text.h"
#include "keelson/codegen/internal/default_value.h"
#include "keelson/codegen/internal/member_type.h"
#include "keelson/codegen/internal/model_checks.h"
#include "keelson/codegen/internal/readable_headers.h"
#include "keelson/codegen/internal/translation_unit.h"

namespace keelson::codegen {

namespace {

using internal::AttachedComments;
using internal::Extent;
using internal::ForEachChild;
using internal::NameOf;
using internal::Place;
using internal::QualifiedNameOf;
using internal::SourceFile;
using internal::TranslationUnit;
namespace fs = std::filesystem;

constexpr int kLongestAliasChain = 64;
// What `generate code` writes into the user's directory: derived from the headers, so no source of types.
constexpr std::string_view kGeneratedHeader = "generated.h";

// The value of `+name=value`, which may be quoted; nothing when it is another marker.
std::optional<std::string> ValueOf(const Marker& marker, std::string_view name) {
  std::string_view text = marker.text;
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  if (text.starts_with(":=")) text.remove_prefix(1);
  if (text.empty()) return "";
  if (text.front() != '=') return std::nullopt;
  text.remove_prefix(1);
  for (const char quote : {'"', '`'}) {
    if (text.size() >= 2 && text.front() == quote && text.back() == quote) {
      return std::string(text.substr(1, text.size() - 2));
    }
  }
  return std::string(text);
}

bool HasMarker(const Comment& comment, std::string_view text) {
  return std::any_of(comment.markers.begin(), comment.markers.end(),
                     [text](const Marker& marker) { return marker.text == text; });
}

// A type that stands in one of the user's headers.
struct Entry {
  CXCursor cursor;
  const SourceFile* file = nullptr;
  Comment comment;
  bool unused = true;  // no declaration was made of it
  StructDecl* structure = nullptr;
  EnumDecl* enumeration = nullptr;
  AliasDecl* alias = nullptr;
  std::string why_not;  // it cannot be used
};

struct CursorHash {
  size_t operator()(const CXCursor& cursor) const { return clang_hashCursor(cursor); }
};
struct CursorEqual {
  bool operator()(const CXCursor& a, const CXCursor& b) const { return clang_equalCursors(a, b) != 0; }
};

class Reader : internal::UserTypes {
 public:
  Reader(TranslationUnit& unit, Diagnostics& problems) : unit_(unit), problems_(problems) {}

  SourceModel Read(const std::vector<std::string>& headers);

 private:
  // Finding declarations.
  void MakePackages(const std::vector<std::string>& headers);
  void Collect(CXCursor parent);
  void CollectDeclaration(CXCursor cursor, const SourceFile& file);
  bool IsWanted(const Entry& entry) const;
  AttachedComments& CommentsOf(const SourceFile& file);
  Package* PackageOf(const SourceFile& file);
  void ReadFileMarkers();
  void ReadGroupAndVersion(Package& package);
  std::string MarkerValue(const Package& package, std::string_view name);

  // Reading them.
  const StructDecl* StructOf(CXCursor definition, std::string& why_not) override;
  const EnumDecl* EnumOf(CXCursor definition, std::string& why_not) override;
  const AliasDecl* AliasOf(CXCursor declaration, std::string& why_not) override;
  std::vector<CXCursor> NamedByUsing(const std::string& name) override;
  void Declare(const Entry& entry, Declaration& declaration);
  void ReadStructs();
  void ReadStruct(Entry& entry);
  void ReadMember(CXCursor cursor, const Entry& entry);
  void ReadBase(CXCursor cursor, const Entry& entry);
  void ReadEnumerators(Entry& entry);
  std::string JsonName(const Comment& comment, const std::string& by_default, bool may_be_left_out);

  void Problem(const Place& place, std::string message) { problems_.Add(place.position(), std::move(message)); }

  TranslationUnit& unit_;
  Diagnostics& problems_;
  SourceModel model_;
  std::map<std::string, Package*> packages_;  // by the real path of their directory
  std::set<std::string> given_directories_;   // likewise
  std::map<const SourceFile*, std::unique_ptr<AttachedComments>> comments_;
  std::deque<Entry> entries_;
  std::unordered_map<CXCursor, Entry*, CursorHash, CursorEqual> by_cursor_;
  std::map<std::string, std::vector<CXCursor>> using_declarations_;
  std::deque<Entry*> structs_to_read_;
  int alias_depth_ = 0;
};

SourceModel Reader::Read(const std::vector<std::string>& headers) {
  MakePackages(headers);
  Collect(unit_.root());
  for (Entry& entry : entries_) {
    if (!IsWanted(entry)) continue;
    std::string why_not;
    const CXCursorKind kind = entry.cursor.kind;
    if (kind == CXCursor_StructDecl) StructOf(entry.cursor, why_not);
    if (kind == CXCursor_EnumDecl && !NameOf(entry.cursor).empty()) EnumOf(entry.cursor, why_not);
    if (!why_not.empty()) Problem(unit_.PlaceOf(entry.cursor), why_not);
  }
  ReadStructs();
  // An alias that no member uses may be of anything: it is in the model only if it could be used.
  for (Entry& entry : entries_) {
    std::string why_not;
    const bool alias = entry.cursor.kind == CXCursor_TypedefDecl || entry.cursor.kind == CXCursor_TypeAliasDecl;
    if (alias && IsWanted(entry)) AliasOf(entry.cursor, why_not);
  }
  ReadStructs();
  ReadFileMarkers();
  for (const auto* packages : {&model_.packages, &model_.imported}) {
    for (const auto& package : *packages) ReadGroupAndVersion(*package);
  }
  internal::SortModel(model_);
  internal::CheckModel(model_, problems_);
  model_.files_read = unit_.FilesRead();
  return std::move(model_);
}

void Reader::MakePackages(const std::vector<std::string>& headers) {
  for (const std::string& header : headers) {
    std::error_code error;
    const fs::path given = fs::path(header).parent_path();
    const std::string real = fs::weakly_canonical(header, error).parent_path().string();
    given_directories_.insert(real);
    Package*& package = packages_[real];
    if (package == nullptr) {
      package = model_.packages.emplace_back(std::make_unique<Package>()).get();
      package->directory = given.empty() ? "." : given.lexically_normal().string();
      package->version = fs::path(real).filename().string();
    }
    package->headers.push_back(header);
  }
}

// Namespaces are passed through; everything else that stands in the user's files is a type or not for us.
void Reader::Collect(CXCursor parent) {
  ForEachChild(parent, [this](CXCursor cursor) {
    const CXSourceLocation location = clang_getCursorLocation(cursor);
    if (clang_Location_isInSystemHeader(location) != 0) return;
    const Place place = unit_.PlaceOf(location);
    if (place.file == nullptr || !place.file->IsUsers()) return;
    CollectDeclaration(cursor, *place.file);
  });
}

void Reader::CollectDeclaration(CXCursor cursor, const SourceFile& file) {
  AttachedComments& comments = CommentsOf(file);
  const Extent extent = unit_.ExtentOf(cursor);
  switch (cursor.kind) {
    case CXCursor_Namespace:
    case CXCursor_LinkageSpec: return Collect(cursor);
    case CXCursor_NamespaceAlias:
    case CXCursor_UsingDirective: return;
    case CXCursor_UsingDeclaration:
      ForEachChild(cursor, [this](CXCursor child) {
        if (child.kind != CXCursor_OverloadedDeclRef || clang_getNumOverloadedDecls(child) == 0) return;
        using_declarations_[NameOf(child)].push_back(clang_getOverloadedDecl(child, 0));
      });
      return;
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
      if (clang_isCursorDefinition(cursor) == 0) return;
      break;
    case CXCursor_TypedefDecl:
    case CXCursor_TypeAliasDecl: break;
    default: return comments.Drop(extent);
  }
  Entry& entry = entries_.emplace_back();
  entry.cursor = cursor;
  entry.file = &file;
  entry.comment = comments.TakeForType(extent);
  by_cursor_[cursor] = &entry;
  comments.DropInside(extent);
  if (cursor.kind != CXCursor_StructDecl) return;
  ForEachChild(cursor, [this, &file](CXCursor child) {
    const bool type = child.kind == CXCursor_StructDecl || child.kind == CXCursor_ClassDecl ||
                      child.kind == CXCursor_UnionDecl || child.kind == CXCursor_EnumDecl ||
                      child.kind == CXCursor_TypedefDecl || child.kind == CXCursor_TypeAliasDecl;
    if (type) CollectDeclaration(child, file);
  });
}

// All types of the packages that were asked for, but those that say that they are none.
bool Reader::IsWanted(const Entry& entry) const {
  const fs::path path = entry.file->real_path;
  return given_directories_.contains(path.parent_path().string()) && path.filename() != kGeneratedHeader &&
         clang_Cursor_isAnonymous(entry.cursor) == 0 && !HasMarker(entry.comment, "kubebuilder:object:generate=false");
}

AttachedComments& Reader::CommentsOf(const SourceFile& file) {
  std::unique_ptr<AttachedComments>& comments = comments_[&file];
  if (comments == nullptr) comments = std::make_unique<AttachedComments>(unit_.TextOf(file), file.path);
  return *comments;
}

Package* Reader::PackageOf(const SourceFile& file) {
  const fs::path real = file.real_path;
  Package*& package = packages_[real.parent_path().string()];
  if (package == nullptr) {
    package = model_.imported.emplace_back(std::make_unique<Package>()).get();
    const fs::path directory = fs::path(file.path).parent_path();
    package->directory = directory.empty() ? "." : directory.string();
    package->version = real.parent_path().filename().string();
  }
  if (std::find(package->headers.begin(), package->headers.end(), file.path) == package->headers.end()) {
    package->headers.push_back(file.path);
  }
  return package;
}

// In the order of headers; of headers that were not given, those that the compiler saw.
void Reader::ReadFileMarkers() {
  std::vector<const SourceFile*> files = unit_.UsersFiles();
  std::sort(files.begin(), files.end(), [](const SourceFile* a, const SourceFile* b) {
    return std::tuple(a->given_index < 0, a->given_index, a->path) <
           std::tuple(b->given_index < 0, b->given_index, b->path);
  });
  for (const SourceFile* file : files) {
    const fs::path path = file->real_path;
    const auto package = packages_.find(path.parent_path().string());
    if (package == packages_.end() || path.filename() == kGeneratedHeader) continue;
    const std::vector<Marker> markers = CommentsOf(*file).FileMarkers();
    package->second->markers.insert(package->second->markers.end(), markers.begin(), markers.end());
  }
}

void Reader::ReadGroupAndVersion(Package& package) {
  package.group = MarkerValue(package, "groupName");
  if (const std::string version = MarkerValue(package, "versionName"); !version.empty()) package.version = version;
}

std::string Reader::MarkerValue(const Package& package, std::string_view name) {
  const Marker* first = nullptr;
  std::string value;
  for (const Marker& marker : package.markers) {
    const std::optional<std::string> here = ValueOf(marker, name);
    if (!here) continue;
    if (first == nullptr) {
      first = &marker;
      value = *here;
    } else if (*here != value) {
      problems_.Add(marker.position, "+" + std::string(name) + "=" + *here + " differs from '" + value + "' at " +
                                         ToString(first->position) + ": a directory is one " +
                                         (name == "groupName" ? "group" : "version") +
                                         ", say it once or the same everywhere");
    }
  }
  return value;
}

void Reader::Declare(const Entry& entry, Declaration& declaration) {
  declaration.name = NameOf(entry.cursor);
  for (CXCursor parent = clang_getCursorSemanticParent(entry.cursor);
       parent.kind == CXCursor_StructDecl || parent.kind == CXCursor_ClassDecl;
       parent = clang_getCursorSemanticParent(parent)) {
    declaration.name = NameOf(parent) + "::" + declaration.name;
  }
  declaration.qualified = "::" + QualifiedNameOf(entry.cursor);
  declaration.header = entry.file->path;
  declaration.package = PackageOf(*entry.file);
  declaration.comment = entry.comment;
  declaration.position = unit_.PlaceOf(entry.cursor).position();
}

const StructDecl* Reader::StructOf(CXCursor definition, std::string& why_not) {
  const auto found = by_cursor_.find(definition);
  const std::string name = NameOf(definition);
  if (found == by_cursor_.end() || clang_Cursor_isAnonymous(definition) != 0) {
    why_not = "a type without a name of its own cannot be in an API type: define a struct for it";
    return nullptr;
  }
  Entry& entry = *found->second;
  if (!entry.unused) {
    why_not = entry.why_not;
    return entry.structure;
  }
  entry.unused = false;
  if (definition.kind == CXCursor_ClassDecl) {
    entry.why_not = "'" + name + "' is a class: an API type is a struct with public members";
  } else if (definition.kind == CXCursor_UnionDecl) {
    entry.why_not = "'" + name + "' is a union: write a struct with one optional member for each case";
  } else if (("::" + QualifiedNameOf(definition)).find("::::") != std::string::npos ||
             QualifiedNameOf(definition).find("(anonymous") != std::string::npos) {
    entry.why_not = "'" + name + "' is in a namespace without a name, which generated code cannot reach: name it";
  } else {
    auto declaration = std::make_unique<StructDecl>();
    Declare(entry, *declaration);
    entry.structure = declaration.get();
    declaration->package->structs.push_back(std::move(declaration));
    structs_to_read_.push_back(&entry);
  }
  why_not = entry.why_not;
  return entry.structure;
}

const EnumDecl* Reader::EnumOf(CXCursor definition, std::string& why_not) {
  const auto found = by_cursor_.find(definition);
  if (found == by_cursor_.end() || clang_Cursor_isAnonymous(definition) != 0) {
    why_not = "an enum without a name or definition cannot be in an API type: write enum class";
    return nullptr;
  }
  Entry& entry = *found->second;
  if (entry.unused) {
    entry.unused = false;
    if (clang_EnumDecl_isScoped(definition) == 0) {
      entry.why_not = "enum '" + NameOf(definition) + "' has no scope: write enum class " + NameOf(definition);
    } else {
      auto declaration = std::make_unique<EnumDecl>();
      Declare(entry, *declaration);
      entry.enumeration = declaration.get();
      declaration->package->enums.push_back(std::move(declaration));
      ReadEnumerators(entry);
    }
  }
  why_not = entry.why_not;
  return entry.enumeration;
}

const AliasDecl* Reader::AliasOf(CXCursor declaration_cursor, std::string& why_not) {
  const auto found = by_cursor_.find(declaration_cursor);
  if (found == by_cursor_.end()) {
    why_not = "alias '" + NameOf(declaration_cursor) + "' depends on a template: write using outside of it";
    return nullptr;
  }
  Entry& entry = *found->second;
  if (entry.unused && alias_depth_ >= kLongestAliasChain) {
    why_not = "alias '" + NameOf(declaration_cursor) + "' is too many aliases away from its type";
    return nullptr;
  }
  if (entry.unused) {
    entry.unused = false;
    ++alias_depth_;
    std::optional<TypeUse> target = internal::MemberType(unit_, *this)
                                        .Resolve(clang_getTypedefDeclUnderlyingType(declaration_cursor), entry.why_not);
    --alias_depth_;
    if (target) {
      auto declaration = std::make_unique<AliasDecl>();
      Declare(entry, *declaration);
      declaration->target = std::move(*target);
      entry.alias = declaration.get();
      declaration->package->aliases.push_back(std::move(declaration));
    }
  }
  why_not = entry.why_not;
  return entry.alias;
}

std::vector<CXCursor> Reader::NamedByUsing(const std::string& name) {
  const auto found = using_declarations_.find(name);
  return found == using_declarations_.end() ? std::vector<CXCursor>() : found->second;
}

// Not where they are first used: how deep structs use each other is the user's affair.
void Reader::ReadStructs() {
  while (!structs_to_read_.empty()) {
    Entry* const next = structs_to_read_.front();
    structs_to_read_.pop_front();
    ReadStruct(*next);
  }
}

void Reader::ReadStruct(Entry& entry) {
  ForEachChild(entry.cursor, [this, &entry](CXCursor child) {
    const Place place = unit_.PlaceOf(child);
    switch (child.kind) {
      case CXCursor_FieldDecl: return ReadMember(child, entry);
      case CXCursor_CXXBaseSpecifier: return ReadBase(child, entry);
      case CXCursor_StructDecl:
      case CXCursor_UnionDecl:
        if (clang_Cursor_isAnonymousRecordDecl(child) == 0) return;
        return Problem(place, std::string("an anonymous ") + (child.kind == CXCursor_UnionDecl ? "union" : "struct") +
                                  " in '" + NameOf(entry.cursor) +
                                  "': write a struct with a name and a member of that type");
      case CXCursor_CXXMethod:
      case CXCursor_Destructor:
        if (clang_CXXMethod_isVirtual(child) == 0) return;
        return Problem(place, "'" + NameOf(child) + "' is virtual: an API type is a plain struct, remove virtual");
      default: return;
    }
  });
}

void Reader::ReadBase(CXCursor cursor, const Entry& entry) {
  const Place place = unit_.PlaceOf(cursor);
  const std::string name = internal::Text(clang_getTypeSpelling(clang_getCursorType(cursor)));
  if (clang_isVirtualBase(cursor) != 0) return Problem(place, "base '" + name + "' is virtual: remove virtual");
  if (clang_getCXXAccessSpecifier(cursor) != CX_CXXPublic) {
    return Problem(place, "base '" + name + "' is not public: write struct " + NameOf(entry.cursor) + " : " + name);
  }
  std::string why_not;
  const std::optional<TypeUse> type = internal::MemberType(unit_, *this).Resolve(clang_getCursorType(cursor), why_not);
  if (!type) return Problem(place, "base '" + name + "': " + why_not);
  const TypeUse* base = &*type;
  while (base->shape == Shape::kAlias) base = &base->alias->target;
  if (base->shape != Shape::kStruct) {
    return Problem(place, "base '" + name + "' is not a struct of your own: write it as a member");
  }
  entry.structure->bases.push_back(base->structure);
}

void Reader::ReadMember(CXCursor cursor, const Entry& entry) {
  const Place place = unit_.PlaceOf(cursor);
  FieldDecl field;
  field.member = NameOf(cursor);
  field.position = place.position();
  field.has_default = internal::HasDefaultValue(cursor);
  field.comment = CommentsOf(*entry.file).TakeForMember(unit_.ExtentOf(cursor));
  if (field.member.empty()) return Problem(place, "a member without a name: give it one");
  std::string by_default = field.member;
  if (by_default.ends_with('_')) by_default.pop_back();
  field.json_name = JsonName(field.comment, by_default, true);
  // Nobody reads or writes it: it may be anything.
  if (field.json_name.empty()) return;

  const std::string member = "member '" + field.member + "'";
  if (clang_getCXXAccessSpecifier(cursor) != CX_CXXPublic) {
    return Problem(place, member + " is not public: an API type is a plain struct with public members");
  }
  if (clang_Cursor_isBitField(cursor) != 0) {
    return Problem(place, member + " is a bit-field: write a whole int32_t, int64_t or bool");
  }
  std::string why_not;
  std::optional<TypeUse> type = internal::MemberType(unit_, *this).Resolve(clang_getCursorType(cursor), why_not);
  if (!type) return Problem(place, member + ": " + why_not);
  field.type = std::move(*type);
  entry.structure->fields.push_back(std::move(field));
}

void Reader::ReadEnumerators(Entry& entry) {
  std::map<std::string, SourcePosition> texts;
  ForEachChild(entry.cursor, [&](CXCursor child) {
    if (child.kind != CXCursor_EnumConstantDecl) return;
    EnumeratorDecl enumerator;
    enumerator.member = NameOf(child);
    enumerator.position = unit_.PlaceOf(child).position();
    enumerator.comment = CommentsOf(*entry.file).TakeForMember(unit_.ExtentOf(child));
    enumerator.text = JsonName(enumerator.comment, enumerator.member, false);
    const auto [same, is_new] = texts.emplace(enumerator.text, enumerator.position);
    if (!is_new) {
      problems_.Add(enumerator.position, "enumerator '" + enumerator.member + "' has the text '" + enumerator.text +
                                             "' of the one at " + ToString(same->second) +
                                             ": give it another with +keelson:json=NAME");
    }
    entry.enumeration->enumerators.push_back(std::move(enumerator));
  });
  if (entry.enumeration->enumerators.empty()) {
    Problem(unit_.PlaceOf(entry.cursor), "enum '" + NameOf(entry.cursor) + "' has no enumerators: no value is valid");
  }
}

std::string Reader::JsonName(const Comment& comment, const std::string& by_default, bool may_be_left_out) {
  const Marker* first = nullptr;
  std::string name = by_default;
  for (const Marker& marker : comment.markers) {
    const std::optional<std::string> value = ValueOf(marker, "keelson:json");
    if (!value) continue;
    if (first != nullptr) {
      problems_.Add(marker.position, "+keelson:json stands here twice: write it once");
      continue;
    }
    first = &marker;
    // A space needs quotes: without them it is the beginning of something else.
    const char* barred = marker.text.ends_with('"') || marker.text.ends_with('`') ? "\t,\"'`\\" : " \t,\"'`\\";
    if (value->empty() || value->find_first_of(barred) != value->npos) {
      problems_.Add(marker.position, "+keelson:json needs a name: write +keelson:json=NAME");
    } else if (*value != "-") {
      name = *value;
    } else if (may_be_left_out) {
      name.clear();
    } else {
      problems_.Add(marker.position, "an enumerator cannot be left out: write +keelson:json=NAME");
    }
  }
  return name;
}

}  // namespace

SourceModel ReadHeaders(const std::vector<std::string>& headers, const HeaderReadOptions& options,
                        Diagnostics& problems) {
  const std::vector<std::string> readable = internal::ReadableHeaders(headers, problems);
  if (readable.empty() || !problems.empty()) return {};
  const std::unique_ptr<TranslationUnit> unit = TranslationUnit::Parse(readable, options, problems);
  if (unit == nullptr) return {};
  return Reader(*unit, problems).Read(readable);
}

}  // namespace keelson::codegen
