// What to say to someone who misspelt a name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace keelson::internal {

// `; did you mean "replicas"?` when one of the names is close, otherwise `; it has "a", "b", …`; "" without names.
std::string SuggestName(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace keelson::internal
