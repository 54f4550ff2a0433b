// Semantic versions: "1.2.3-rc.1+linux".
//
//   KEELSON_TRY(version, SemanticVersion::Parse("1.2.3"));
//   version.Compare(other) < 0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "keelson/core/result.h"

namespace keelson::apiserver::cel {

struct SemanticVersion {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::vector<std::variant<uint64_t, std::string>> prerelease = {};  // a number sorts before a word

  static Result<SemanticVersion> Parse(std::string_view text);
  // The same after dropping a leading "v", leading zeros, and adding the numbers that lack at the end.
  static Result<SemanticVersion> ParseNormalized(std::string_view text);

  // -1, 0 or 1. What follows a plus sign does not count.
  int Compare(const SemanticVersion& other) const;
};

}  // namespace keelson::apiserver::cel
