#include "keelson/runtime/internal/proc_files.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace keelson::internal {

std::string ReadProcFile(const std::string& path) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  std::ifstream in(path, std::ios::binary);
  std::string text;
  char block[4096];
  while (text.size() < kMostBytes && (in.read(block, sizeof block) || in.gcount() > 0)) {
    text.append(block, static_cast<size_t>(in.gcount()));
  }
  return text;
}

std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  std::vector<std::string_view> words;
  while (true) {
    const size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    const size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

uint64_t NumberOf(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<uint64_t> FieldOf(std::string_view text, std::string_view name) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
      const std::vector<std::string_view> words = Words(line.substr(name.size() + 1));
      if (words.empty()) return std::nullopt;
      return NumberOf(words[0]);
    }
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<ProcStat> ParseProcStat(std::string_view text) {
  // The name is in brackets and may contain some: fields count from behind the last one.
  const size_t bracket = text.rfind(')');
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> words = Words(text.substr(bracket + 1));
  constexpr size_t kFirst = 3;  // the number of words[0] in the manual, proc(5)
  if (words.size() <= 24 - kFirst) return std::nullopt;
  const auto field = [&](size_t number) { return NumberOf(words[number - kFirst]); };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return ProcStat{.state = words[0][0],
                  .user_seconds = static_cast<double>(field(14)) / ticks,
                  .system_seconds = static_cast<double>(field(15)) / ticks,
                  .threads = field(20),
                  .start_seconds = static_cast<double>(field(22)) / ticks,
                  .virtual_bytes = field(23),
                  .resident_bytes = field(24) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))};
}

}  // namespace keelson::internal
