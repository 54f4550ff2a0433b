// JSON values as Go's fmt shows them: some of the API's messages contain such text.
#pragma once

#include <string>
#include <string_view>

#include "keelson/api/json.h"

namespace keelson::apiserver {

// %v: map[a:1 b:[x true <nil>]]
std::string GoText(const Json& value);
// %#v: map[string]interface {}{"a":1}
std::string GoSyntax(const Json& value);
// %T of what Go reads from YAML, where every number is a float64: map[string]interface {}
std::string_view GoTypeNameInYaml(const Json& value);
// %q of a text
std::string GoQuoted(std::string_view text);
// %v of a float64
std::string GoNumber(double number);

}  // namespace keelson::apiserver
