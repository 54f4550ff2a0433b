#include "keelson/apiserver/kinds/crd_field_path.h"

#include <fmt/format.h>

#include <optional>

namespace keelson::apiserver {

namespace {

using apiextensionsv1::JSONSchemaProps;

// Cuts a path at its dots and brackets; what is in single quotes is one piece, quotes included.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> Next() {
    if (rest_.empty()) return std::nullopt;
    const size_t length = Length();
    const std::string_view piece = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return piece;
  }

 private:
  size_t Length() const {
    if (rest_[0] == '\'') {
      for (size_t i = 1; i < rest_.size(); ++i) {
        if (rest_[i] == '\'' && rest_[i - 1] != '\\') return i + 1;
      }
      return rest_.size();
    }
    const size_t end = rest_.find_first_of(".[]");
    if (end == std::string_view::npos) return rest_.size();
    return end == 0 ? 1 : end;
  }

  std::string_view rest_;
};

Result<std::string> Unescaped(std::string_view text) {
  constexpr std::string_view kEscapes = "abfnrtv'\\";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v'\\";
  std::string unescaped;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      unescaped += text[i];
      continue;
    }
    const size_t escape = kEscapes.find(text[++i]);
    if (escape == std::string_view::npos) {
      return Error::InvalidArgument(
          fmt::format("invalid string literal: invalid escape char {}", text.substr(i - 1, 2)));
    }
    unescaped += kMeanings[escape];
  }
  return unescaped;
}

Result<void> StepInto(std::string_view name, SchemaPlace& place) {
  const auto nowhere = [] { return Error::InvalidArgument("does not refer to a valid field"); };
  if (place.schema == nullptr) return nowhere();
  if (!place.schema->properties.empty()) {
    place.path += (place.path.empty() ? "" : ".") + std::string(name);
    place.schema = place.schema->properties.find(name);
    if (place.schema == nullptr) return nowhere();
  } else if (place.schema->additionalProperties) {
    place.path += "[" + std::string(name) + "]";
    const auto& values = place.schema->additionalProperties->schema;
    place.schema = values ? &*values : nullptr;
  } else {
    return nowhere();
  }
  if (place.root.empty()) place.root = place.path;
  return {};
}

}  // namespace

Result<SchemaPlace> FindInSchema(std::string_view text, const JSONSchemaProps& schema, bool brackets) {
  SchemaPlace place{.path = {}, .root = {}, .schema = &schema};
  Pieces pieces(text);
  const auto ended = [] { return Error::InvalidArgument("unexpected end of JSON path"); };
  while (std::optional<std::string_view> piece = pieces.Next()) {
    if (*piece == ".") {
      piece = pieces.Next();
      if (!piece) return ended();
      KEELSON_RETURN_IF_ERROR(StepInto(*piece, place));
    } else if (*piece == "[") {
      if (!brackets) return Error::InvalidArgument("array notation is not allowed");
      piece = pieces.Next();
      if (!piece) return ended();
      if (piece->size() < 2 || piece->front() != '\'' || piece->back() != '\'') {
        return Error::InvalidArgument(fmt::format("expected single quoted string but got {}", *piece));
      }
      KEELSON_TRY(name, Unescaped(piece->substr(1, piece->size() - 2)));
      KEELSON_RETURN_IF_ERROR(StepInto(name, place));
      piece = pieces.Next();
      if (!piece) return ended();
      if (*piece != "]") return Error::InvalidArgument(fmt::format("expected ] but got {}", *piece));
    } else {
      return Error::InvalidArgument(fmt::format("expected [ or . but got: {}", *piece));
    }
  }
  return place;
}

}  // namespace keelson::apiserver
