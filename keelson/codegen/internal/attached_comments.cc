#include "keelson/codegen/internal/attached_comments.h"

#include <algorithm>
#include <cstddef>

namespace keelson::codegen::internal {

namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

// Markers that only packages have.
bool SpeaksOfPackage(std::string_view marker) {
  constexpr std::string_view kNames[] = {
      "groupName",
      "versionName",
      "k8s:deepcopy-gen=package",
      "kubebuilder:ac:output:package",
      "kubebuilder:rbac",
      "kubebuilder:skip",
      "kubebuilder:validation:Optional",
      "kubebuilder:validation:Required",
      "kubebuilder:webhook",
      "kubebuilder:webhookconfiguration",
  };
  return std::any_of(std::begin(kNames), std::end(kNames), [marker](std::string_view name) {
    return marker.starts_with(name) && marker.substr(name.size(), 1).find_first_not_of("=:,") == marker.npos;
  });
}

std::vector<std::string> SplitLines(std::string_view source) {
  if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
  std::vector<std::string> lines;
  size_t start = 0;
  while (start <= source.size()) {
    const size_t end = std::min(source.find_first_of("\r\n", start), source.size());
    lines.emplace_back(source.substr(start, end - start));
    start = end + (source.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return lines;
}

void Append(const Comment& from, bool with_lines, Comment& to) {
  if (with_lines) to.lines.insert(to.lines.end(), from.lines.begin(), from.lines.end());
  to.markers.insert(to.markers.end(), from.markers.begin(), from.markers.end());
}

}  // namespace

AttachedComments::AttachedComments(std::string_view source, const std::string& file) : lines_(SplitLines(source)) {
  for (CommentBlock& block : ScanComments(source, file)) blocks_.push_back({std::move(block)});
}

Comment AttachedComments::TakeForType(const Extent& extent) { return Take(extent, true); }
Comment AttachedComments::TakeForMember(const Extent& extent) { return Take(extent, false); }

Comment AttachedComments::Take(const Extent& extent, bool type) {
  Comment comment;
  Block* const documentation = DocumentationOf(extent);
  if (Block* const apart = ApartFrom(extent, documentation)) {
    apart->taken = true;
    for (const Marker& marker : apart->comment.markers) {
      (type && SpeaksOfPackage(marker.text) ? moved_ : comment.markers).push_back(marker);
    }
  }
  for (Block* const block : {documentation, TrailingOf(extent)}) {
    if (block == nullptr) continue;
    block->taken = true;
    Append(block->comment, true, comment);
  }
  return comment;
}

void AttachedComments::Drop(const Extent& extent) {
  if (Block* const block = DocumentationOf(extent)) block->taken = true;
  DropInside(extent);
}

void AttachedComments::DropInside(const Extent& extent) {
  for (Block& block : blocks_) {
    if (block.first_line >= extent.line && block.last_line <= extent.end_line) block.taken = true;
  }
}

std::vector<Marker> AttachedComments::FileMarkers() const {
  std::vector<Marker> markers = moved_;
  for (const Block& block : blocks_) {
    if (block.taken || block.trailing) continue;
    markers.insert(markers.end(), block.comment.markers.begin(), block.comment.markers.end());
  }
  std::sort(markers.begin(), markers.end(), [](const Marker& a, const Marker& b) { return a.position < b.position; });
  return markers;
}

AttachedComments::Block* AttachedComments::DocumentationOf(const Extent& extent) {
  for (Block& block : blocks_) {
    if (block.last_line > extent.line) break;
    if (block.trailing) continue;
    const bool before_it_on_its_line =
        block.last_line == extent.line && block.first_line <= extent.line &&
        Line(extent.line).substr(0, static_cast<size_t>(extent.column - 1)).find("*/") != std::string_view::npos;
    if (before_it_on_its_line || (block.last_line == extent.line - 1 && BeginsItsLine(extent))) return &block;
  }
  return nullptr;
}

AttachedComments::Block* AttachedComments::ApartFrom(const Extent& extent, const Block* documentation) {
  if (documentation == nullptr && !BeginsItsLine(extent)) return nullptr;
  const int below = documentation != nullptr ? documentation->first_line : extent.line;
  Block* nearest = nullptr;
  for (Block& block : blocks_) {
    if (block.last_line >= below) break;
    nearest = &block;
  }
  if (nearest == nullptr || nearest->trailing || !AllBlank(nearest->last_line + 1, below - 1)) return nullptr;
  return nearest;
}

AttachedComments::Block* AttachedComments::TrailingOf(const Extent& extent) {
  for (Block& block : blocks_) {
    if (block.first_line > extent.end_line) break;
    if (!block.trailing || block.first_line != extent.end_line) continue;
    // Nothing else may stand between: the comment belongs to the last on its line.
    const std::string_view line = Line(extent.end_line);
    const size_t comment = line.find_first_not_of(" \t\v\f;,", static_cast<size_t>(extent.end_column - 1));
    if (comment != line.npos && (line.substr(comment, 2) == "//" || line.substr(comment, 2) == "/*")) return &block;
  }
  return nullptr;
}

std::string_view AttachedComments::Line(int line) const {
  const auto index = static_cast<size_t>(line - 1);
  return index < lines_.size() ? std::string_view(lines_[index]) : std::string_view();
}

bool AttachedComments::AllBlank(int first_line, int last_line) const {
  for (int line = first_line; line <= last_line; ++line) {
    if (Line(line).find_first_not_of(kBlanks) != std::string_view::npos) return false;
  }
  return true;
}

bool AttachedComments::BeginsItsLine(const Extent& extent) const {
  return Line(extent.line).substr(0, static_cast<size_t>(extent.column - 1)).find_first_not_of(kBlanks) ==
         std::string_view::npos;
}

}  // namespace keelson::codegen::internal
