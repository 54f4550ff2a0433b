// How Go lays out a pod template: names and types of fields, in order. Only the hash of a template needs it.
#pragma once

#include <string_view>

namespace keelson::controllers::internal {

// The fields of a Go struct such as "v1.Container", by commas: the Go type of each; behind "Name=" where Go's name of a
// field is not its JSON name with a capital; behind "+" where the fields of an embedded struct stand in its place.
// Empty when it is no struct of a pod template.
std::string_view GoFieldsOf(std::string_view go_type);

}  // namespace keelson::controllers::internal
