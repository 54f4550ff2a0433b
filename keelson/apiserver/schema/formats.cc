#include "keelson/apiserver/schema/formats.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "keelson/api/time.h"
#include "keelson/apiserver/cel/url.h"
#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/codec/json_scalars.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsRegexSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

bool Matches(std::string_view text, const re2::RE2& pattern) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

bool AnyText(std::string_view) { return true; }

bool IsUri(std::string_view text) { return cel::Url::ParseRequest(text).has_value(); }

struct HostCharacter {
  size_t length;  // in bytes; 0: no UTF-8
  bool is_letter;
  bool is_allowed;  // anywhere but in the last of several labels: digits and symbols too
};
HostCharacter FirstHostCharacter(std::string_view text) {
  const char c = text.front();
  if (static_cast<unsigned char>(c) < 0x80) {
    const bool is_symbol = std::string_view("$+<=>^`|~").find(c) != std::string_view::npos;
    return {1, IsLetter(c), IsLetter(c) || IsDigit(c) || is_symbol};
  }
  static const re2::RE2 kLetter("\\pL");
  static const re2::RE2 kSymbol("\\pS");
  const size_t length = internal::ValidUtf8Length(text);
  const std::string_view character = text.substr(0, length);
  const bool is_letter = length > 0 && Matches(character, kLetter);
  return {length, is_letter, is_letter || (length > 0 && Matches(character, kSymbol))};
}

// A name without points: a dash may be its second character only, even its last.
bool IsLoneHost(std::string_view text) {
  size_t characters = 0;
  for (; !text.empty(); ++characters) {
    if (characters == 1 && text.front() == '-') text.remove_prefix(1);
    if (text.empty()) break;
    const HostCharacter next = FirstHostCharacter(text);
    if (!next.is_allowed) return false;
    text.remove_prefix(next.length);
  }
  return characters >= 1 && characters <= 63;
}

bool IsHostLabel(std::string_view text) {
  if (text.empty() || text.size() > 63 || text.front() == '-' || text.back() == '-') return false;
  while (!text.empty()) {
    const HostCharacter next = FirstHostCharacter(text);
    if (!next.is_allowed && text.front() != '-') return false;
    text.remove_prefix(next.length);
  }
  return true;
}

bool IsTopLevelDomain(std::string_view text) {
  if (text.size() > 63) return false;
  size_t characters = 0;
  for (; !text.empty(); ++characters) {
    const HostCharacter next = FirstHostCharacter(text);
    if (!next.is_letter) return false;
    text.remove_prefix(next.length);
  }
  return characters >= 2;
}

