// Included by an API header, and not given to keelson_api(): a change here has to be noticed all the same.
#pragma once

#include <string>

namespace example::shared {

struct Named {
  // What it is called.
  // +kubebuilder:validation:MinLength=1
  std::string name;
};

}  // namespace example::shared
