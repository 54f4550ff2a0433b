#include "keelson/runtime/internal/flag_values.h"

#include <algorithm>
#include <utility>

#include "keelson/api/time.h"
#include "keelson/core/log_flags.h"

namespace keelson::internal {

namespace {

// How many characters have to be put in, left out or replaced.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// Those of logging, as their usage shows them.
void AddLogFlagNames(std::vector<std::string>& names) {
  const std::string usage = LogFlagsUsage();
  for (size_t at = usage.find("  --"); at != std::string::npos; at = usage.find("\n  --", at)) {
    const size_t begin = usage.find("--", at) + 2;
    at = usage.find_first_of(" =[\n", begin);
    names.push_back(usage.substr(begin, at - begin));
  }
}

}  // namespace

Result<bool> ParseBool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return Error::InvalidArgument("expected true or false");
}

Result<Duration> ParseSpan(std::string_view text) {
  const Result<metav1::Duration> span = metav1::Duration::Parse(text);
  if (!span) return Error::InvalidArgument("expected a duration such as 15s or 1m30s");
  return span->ToChrono();
}

FlagArgument ReadFlagArgument(std::string_view argument) {
  const size_t dashes = argument.starts_with("--") ? 2 : argument.starts_with("-") ? 1 : 0;
  if (dashes == 0 || argument.size() == dashes) return {};
  const size_t equals = argument.find('=');
  const std::string_view written = argument.substr(0, equals);
  FlagArgument flag{.is_flag = true, .written = written, .name = written.substr(dashes)};
  if (equals == std::string_view::npos) return flag;
  flag.has_value = true;
  flag.value = argument.substr(equals + 1);
  return flag;
}

Error UnknownFlag(const FlagArgument& argument, std::vector<std::string> known) {
  const std::string_view name = argument.name;
  known.emplace_back("help");
  AddLogFlagNames(known);
  std::string closest;
  size_t distance = std::min(std::max<size_t>(2, name.size() / 2), name.size());  // farther away nothing is meant
  if (name.size() <= 100) {
    for (std::string& candidate : known) {
      const size_t its = EditDistance(name, candidate);
      if (its >= distance) continue;
      closest = std::move(candidate);
      distance = its;
    }
  }
  const std::string hint = closest.empty() ? "" : fmt::format("did you mean --{}? ", closest);
  return Error::InvalidArgument(fmt::format("unknown flag {}: {}--help lists all of them", argument.written, hint));
}

std::string FlagUsage(std::string_view name, std::string_view value, std::string_view help, std::string_view shown) {
  std::string head = fmt::format("  --{}", name);
  if (!value.empty()) head += fmt::format("={}", value);
  const std::string tail = shown.empty() ? "" : fmt::format(" (default {})", shown);
  return fmt::format("{:<40} {}{}\n", head, help, tail);
}

}  // namespace keelson::internal
