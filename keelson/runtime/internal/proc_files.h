// Reading /proc: small texts that the kernel makes up when they are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::internal {

// Empty when it cannot be read. At most 1 MiB.
std::string ReadProcFile(const std::string& path);

// The words of a text.
std::vector<std::string_view> Words(std::string_view text);
// 0 for what is no number.
uint64_t NumberOf(std::string_view text);
// The number behind "name:" at the beginning of a line, as in /proc/self/status.
std::optional<uint64_t> FieldOf(std::string_view text, std::string_view name);

// The fields of /proc/…/stat that are used here.
struct ProcStat {
  char state = '?';  // 'R' runs or could, 'S' sleeps, 'D' waits for a disk
  double user_seconds = 0;
  double system_seconds = 0;
  uint64_t threads = 0;
  double start_seconds = 0;  // since the machine's start
  uint64_t virtual_bytes = 0;
  uint64_t resident_bytes = 0;
};
// Nothing when the text is not of that form. The name of the program, which is in it, may be of any characters.
std::optional<ProcStat> ParseProcStat(std::string_view text);

}  // namespace keelson::internal
