#include "keelson/codegen/internal/member_type.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "keelson/api/builtin_types.h"
#include "keelson/codegen/internal/clang_text.h"

namespace keelson::codegen::internal {

namespace {

constexpr int kDeepest = 32;  // optionals, lists and maps inside each other

std::string SpellingOf(CXType type) { return Text(clang_getTypeSpelling(type)); }

// Classes of Keelson that are values, with the names they have in Kubernetes.
const std::map<std::string, std::string, std::less<>>& KeelsonValues() {
  static const std::map<std::string, std::string, std::less<>> values = {
      {"keelson::FieldsV1", "meta/v1.FieldsV1"},         {"keelson::IntOrString", "util/intstr.IntOrString"},
      {"keelson::Json", "apiextensions/v1.JSON"},        {"keelson::RawExtension", "runtime.RawExtension"},
      {"keelson::metav1::Duration", "meta/v1.Duration"}, {"keelson::metav1::MicroTime", "meta/v1.MicroTime"},
      {"keelson::metav1::Time", "meta/v1.Time"},         {"keelson::resource::Quantity", "api/resource.Quantity"},
  };
  return values;
}

// "keelson::corev1" → "core/v1".
const std::map<std::string, std::string, std::less<>>& KeelsonPackages() {
  static const auto packages = [] {
    std::map<std::string, std::string, std::less<>> all = {{"keelson::intstr", "util/intstr"},
                                                           {"keelson::resource", "api/resource"},
                                                           {"keelson::runtime", "runtime"},
                                                           {"keelson::types", "types"}};
    for (const Type* type : BuiltinTypes()) {
      const std::string package(type->name.substr(0, type->name.find('.')));
      std::string name = package;
      std::erase(name, '/');
      all.emplace("keelson::" + name, package);
    }
    return all;
  }();
  return packages;
}

bool IsBuiltinStruct(std::string_view name) {
  static const auto names = [] {
    std::set<std::string_view> all;
    for (const Type* type : BuiltinTypes()) all.insert(type->name);
    return all;
  }();
  return names.contains(name);
}

// "core/v1.Pod" of "keelson::corev1::Pod"; empty for what is in none of the packages.
std::string NameInKubernetes(const std::string& qualified) {
  const size_t end = qualified.rfind("::");
  if (end == qualified.npos) return "";
  const auto package = KeelsonPackages().find(qualified.substr(0, end));
  return package == KeelsonPackages().end() ? "" : package->second + "." + qualified.substr(end + 2);
}

// What to write instead of classes that people reach for.
std::string InsteadOf(std::string_view name) {
  static const std::map<std::string_view, std::string> instead = {
      {"std::any", "keelson::Json"},
      {"std::array", "std::vector<T>"},
      {"std::basic_string_view", "std::string"},
      {"std::chrono::duration", "keelson::metav1::Duration"},
      {"std::chrono::time_point", "keelson::metav1::Time"},
      {"std::deque", "std::vector<T>"},
      {"std::filesystem::path", "std::string"},
      {"std::forward_list", "std::vector<T>"},
      {"std::list", "std::vector<T>"},
      {"std::multimap", "std::map<std::string, std::vector<T>>"},
      {"std::multiset", "std::vector<T>"},
      {"std::pair", "a struct with named members"},
      {"std::set", "std::vector<T> with +listType=set"},
      {"std::shared_ptr", "keelson::Optional<T>"},
      {"std::span", "std::vector<T>"},
      {"std::tuple", "a struct with named members"},
      {"std::unique_ptr", "keelson::Optional<T>"},
      {"std::unordered_map", "std::map<std::string, T>"},
      {"std::unordered_set", "std::vector<T> with +listType=set"},
      {"std::variant", "a struct with one optional member for each case"},
      {"std::weak_ptr", "keelson::Optional<T>"},
      {"keelson::LabelSelector", "keelson::metav1::LabelSelector"},
  };
  const auto found = instead.find(name);
  if (found != instead.end()) return found->second;
  return "a struct of your own, a built-in type (keelson::corev1::…, keelson::metav1::…), or one of bool, int32_t, "
         "int64_t, double, std::string, std::optional<T>, std::vector<T>, std::map<std::string, T>";
}

bool IsByte(CXType type) {
  const CXTypeKind kind = type.kind;
  return kind == CXType_Char_S || kind == CXType_Char_U || kind == CXType_SChar || kind == CXType_UChar ||
         QualifiedNameOf(clang_getTypeDeclaration(type)) == "std::byte";
}

}  // namespace

std::optional<TypeUse> MemberType::Resolve(CXType type, std::string& why_not) {
  TypeUse use;
  if (Read(type, 0, use)) return use;
  why_not = why_not_;
  return std::nullopt;
}

bool MemberType::Refuse(CXType type, std::string instead) {
  why_not_ = "type '" + SpellingOf(type) + "' cannot be in a Kubernetes object: write " + instead;
  instead_ = std::move(instead);
  return false;
}

bool MemberType::Read(CXType type, int depth, TypeUse& use) {
  if (depth > kDeepest) {
    why_not_ = "type '" + SpellingOf(type) + "' is nested too deep: give its parts names with structs";
    return false;
  }
  use.written = SpellingOf(type);
  if (clang_isConstQualifiedType(type) != 0 || clang_isVolatileQualifiedType(type) != 0) {
    return Refuse(type, SpellingOf(clang_getUnqualifiedType(type)) + ": what is read must be assignable");
  }
  const CXType canonical = clang_getCanonicalType(type);
  switch (canonical.kind) {
    case CXType_Pointer: {
      const CXType pointee = clang_getPointeeType(canonical);
      if (clang_isConstQualifiedType(pointee) != 0 && IsByte(clang_getUnqualifiedType(pointee))) {
        return Refuse(type, "std::string");
      }
      return Refuse(type, "keelson::Optional<T> or std::optional<T>");
    }
    case CXType_LValueReference:
    case CXType_RValueReference: return Refuse(type, "the value itself");
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
      return Refuse(type, IsByte(clang_getArrayElementType(canonical)) ? "std::string" : "std::vector<T>");
    case CXType_Record:
    case CXType_Enum: return ReadNamed(type, depth, use);
    default:
      // A user's alias of a scalar is a type of its own.
      if (type.kind == CXType_Elaborated || type.kind == CXType_Typedef || type.kind == CXType_Unexposed) {
        return ReadNamed(type, depth, use);
      }
      return ReadScalar(canonical, use) || Refuse(type, instead_.empty() ? InsteadOf("") : instead_);
  }
}

bool MemberType::ReadScalar(CXType type, TypeUse& use) {
  switch (type.kind) {
    case CXType_Bool: return use.shape = Shape::kBool, true;
    case CXType_Int: return use.shape = Shape::kInt32, true;
    case CXType_Long:
    case CXType_LongLong: return use.shape = Shape::kInt64, true;
    case CXType_Double: return use.shape = Shape::kDouble, true;
    case CXType_Float:
    case CXType_LongDouble:
    case CXType_Half:
    case CXType_Float128: return Refuse(type, "double, or better an integer or keelson::Quantity");
    case CXType_UInt:
    case CXType_UShort: return Refuse(type, "int32_t or int64_t with +kubebuilder:validation:Minimum=0");
    case CXType_ULong:
    case CXType_ULongLong: return Refuse(type, "int64_t with +kubebuilder:validation:Minimum=0");
    case CXType_Short:
    case CXType_SChar:
    case CXType_UChar: return Refuse(type, "int32_t with +kubebuilder:validation:Minimum and Maximum");
    case CXType_Char_S:
    case CXType_Char_U:
    case CXType_WChar:
    case CXType_Char16:
    case CXType_Char32: return Refuse(type, "std::string");
    case CXType_Int128:
    case CXType_UInt128: return Refuse(type, "int64_t or keelson::Quantity");
    default: return false;
  }
}

// Follows what stands between the name and the type.
bool MemberType::ReadNamed(CXType type, int depth, TypeUse& use) {
  CXType at = type;
  while (at.kind == CXType_Elaborated) at = clang_Type_getNamedType(at);
  const CXType canonical = clang_getCanonicalType(at);
  CXCursor declaration = clang_getTypeDeclaration(at);
  if (at.kind == CXType_Unexposed && declaration.kind == CXCursor_NoDeclFound) {
    // Named by a using-declaration, `using other::Mode;`, which libclang does not show in the type.
    std::string name = SpellingOf(type);
    if (const size_t last = name.rfind("::"); last != name.npos) name = name.substr(last + 2);
    for (const CXCursor& candidate : users_.NamedByUsing(name)) {
      const bool alias = candidate.kind == CXCursor_TypedefDecl || candidate.kind == CXCursor_TypeAliasDecl;
      if (alias && clang_equalTypes(clang_getCanonicalType(clang_getCursorType(candidate)), canonical) != 0) {
        return ReadTypedef(type, candidate, depth, use);
      }
    }
  }
  if (at.kind == CXType_Typedef) return ReadTypedef(type, declaration, depth, use);
  if (canonical.kind == CXType_Record) return ReadRecord(type, canonical, depth, use);
  if (canonical.kind == CXType_Enum) {
    declaration = clang_getTypeDeclaration(canonical);
    const Place place = unit_.PlaceOf(declaration);
    if (place.file == nullptr || !place.file->IsUsers()) {
      return Refuse(type, IsByte(canonical) ? "int32_t" : "an enum class of your own");
    }
    use.shape = Shape::kEnum;
    use.enumeration = users_.EnumOf(clang_getCursorDefinition(declaration), why_not_);
    return use.enumeration != nullptr;
  }
  if (ReadScalar(canonical, use)) return true;
  return Refuse(type, instead_.empty() ? InsteadOf("") : instead_);
}

bool MemberType::ReadTypedef(CXType type, CXCursor declaration, int depth, TypeUse& use) {
  const Place place = unit_.PlaceOf(declaration);
  if (place.file != nullptr && place.file->IsUsers()) {
    use.shape = Shape::kAlias;
    use.alias = users_.AliasOf(declaration, why_not_);
    return use.alias != nullptr;
  }
  if (place.file != nullptr && place.file->owner == SourceFile::Owner::kKeelson) {
    if (std::string name = NameInKubernetes(QualifiedNameOf(declaration)); !name.empty()) {
      use.shape = Shape::kBuiltin;
      use.builtin = std::move(name);
      return true;
    }
  }
  const std::string written = std::move(use.written);
  const bool known = Read(clang_getTypedefDeclUnderlyingType(declaration), depth + 1, use);
  use.written = written;
  // "size_t", not "unsigned long".
  return known || (!instead_.empty() && Refuse(type, instead_));
}

bool MemberType::ReadRecord(CXType written, CXType canonical, int depth, TypeUse& use) {
  const CXCursor declaration = clang_getTypeDeclaration(canonical);
  const CXCursor pattern = clang_getSpecializedCursorTemplate(declaration);
  const Place place = unit_.PlaceOf(declaration);
  const bool users = place.file != nullptr && place.file->IsUsers();
  if (!clang_Cursor_isNull(pattern)) {
    if (users) return Refuse(written, "a struct: templates cannot be API types");
    return ReadTemplate(QualifiedNameOf(pattern), written, canonical, depth, use);
  }
  if (users) {
    const CXCursor definition = clang_getCursorDefinition(declaration);
    if (clang_Cursor_isNull(definition)) {
      why_not_ = "type '" + SpellingOf(written) + "' is declared but not defined: include the header that defines it";
      return false;
    }
    use.shape = Shape::kStruct;
    use.structure = users_.StructOf(definition, why_not_);
    return use.structure != nullptr;
  }
  const std::string qualified = QualifiedNameOf(declaration);
  if (place.file != nullptr && place.file->owner == SourceFile::Owner::kKeelson && ReadKeelsons(qualified, use)) {
    return true;
  }
  return Refuse(written, InsteadOf(qualified));
}

bool MemberType::ReadKeelsons(const std::string& qualified, TypeUse& use) {
  if (qualified == "keelson::String") return use.shape = Shape::kString, true;
  if (qualified == "keelson::Bytes") return use.shape = Shape::kBytes, true;
  use.shape = Shape::kBuiltin;
  if (const auto value = KeelsonValues().find(qualified); value != KeelsonValues().end()) {
    use.builtin = value->second;
    return true;
  }
  use.builtin = NameInKubernetes(qualified);
  return IsBuiltinStruct(use.builtin);
}

bool MemberType::ReadTemplate(const std::string& name, CXType written, CXType canonical, int depth, TypeUse& use) {
  const CXType first = ArgumentOf(written, canonical, 0);
  const CXType plain_first = clang_getCanonicalType(first);
  if (name == "std::basic_string") {
    if (plain_first.kind != CXType_Char_S && plain_first.kind != CXType_Char_U) return Refuse(written, "std::string");
    return use.shape = Shape::kString, true;
  }
  if (name == "std::optional" || name == "keelson::Optional") {
    if (!ReadElement(Shape::kOptional, first, depth, use)) return false;
    const TypeUse* inner = use.element.get();
    while (inner->shape == Shape::kAlias) inner = &inner->alias->target;
    return inner->shape != Shape::kOptional || Refuse(written, "one optional: JSON cannot tell two apart");
  }
  if (name == "std::vector" || name == "keelson::List") {
    if (IsByte(plain_first)) return Refuse(written, "keelson::Bytes");
    if (name == "std::vector" && plain_first.kind == CXType_Bool) return Refuse(written, "keelson::List<bool>");
    const CXType allocator = clang_Type_getTemplateArgumentAsType(canonical, 1);
    if (name == "std::vector" && QualifiedNameOf(clang_getTypeDeclaration(allocator)) != "std::allocator") {
      return Refuse(written, "std::vector<T> with the usual allocator");
    }
    return ReadElement(Shape::kList, first, depth, use);
  }
  if (name == "keelson::Map") return ReadElement(Shape::kMap, first, depth, use);
  if (name == "std::map") return ReadMap(written, canonical, depth, use);
  return Refuse(written, InsteadOf(name));
}

bool MemberType::ReadMap(CXType written, CXType canonical, int depth, TypeUse& use) {
  const auto argument = [&](unsigned index) { return clang_Type_getTemplateArgumentAsType(canonical, index); };
  const std::string usual = "std::map<std::string, T>";
  if (SpellingOf(argument(0)) != "std::basic_string<char>") {
    return Refuse(written, usual + ": keys are strings in JSON");
  }
  const CXType less = argument(2);
  if (QualifiedNameOf(clang_getTypeDeclaration(less)) != "std::less" ||
      clang_equalTypes(clang_Type_getTemplateArgumentAsType(less, 0), argument(0)) == 0 ||
      QualifiedNameOf(clang_getTypeDeclaration(argument(3))) != "std::allocator") {
    return Refuse(written, usual + " with the usual order and allocator");
  }
  return ReadElement(Shape::kMap, ArgumentOf(written, canonical, 1), depth, use);
}

bool MemberType::ReadElement(Shape shape, CXType element, int depth, TypeUse& use) {
  use.shape = shape;
  use.element = std::make_unique<TypeUse>();
  return Read(element, depth + 1, *use.element);
}

// As written, so that aliases are kept; but those of an alias template are arguments to something else.
CXType MemberType::ArgumentOf(CXType written, CXType canonical, unsigned index) const {
  const CXType plain = clang_Type_getTemplateArgumentAsType(canonical, index);
  if (clang_Type_getNumTemplateArguments(written) <= static_cast<int>(index)) return plain;
  const CXType sugared = clang_Type_getTemplateArgumentAsType(written, index);
  return clang_equalTypes(clang_getCanonicalType(sugared), clang_getCanonicalType(plain)) != 0 ? sugared : plain;
}

}  // namespace keelson::codegen::internal
