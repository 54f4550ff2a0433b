// Property names as CEL writes them. An expression can only name what looks like an identifier, so Kubernetes spells
// the other characters out: "foo-bar" is `self.foo__dash__bar`, "namespace" is `self.__namespace__`.
//
//   if (std::optional<std::string> name = EscapeName("a/b")) …   // "a__slash__b"
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace keelson::apiserver::cel {

// Nothing when the name has no spelling: it is empty, begins with a digit, or has characters beyond letters, digits and
// `_ - . /`. Such a property cannot be reached by an expression.
std::optional<std::string> EscapeName(std::string_view property);

// A keyword may also be written as it is where a field is named: `self.namespace`. Its spelling above then; nothing
// when the name is no keyword.
std::optional<std::string> EscapeKeyword(std::string_view name);

}  // namespace keelson::apiserver::cel
