#include "keelson/codec/internal/strategic_schema.h"

#include <algorithm>
#include <string>

#include "keelson/core/ascii.h"

namespace keelson::internal {

namespace {

const Type& WithoutOptional(const Type& type) { return type.kind == Kind::kOptional ? *type.element : type; }

// As Go's decoder finds it: the exact name, or else one that differs in case.
const Field* FindMember(const Type& type, std::string_view member) {
  if (const Field* exact = type.FindField(member)) return exact;
  const auto folded = std::find_if(type.fields.begin(), type.fields.end(),
                                   [&](const Field& field) { return EqualsIgnoringCase(field.name, member); });
  return folded == type.fields.end() ? nullptr : &*folded;
}

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

Result<MemberStrategy> ObjectStrategy(const Type& type, std::string_view member) {
  const Type& parent = WithoutOptional(type);
  if (parent.kind != Kind::kStruct) {
    return Error::InvalidArgument(std::string(parent.name) + " is no struct: its member " + Quoted(member) +
                                  " cannot be merged, only set as a whole");
  }
  const Field* field = FindMember(parent, member);
  if (field == nullptr) {
    return Error::InvalidArgument(std::string(parent.name) + " has no field " + Quoted(member));
  }
  return MemberStrategy{.type = field->type,
                        .merge = field->patch_merge,
                        .replace = field->patch_replace,
                        .retain_keys = field->patch_retain_keys,
                        .merge_key = field->patch_merge_key};
}

Result<MemberStrategy> ListStrategy(const Type& type, std::string_view member) {
  KEELSON_TRY(strategy, ObjectStrategy(type, member));
  const Type& list = WithoutOptional(*strategy.type);
  if (list.kind == Kind::kList) {
    strategy.type = list.element;
    if (WithoutOptional(*list.element).kind == Kind::kList) {
      return Error(ErrorCode::kInvalid, "lists of lists are not supported");
    }
  } else if (strategy.type->kind != Kind::kOptional && list.kind != Kind::kBytes) {
    return Error::InvalidArgument("the field " + Quoted(member) + " of " + std::string(WithoutOptional(type).name) +
                                  " is no list");
  }
  return strategy;
}

Result<std::string_view> DirectiveTarget(std::string_view member, std::string_view directive) {
  const size_t slash = member.find('/');
  if (slash == std::string_view::npos || member.substr(0, slash) != directive) {
    return Error::InvalidArgument("expected \"" + std::string(directive) + "/<field>\", found " + Quoted(member));
  }
  return member.substr(slash + 1);
}

Result<void> ExpectObject(const Json& value, std::string_view name) {
  if (value.is_object()) return {};
  return Error::InvalidArgument(std::string(name) + ": expected an object, found " +
                                std::string(ToString(value.kind())));
}

bool IsDeletion(const Json& element) {
  const Json* directive = element.find(kDirective);
  return directive != nullptr && directive->is_string() && directive->string() == kDelete;
}

}  // namespace keelson::internal
