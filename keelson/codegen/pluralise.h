// The name of a resource from its kind, where no marker gives it.
//
//   PluralOf("AppService")    // "appservices"
//   PluralOf("NetworkPolicy") // "networkpolicies"
//
// Follows the rules of the inflection that controller-gen uses, oddities included, so that both name a kind alike.
#pragma once

#include <string>
#include <string_view>

namespace keelson::codegen {

// In lower case, as resources are named.
std::string PluralOf(std::string_view kind);

}  // namespace keelson::codegen
