// Types that the versions share. They belong to no group, and no kind is among them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "keelson/api/quantity.h"

namespace shop::common {

// How much an app may take.
enum class Tier {
  Small,
  // +keelson:json=extra-large
  ExtraLarge,
};

struct Limits {
  // +optional
  keelson::Quantity memory;

  std::optional<Tier> tier;

  // +optional
  std::map<std::string, Tier> tierByZone;
};

}  // namespace shop::common
