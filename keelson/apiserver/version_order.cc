#include "keelson/apiserver/version_order.h"

#include <re2/re2.h>

#include <cstdint>
#include <string>

namespace keelson::apiserver {

namespace {

// "v2beta10" as {2, beta, 10}; what is of another form has no parts.
struct VersionParts {
  int stability = 0;  // 3: none said, 2: beta, 1: alpha, 0: of another form
  int64_t major = 0;
  int64_t minor = 0;
};

VersionParts SplitVersion(std::string_view text) {
  static const re2::RE2 form("v([1-9][0-9]{0,8})(?:(alpha|beta)([1-9][0-9]{0,8}))?");
  VersionParts parts;
  std::string major;
  std::string stability;
  std::string minor;
  if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), form, &major, &stability, &minor)) return {};
  parts.stability = stability.empty() ? 3 : stability == "beta" ? 2 : 1;
  parts.major = std::stoll(major);
  parts.minor = minor.empty() ? 0 : std::stoll(minor);
  return parts;
}

}  // namespace

bool PreferredBefore(std::string_view a, std::string_view b) {
  const VersionParts x = SplitVersion(a);
  const VersionParts y = SplitVersion(b);
  if (x.stability != y.stability) return x.stability > y.stability;
  if (x.major != y.major) return x.major > y.major;
  if (x.minor != y.minor) return x.minor > y.minor;
  return a < b;
}

}  // namespace keelson::apiserver
