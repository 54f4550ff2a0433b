// Which of two versions of an API clients shall prefer.
#pragma once

#include <string_view>

namespace keelson::apiserver {

// v2, v1, v2beta1, v1beta2, v1alpha1, then what is of another form by its name.
bool PreferredBefore(std::string_view a, std::string_view b);

}  // namespace keelson::apiserver
