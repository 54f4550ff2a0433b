#include "keelson/apiserver/cel/diagnostic.h"

#include <algorithm>

#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver::cel {
namespace {

constexpr size_t kShown = 100;
constexpr size_t kLongestSnippet = 16384;  // bytes

// A line of the source without its line break. False when there is no such line.
bool LineOf(std::string_view source, int line, std::string_view* text) {
  if (line < 1 || source.empty()) return false;
  for (int i = 1; i < line; ++i) {
    const size_t end = source.find('\n');
    if (end == std::string_view::npos) return false;
    source.remove_prefix(end + 1);
  }
  *text = source.substr(0, source.find('\n'));
  return true;
}

void AppendDiagnostic(std::string_view source, const Diagnostic& diagnostic, std::string& out) {
  out += "ERROR: <input>:" + std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column + 1) + ": ";
  out += diagnostic.message;
  std::string_view line;
  if (!LineOf(source, diagnostic.line, &line)) return;
  const std::vector<uint32_t> code_points = DecodeCodePoints(line);
  // Text that is not UTF-8 is shown with replacement characters.
  std::string snippet = FromCodePoints(code_points.data(), code_points.data() + code_points.size());
  if (snippet.size() > kLongestSnippet) return;
  std::replace(snippet.begin(), snippet.end(), '\t', ' ');
  out += "\n | " + snippet + "\n | ";
  const size_t column = std::min(static_cast<size_t>(diagnostic.column), code_points.size());
  for (size_t i = 0; i < column; ++i) out += code_points[i] > 0x7f ? "\uff0e" : ".";
  out += column < code_points.size() && code_points[column] > 0x7f ? "\uff3e" : "^";
}

}  // namespace

Position PositionOf(std::string_view source, int32_t offset) {
  if (offset < 0) return {};
  if (source.empty()) return {.line = 1, .column = -1};  // as Kubernetes counts
  Position position{.line = 1, .column = 0};
  size_t at = 0;
  for (int32_t i = 0; i < offset; ++i) {
    if (at >= source.size()) {
      position.column += offset - i;
      break;
    }
    if (source[at] == '\n') {
      ++position.line;
      position.column = 0;
      ++at;
    } else {
      ++position.column;
      NextCodePoint(source, at);
    }
  }
  return position;
}

std::string DisplayText(std::string_view source, const std::vector<Diagnostic>& diagnostics) {
  const size_t shown = std::min(diagnostics.size(), kShown);
  std::vector<const Diagnostic*> ordered;
  ordered.reserve(shown);
  for (size_t i = 0; i < shown; ++i) ordered.push_back(&diagnostics[i]);
  std::sort(ordered.begin(), ordered.end(), [](const Diagnostic* a, const Diagnostic* b) {
    if (a->line != b->line) return a->line < b->line;
    return a->column != b->column ? a->column < b->column : a < b;
  });
  std::string out;
  for (const Diagnostic* diagnostic : ordered) {
    if (!out.empty()) out += '\n';
    AppendDiagnostic(source, *diagnostic, out);
  }
  if (diagnostics.size() > shown) {
    out += "\n" + std::to_string(diagnostics.size() - shown) + " more errors were truncated";
  }
  return out;
}

}  // namespace keelson::apiserver::cel
