#include "keelson/api/raw.h"

namespace keelson {

size_t FieldsV1::FirstPiece(std::string_view json) {
  // Depth is counted from where the piece begins: what matters is that equal stretches of text are cut alike.
  int depth = 0;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      // To the quote that ends the text: one that is not escaped.
      for (++i; i < json.size() && json[i] != '"'; ++i) {
        if (json[i] == '\\') ++i;
      }
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      --depth;
    } else if (c == ',' && EndsPiece(i + 1, depth)) {
      return i + 1;
    }
  }
  return json.size();
}

bool FieldsV1::HasSameText(const FieldsV1& other) const {
  // The cuts depend on the text alone: two that are cut both would have had equal pieces.
  if (pieces_.size() != 1 && other.pieces_.size() != 1) return false;
  const FieldsV1& whole = pieces_.size() == 1 ? *this : other;
  const FieldsV1& cut = pieces_.size() == 1 ? other : *this;
  std::string_view left = whole.pieces_[0];
  for (const String& piece : cut.pieces_) {
    if (!left.starts_with(piece.view())) return false;
    left.remove_prefix(piece.size());
  }
  return left.empty();
}

List<String> FieldsV1::Cut(std::string_view json) {
  List<String> pieces;
  ForEachPiece(json, [&](std::string_view piece) { pieces.push_back(piece); });
  return pieces;
}

std::string FieldsV1::ToString() const {
  std::string json;
  for (const String& piece : pieces_) json += piece.view();
  return json;
}

}  // namespace keelson
