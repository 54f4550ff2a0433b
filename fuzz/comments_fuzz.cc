// The comments of any bytes: blocks come in order and do not overlap, every marker stands where its position says, and
// line endings do not matter.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/codegen/comments.h"

namespace {

using keelson::codegen::CommentBlock;
using keelson::codegen::Marker;

void Require(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

void CheckBlocks(const std::vector<CommentBlock>& blocks, int line_count) {
  int last = 0;
  for (const CommentBlock& block : blocks) {
    Require(block.first_line >= std::max(last, 1) && block.last_line >= block.first_line);
    Require(block.last_line <= line_count);
    last = block.last_line;
    const auto& lines = block.comment.lines;
    Require(lines.empty() || (!lines.front().empty() && !lines.back().empty()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  keelson::codegen::ScanComments(text, "fuzz.h");  // with any line endings

  std::erase(text, '\r');
  std::string_view visible = text;
  if (visible.starts_with("\xEF\xBB\xBF")) visible.remove_prefix(3);
  const auto lines = Lines(visible);
  const auto blocks = keelson::codegen::ScanComments(text, "fuzz.h");
  CheckBlocks(blocks, static_cast<int>(lines.size()));

  const auto markers = keelson::codegen::ScanMarkers(text, "fuzz.h");
  for (const Marker& marker : markers) {
    Require(marker.position.line >= 1 && marker.position.line <= static_cast<int>(lines.size()));
    const std::string_view line = lines[static_cast<size_t>(marker.position.line - 1)];
    const auto column = static_cast<size_t>(marker.position.column - 1);
    // A spliced line comment may have its marker further down.
    if (line.ends_with("\\")) continue;
    Require(column < line.size() && line[column] == '+');
    Require(line.substr(column + 1).starts_with(marker.text));
  }

  std::string with_returns;
  for (const char c : text) with_returns += c == '\n' ? "\r\n" : std::string(1, c);
  const auto again = keelson::codegen::ScanComments(with_returns, "fuzz.h");
  Require(again.size() == blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    Require(again[i].first_line == blocks[i].first_line && again[i].last_line == blocks[i].last_line);
    Require(again[i].trailing == blocks[i].trailing && again[i].comment.lines == blocks[i].comment.lines);
    Require(again[i].comment.markers.size() == blocks[i].comment.markers.size());
  }
  return 0;
}