bool IsHostname(std::string_view text) {
  if (text.size() > 255) return false;
  size_t dot = text.find('.');
  if (dot == std::string_view::npos) return text.size() <= 63 && IsLoneHost(text);
  for (; dot != std::string_view::npos; dot = text.find('.')) {
    if (!IsHostLabel(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return IsTopLevelDomain(text);
}

bool IsIpv4(std::string_view text) { return text.find('.') != std::string_view::npos && ParseIp(text).has_value(); }

bool IsIpv6(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return false;
  const std::optional<IpAddress> address = ParseIp(text);
  return address && address->strict;
}

bool IsCidr(std::string_view text) { return ParseCidr(text).has_value(); }

// Of 6, 8 or 20 bytes, in pairs of digits behind ':' or '-', in fours behind '.', or without anything between them.
bool IsMac(std::string_view text) {
  if (text.size() < 12) return false;
  size_t group = text.size();
  char separator = 0;
  if (text[2] == ':' || text[2] == '-') {
    group = 2;
    separator = text[2];
  } else if (text[4] == '.') {
    group = 4;
    separator = '.';
  }
  size_t digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool between = separator != 0 && i % (group + 1) == group;
    if (between ? text[i] != separator : !IsHex(text[i])) return false;
    digits += between ? 0 : 1;
  }
  if (separator != 0 && text.back() == separator) return false;
  return digits % (separator == 0 ? 2 : group) == 0 && (digits == 12 || digits == 16 || digits == 40);
}

// 8-4-4-4-12 digits, each dash optional. Zero for `version` or `variant`: any.
bool IsUuidOf(std::string_view text, char version, bool variant) {
  constexpr std::array<size_t, 5> kGroups = {8, 4, 4, 4, 12};
  for (size_t group = 0; group < kGroups.size(); ++group) {
    if (group > 0 && text.starts_with('-')) text.remove_prefix(1);
    if (text.size() < kGroups[group] || !std::all_of(text.begin(), text.begin() + kGroups[group], IsHex)) return false;
    if (group == 2 && version != 0 && text.front() != version) return false;
    if (group == 3 && variant && std::string_view("89abAB").find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(kGroups[group]);
  }
  return text.empty();
}
bool IsUuid(std::string_view text) { return IsUuidOf(text, 0, false); }
bool IsUuid3(std::string_view text) { return IsUuidOf(text, '3', false); }
bool IsUuid4(std::string_view text) { return IsUuidOf(text, '4', true); }
bool IsUuid5(std::string_view text) { return IsUuidOf(text, '5', true); }

std::string WithoutSpaceAndMinus(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (!IsRegexSpace(c) && c != '-') kept += c;
  }
  return kept;
}

bool IsIsbn10(std::string_view text) {
  const std::string digits = WithoutSpaceAndMinus(text);
  if (digits.size() != 10) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const char c = digits[static_cast<size_t>(i)];
    if (!IsDigit(c) && !(i == 9 && c == 'X')) return false;
    sum += (i + 1) * (c == 'X' ? 10 : c - '0');
  }
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string digits = WithoutSpaceAndMinus(text);
  if (digits.size() != 13 || !std::all_of(digits.begin(), digits.end(), IsDigit)) return false;
  int sum = 0;
  for (size_t i = 0; i < 12; ++i) sum += (digits[i] - '0') * (i % 2 == 0 ? 1 : 3);
  return digits[12] - '0' == (10 - sum % 10) % 10;
}

bool IsIsbn(std::string_view text) { return IsIsbn10(text) || IsIsbn13(text); }

bool IsCreditCard(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), IsDigit);
  static const re2::RE2 kIssuers(
      "4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{"
      "11}"
      "|(?:2131|1800|35[0-9]{3})[0-9]{11}");
  if (!Matches(digits, kIssuers)) return false;
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    int digit = digits[digits.size() - 1 - i] - '0';
    if (i % 2 == 1) digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 == 0;
}

bool IsSsn(std::string_view text) {
  if (text.size() != 11) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool between = i == 3 || i == 6;
    if (between ? text[i] != '-' && text[i] != ' ' : !IsDigit(text[i])) return false;
  }
  return true;
}

bool IsHexColor(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return (text.size() == 3 || text.size() == 6) && std::all_of(text.begin(), text.end(), IsHex);
}

bool IsRgbColor(std::string_view text) {
  static const re2::RE2 kPattern(
      "rgb\\(\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,"
      "\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*\\)");
  return Matches(text, kPattern);
}

bool IsBase64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  if (text.ends_with("==")) {
    text.remove_suffix(2);
  } else if (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLetter(c) || IsDigit(c) || c == '+' || c == '/'; });
}

bool IsObjectId(std::string_view text) { return text.size() == 24 && std::all_of(text.begin(), text.end(), IsHex); }

int TwoDigits(std::string_view text) { return (text[0] - '0') * 10 + (text[1] - '0'); }

bool IsDate(std::string_view text) {
  if (text.size() != 10) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == 4 || i == 7 ? text[i] != '-' : !IsDigit(text[i])) return false;
  }
  const int year = TwoDigits(text) * 100 + TwoDigits(text.substr(2));
  const int month = TwoDigits(text.substr(5));
  const int day = TwoDigits(text.substr(8));
  if (month < 1 || month > 12 || day < 1) return false;
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[static_cast<size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

// What stands behind another 't' is not looked at, as upstream does not.
bool IsDateTime(std::string_view text) {
  const size_t t = text.find_first_of("tT");
  if (t == std::string_view::npos || !IsDate(text.substr(0, t))) return false;
  std::string_view time = text.substr(t + 1);
  time = time.substr(0, time.find_first_of("tT"));
  static const re2::RE2 kPattern("[0-9]{2}:[0-9]{2}:[0-9]{2}(?:.[0-9]+)?(?:[zZ]|[+-][0-9]{2}:[0-9]{2})");
  return Matches(time, kPattern) && TwoDigits(time) <= 23 && TwoDigits(time.substr(3)) <= 59 &&
         TwoDigits(time.substr(6)) <= 59;
}

// The names of a unit; the last one may have anything behind it: "hours".
bool IsTimeUnit(std::string_view lower) {
  static constexpr std::string_view kWhole[] = {"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"};
  static constexpr std::string_view kBeginnings[] = {"nano", "micro", "milli", "sec", "min", "hour", "day", "week"};
  return std::find(std::begin(kWhole), std::end(kWhole), lower) != std::end(kWhole) ||
         std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view beginning) { return lower.starts_with(beginning); });
}

