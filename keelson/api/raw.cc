#include "keelson/api/raw.h"

namespace keelson {

size_t FieldsV1::FirstPiece(std::string_view json) {
  // Depth is counted from where the piece begins: what matters is that equal stretches of text are cut alike.
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
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
