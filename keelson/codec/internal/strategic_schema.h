// What a strategic merge needs to know of a type, member by member.
#pragma once

#include <string_view>

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/core/result.h"

namespace keelson::internal {

inline constexpr std::string_view kDirective = "$patch";
inline constexpr std::string_view kDelete = "delete";
inline constexpr std::string_view kReplace = "replace";
inline constexpr std::string_view kMerge = "merge";
inline constexpr std::string_view kRetainKeys = "$retainKeys";
inline constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList";
inline constexpr std::string_view kElementOrder = "$setElementOrder";

// How one member is merged.
struct MemberStrategy {
  const Type* type;  // of the member; of a list: of its elements
  bool merge = false;
  bool replace = false;
  bool retain_keys = false;
  std::string_view merge_key = {};  // empty: none
};

// The strategy of an object's member that is an object. An error when `type` is no struct or has no such field: what
// cannot be looked up cannot be merged.
Result<MemberStrategy> ObjectStrategy(const Type& type, std::string_view member);
// Likewise of a member that is an array.
Result<MemberStrategy> ListStrategy(const Type& type, std::string_view member);

// "$setElementOrder/containers" → "containers".
Result<std::string_view> DirectiveTarget(std::string_view member, std::string_view directive);

Result<void> ExpectObject(const Json& value, std::string_view name);

// True for {"$patch": "delete", …}.
bool IsDeletion(const Json& element);

}  // namespace keelson::internal