// A duration of Go's, or a text with a number and a unit anywhere in it: "3 days and 2 hours".
bool IsDuration(std::string_view text) {
  if (metav1::Duration::Parse(text)) return true;
  bool found = false;
  size_t at = 0;
  while (at < text.size()) {
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    const size_t number = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    const size_t number_end = at;
    size_t unit = at;
    while (unit < text.size() && IsRegexSpace(text[unit])) ++unit;
    size_t end = unit;
    while (end < text.size()) {
      if (IsLetter(text[end])) {
        ++end;
      } else if (text.substr(end).starts_with("µ")) {
        end += std::string_view("µ").size();
      } else {
        break;
      }
    }
    if (end == unit) continue;
    int64_t value = 0;
    for (size_t i = number; i < number_end; ++i) {
      if (value > (std::numeric_limits<int64_t>::max() - (text[i] - '0')) / 10) return false;
      value = value * 10 + (text[i] - '0');
    }
    found = found || IsTimeUnit(AsciiLower(text.substr(unit, end - unit)));
    at = end;
  }
  return found;
}

// Labels of lower-case letters, digits and dashes, neither beginning nor ending with a dash.
bool IsNameOf(std::string_view text, size_t max_length, bool dots) {
  if (text.empty() || text.size() > max_length) return false;
  const auto is_inner = [](char c) { return (c >= 'a' && c <= 'z') || IsDigit(c); };
  bool at_edge = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_inner(c)) {
      at_edge = false;
    } else if (c == '-') {
      if (at_edge) return false;
    } else if (c == '.' && dots) {
      if (at_edge || text[i - 1] == '-') return false;
      at_edge = true;
    } else {
      return false;
    }
  }
  return !at_edge && text.back() != '-';
}
bool IsShortName(std::string_view text) { return IsNameOf(text, 63, false); }
bool IsLongName(std::string_view text) { return IsNameOf(text, 253, true); }

// By name, without dashes.
constexpr std::pair<std::string_view, FormatCheck> kFormats[] = {
    {"bsonobjectid", IsObjectId},
    {"byte", IsBase64},
    {"cidr", IsCidr},
    {"creditcard", IsCreditCard},
    {"date", IsDate},
    {"datetime", IsDateTime},
    {"duration", IsDuration},
    {"email", IsEmailAddress},
    {"hexcolor", IsHexColor},
    {"hostname", IsHostname},
    {"ipv4", IsIpv4},
    {"ipv6", IsIpv6},
    {"isbn", IsIsbn},
    {"isbn10", IsIsbn10},
    {"isbn13", IsIsbn13},
    {"k8slongname", IsLongName},
    {"k8sshortname", IsShortName},
    {"mac", IsMac},
    {"password", AnyText},
    {"rgbcolor", IsRgbColor},
    {"ssn", IsSsn},
    {"uri", IsUri},
    {"uuid", IsUuid},
    {"uuid3", IsUuid3},
    {"uuid4", IsUuid4},
    {"uuid5", IsUuid5},
};
static_assert(std::is_sorted(std::begin(kFormats), std::end(kFormats),
                             [](const auto& a, const auto& b) { return a.first < b.first; }));

}  // namespace

FormatCheck FindFormat(std::string_view name) {
  std::array<char, 16> buffer;
  size_t length = 0;
  for (const char c : name) {
    if (c == '-') continue;
    if (length == buffer.size()) return nullptr;
    buffer[length++] = c;
  }
  const std::string_view wanted(buffer.data(), length);
  const auto found = std::lower_bound(std::begin(kFormats), std::end(kFormats), wanted,
                                      [](const auto& entry, std::string_view n) { return entry.first < n; });
  return found != std::end(kFormats) && found->first == wanted ? found->second : nullptr;
}

}  // namespace keelson::apiserver
