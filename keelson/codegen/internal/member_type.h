// What the type of a member means in a Kubernetes object, or what to write instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "keelson/codegen/internal/late_libclang.h"
#include "keelson/codegen/internal/translation_unit.h"
#include "keelson/codegen/source_model.h"

namespace keelson::codegen::internal {

// The user's declarations, made known when a member first uses them. Null when there is none that may be used; the
// reason is then in `why_not`.
class UserTypes {
 public:
  virtual ~UserTypes() = default;
  virtual const StructDecl* StructOf(CXCursor definition, std::string& why_not) = 0;
  virtual const EnumDecl* EnumOf(CXCursor definition, std::string& why_not) = 0;
  virtual const AliasDecl* AliasOf(CXCursor declaration, std::string& why_not) = 0;
  // What `using other::Name;` in the user's files may mean by `name`.
  virtual std::vector<CXCursor> NamedByUsing(const std::string& name) = 0;
};

// Reads one type.
class MemberType {
 public:
  MemberType(TranslationUnit& unit, UserTypes& users) : unit_(unit), users_(users) {}

  // Nothing: `why_not` says what is wrong.
  std::optional<TypeUse> Resolve(CXType type, std::string& why_not);

 private:
  bool Read(CXType type, int depth, TypeUse& use);
  bool ReadScalar(CXType type, TypeUse& use);
  bool ReadNamed(CXType type, int depth, TypeUse& use);
  bool ReadTypedef(CXType type, CXCursor declaration, int depth, TypeUse& use);
  bool ReadRecord(CXType written, CXType canonical, int depth, TypeUse& use);
  bool ReadTemplate(const std::string& name, CXType written, CXType canonical, int depth, TypeUse& use);
  bool ReadMap(CXType written, CXType canonical, int depth, TypeUse& use);
  bool ReadElement(Shape shape, CXType element, int depth, TypeUse& use);
  bool ReadKeelsons(const std::string& qualified, TypeUse& use);
  bool Refuse(CXType type, std::string instead);
  CXType ArgumentOf(CXType written, CXType canonical, unsigned index) const;

  TranslationUnit& unit_;
  UserTypes& users_;
  std::string instead_;  // of the type that was refused
  std::string why_not_;
};

}  // namespace keelson::codegen::internal
