#include "table.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace demo {
namespace {

constexpr size_t kColumns = 4;
constexpr size_t kPhase = 1;
constexpr size_t kChildren = 2;
constexpr size_t kEvent = 3;
constexpr std::string_view kGap = "  ";
constexpr std::string_view kEllipsis = "…";
constexpr std::array<std::string_view, kColumns> kHeadings = {"OBJECT", "PHASE", "CHILDREN", "LAST EVENT"};
// Who gives way when there is no room, in this order, and down to where. Children and events share what the first two
// columns leave them.
constexpr size_t kLeastChildren = 22;
struct Shrinking {
  size_t column;
  size_t least;
};
constexpr std::array<Shrinking, kColumns> kShrinking = {
    {{kEvent, 10}, {kChildren, kLeastChildren}, {0, 12}, {kPhase, 7}}};
// Of lines that come one after another: most cells fit.
constexpr std::array<size_t, kColumns> kUsual = {28, 14, 40, 0};

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kPlain = "\x1b[0m";

using Cells = std::array<std::string, kColumns>;

// Every character counts as one column: wide ones are rare in names and messages.
bool Begins(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }
size_t Length(std::string_view text) { return static_cast<size_t>(std::count_if(text.begin(), text.end(), Begins)); }

std::string Clean(std::string_view text) {
  std::string clean;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters too, of two bytes.
    const bool second_set = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (second_set) ++i;
    clean += byte < 0x20 || byte == 0x7F || second_set ? ' ' : text[i];
  }
  return clean;
}

std::string Cut(std::string text, size_t width) {
  if (Length(text) <= width) return text;
  size_t end = 0;
  for (size_t characters = 0; end < text.size(); ++end) {
    if (Begins(text[end]) && characters++ == width - 1) break;
  }
  return text.substr(0, end).append(kEllipsis);
}

std::string Padded(std::string text, size_t width) {
  const size_t length = Length(text);
  if (length < width) text.append(width - length, ' ');
  return text;
}

Cells CellsOf(const Row& row) { return {Clean(row.object), Clean(row.phase), Clean(row.children), Clean(row.event)}; }

std::array<size_t, kColumns> Widths(const std::vector<Cells>& lines, size_t width) {
  std::array<size_t, kColumns> widths = {};
  for (const Cells& line : lines) {
    for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], Length(line[i]));
  }
  if (width == 0) return widths;
  const size_t gaps = kGap.size() * (kColumns - 1);
  size_t needed = std::accumulate(widths.begin(), widths.end(), gaps);
  if (needed > width) {
    const size_t before = gaps + widths[0] + widths[kPhase];
    const size_t shared = width - std::min(width, before);
    const size_t children =
        std::min(widths[kChildren], std::max({kLeastChildren, shared / 2, shared - std::min(shared, widths[kEvent])}));
    needed -= widths[kChildren] - children;
    widths[kChildren] = children;
  }
  for (const auto& [column, least] : kShrinking) {
    if (needed <= width) break;
    const size_t less = std::min(needed - width, widths[column] - std::min(widths[column], least));
    widths[column] -= less;
    needed -= less;
  }
  return widths;
}

std::string_view ColourOf(Tone tone) {
  switch (tone) {
    case Tone::kWaiting: return kYellow;
    case Tone::kGood: return kGreen;
    case Tone::kBad: return kRed;
  }
  return {};
}

std::string_view ColourOf(const Row* row, size_t column) {
  if (row == nullptr) return kBold;
  if (column == kPhase) return ColourOf(row->tone);
  return column == kEvent && row->warning ? kYellow : std::string_view();
}

// `row` is null for the heading.
std::string Line(const Cells& cells, const std::array<size_t, kColumns>& widths, const TableOptions& options,
                 const Row* row) {
  std::string line;
  size_t left = options.width == 0 ? SIZE_MAX : options.width;
  for (size_t i = 0; i < kColumns && left > 0; ++i) {
    std::string text = Cut(cells[i], std::min(std::max<size_t>(widths[i], 1), left));
    left -= Length(text);
    if (i + 1 < kColumns) {
      const size_t blanks = std::min(left, widths[i] - std::min(widths[i], Length(text)) + kGap.size());
      text.append(blanks, ' ');
      left -= blanks;
    }
    const std::string_view colour = options.colour ? ColourOf(row, i) : std::string_view();
    line.append(colour).append(text).append(colour.empty() ? std::string_view() : kPlain);
  }
  if (!options.colour) line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string Fit(std::string_view text, size_t width) {
  std::string clean = Clean(text);
  return width == 0 ? clean : Cut(std::move(clean), width);
}

std::vector<std::string> RenderTable(const std::vector<Row>& rows, const TableOptions& options) {
  std::vector<Cells> cells = {
      {std::string(kHeadings[0]), std::string(kHeadings[1]), std::string(kHeadings[2]), std::string(kHeadings[3])}};
  for (const Row& row : rows) cells.push_back(CellsOf(row));
  const std::array<size_t, kColumns> widths = Widths(cells, options.width);
  std::vector<std::string> lines;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (options.height != 0 && lines.size() + 1 == options.height && i + 1 < cells.size()) {
      lines.push_back(Fit("… and " + std::to_string(cells.size() - i) + " more", options.width));
      break;
    }
    lines.push_back(Line(cells[i], widths, options, i == 0 ? nullptr : &rows[i - 1]));
  }
  return lines;
}

std::string RenderLine(const Row& row) {
  const Cells cells = CellsOf(row);
  std::string line;
  for (size_t i = 0; i < kColumns; ++i) {
    if (i > 0) line += kGap;
    line += Padded(cells[i], kUsual[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace demo
