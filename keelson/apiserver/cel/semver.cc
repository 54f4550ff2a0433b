#include "keelson/apiserver/cel/semver.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver::cel {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kAlphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789";

bool ConsistsOf(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

bool HasLeadingZero(std::string_view text) { return text.size() > 1 && text[0] == '0'; }

std::vector<std::string_view> Split(std::string_view text, char separator, size_t at_most = SIZE_MAX) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < at_most) {
    const size_t end = text.find(separator);
    if (end == std::string_view::npos) break;
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

Result<uint64_t> ReadNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) {
    return Error::InvalidArgument(fmt::format("strconv.ParseUint: parsing {}: value out of range", Quoted(text)));
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    return Error::InvalidArgument(fmt::format("strconv.ParseUint: parsing {}: invalid syntax", Quoted(text)));
  }
  return number;
}

// One of the three numbers; `name` as it is called inside a sentence and `title` at its beginning.
Result<uint64_t> ReadElement(std::string_view text, std::string_view name, std::string_view title) {
  if (!ConsistsOf(text, kDigits)) {
    return Error::InvalidArgument(fmt::format("Invalid character(s) found in {} number {}", name, Quoted(text)));
  }
  if (HasLeadingZero(text)) {
    return Error::InvalidArgument(fmt::format("{} number must not contain leading zeroes {}", title, Quoted(text)));
  }
  return ReadNumber(text);
}

Result<std::variant<uint64_t, std::string>> ReadPrerelease(std::string_view text) {
  if (text.empty()) return Error::InvalidArgument("Prerelease is empty");
  if (ConsistsOf(text, kDigits)) {
    if (HasLeadingZero(text)) {
      return Error::InvalidArgument(
          fmt::format("Numeric PreRelease version must not contain leading zeroes {}", Quoted(text)));
    }
    KEELSON_TRY(number, ReadNumber(text));
    return std::variant<uint64_t, std::string>(number);
  }
  if (!ConsistsOf(text, kAlphanumeric)) {
    return Error::InvalidArgument(fmt::format("Invalid character(s) found in prerelease {}", Quoted(text)));
  }
  return std::variant<uint64_t, std::string>(std::string(text));
}

template <class T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

Result<SemanticVersion> SemanticVersion::Parse(std::string_view text) {
  if (text.empty()) return Error::InvalidArgument("Version string empty");
  const std::vector<std::string_view> parts = Split(text, '.', 3);
  if (parts.size() != 3) return Error::InvalidArgument("No Major.Minor.Patch elements found");
  SemanticVersion version;
  KEELSON_TRY(major, ReadElement(parts[0], "major", "Major"));
  KEELSON_TRY(minor, ReadElement(parts[1], "minor", "Minor"));
  std::string_view rest = parts[2];
  const size_t plus = rest.find('+');
  const std::string_view build = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
  rest = rest.substr(0, plus);
  const size_t dash = rest.find('-');
  KEELSON_TRY(patch, ReadElement(rest.substr(0, dash), "patch", "Patch"));
  version.major = major;
  version.minor = minor;
  version.patch = patch;
  if (dash != std::string_view::npos) {
    for (const std::string_view part : Split(rest.substr(dash + 1), '.')) {
      KEELSON_TRY(prerelease, ReadPrerelease(part));
      version.prerelease.push_back(std::move(prerelease));
    }
  }
  if (plus == std::string_view::npos) return version;
  for (const std::string_view part : Split(build, '.')) {
    if (part.empty()) return Error::InvalidArgument("Build meta data is empty");
    if (!ConsistsOf(part, kAlphanumeric)) {
      return Error::InvalidArgument(fmt::format("Invalid character(s) found in build meta data {}", Quoted(part)));
    }
  }
  return version;
}

Result<SemanticVersion> SemanticVersion::ParseNormalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::vector<std::string_view> parts = Split(text, '.', 3);
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string_view::npos) {
    return Error::InvalidArgument("short version cannot contain PreRelease/Build meta data");
  }
  std::string normalized;
  for (size_t i = 0; i < 3; ++i) {
    if (i > 0) normalized += '.';
    if (i >= parts.size()) {
      normalized += '0';
      continue;
    }
    std::string_view part = parts[i];
    if (part.size() > 1) {
      part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
      if (part.empty() || kDigits.find(part[0]) == std::string_view::npos) normalized += '0';
    }
    normalized += part;
  }
  return Parse(normalized);
}

int SemanticVersion::Compare(const SemanticVersion& other) const {
  if (const int order = Order(major, other.major)) return order;
  if (const int order = Order(minor, other.minor)) return order;
  if (const int order = Order(patch, other.patch)) return order;
  // A version is newer than all its prereleases.
  if (prerelease.empty() != other.prerelease.empty()) return prerelease.empty() ? 1 : -1;
  return Order(prerelease, other.prerelease);
}

}  // namespace keelson::apiserver::cel
