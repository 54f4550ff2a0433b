#include "keelson/codegen/source_position.h"

#include <algorithm>
#include <tuple>

namespace keelson::codegen {

std::string ToString(const SourcePosition& position) {
  if (position.line == 0) return position.file;
  return position.file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

std::string Diagnostics::Render() const {
  std::vector<Diagnostic> sorted = all_;
  const auto key = [](const Diagnostic& d) { return std::tie(d.position, d.message); };
  std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  sorted.erase(
      std::unique(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
      sorted.end());
  std::string out;
  for (const auto& [position, message] : sorted) {
    if (!position.file.empty()) out += ToString(position) + ": ";
    out += "error: " + message + "\n";
  }
  return out;
}

}  // namespace keelson::codegen
