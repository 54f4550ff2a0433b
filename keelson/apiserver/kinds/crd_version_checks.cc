// What belongs to a version of a custom resource besides its schema.
#include <fmt/format.h>

#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/crd_checks.h"
#include "keelson/apiserver/kinds/crd_field_path.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMaxSelectable = 8;
constexpr size_t kMaxWarning = 256;

// True when nothing is wrong. Little is asked: these paths were there before there were rules for them.
bool CheckSimplePath(std::string_view text, const Path& path, FieldErrors& errors) {
  if (text.empty()) {
    errors.Invalid(path, Json(text), "must not be empty");
    return false;
  }
  if (text[0] != '.') {
    errors.Invalid(path, Json(text), "must be a simple json path starting with .");
    return false;
  }
  return true;
}

void CheckReplicasPath(std::string_view text, std::string_view below, const Path& path, FieldErrors& errors) {
  if (text.empty()) return errors.Required(path, "");
  if (!CheckSimplePath(text, path, errors)) return;
  if (!text.starts_with(fmt::format(".{}.", below))) {
    errors.Invalid(path, Json(text), fmt::format("should be a json path under .{}", below));
  }
}

struct CodePoint {
  char32_t value;
  size_t size;
  bool valid;
};

CodePoint Decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
  if (size == 0 || text.size() < size) return {0xfffd, 1, false};
  char32_t value = first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0xfffd, 1, false};
    value = (value << 6) | (byte(i) & 0x3fu);
  }
  return {value, size, true};
}

// Letters, marks, numbers, punctuation, symbols and the plain space; not the many other blanks and marks of format.
bool IsPrintable(char32_t c) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  static constexpr Range kNot[] = {
      {0x00, 0x1f},     {0x7f, 0xa0},     {0xad, 0xad},     {0x600, 0x605},   {0x61c, 0x61c},   {0x6dd, 0x6dd},
      {0x70f, 0x70f},   {0x1680, 0x1680}, {0x180e, 0x180e}, {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f},
      {0x3000, 0x3000}, {0xd800, 0xf8ff}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff}};
  for (const Range& range : kNot) {
    if (c >= range.first && c <= range.last) return false;
  }
  return true;
}

}  // namespace

void CheckSubresources(const apiextensionsv1::CustomResourceSubresources* subresources, const Path& path,
                       FieldErrors& errors) {
  if (subresources == nullptr || !subresources->scale) return;
  const apiextensionsv1::CustomResourceSubresourceScale& scale = *subresources->scale;
  CheckReplicasPath(scale.specReplicasPath, "spec", path / "scale.specReplicasPath", errors);
  CheckReplicasPath(scale.statusReplicasPath, "status", path / "scale.statusReplicasPath", errors);
  const std::string_view selector = scale.labelSelectorPath.OrDefault();
  const Path selector_path = path / "scale.labelSelectorPath";
  if (selector.empty() || !CheckSimplePath(selector, selector_path, errors)) return;
  if (!selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    errors.Invalid(selector_path, Json(selector), "should be a json path under either .spec or .status");
  }
}

void CheckColumn(const apiextensionsv1::CustomResourceColumnDefinition& column, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kTypes = "must be one of boolean,date,integer,number,string";
  if (column.name.empty()) errors.Required(path / "name", "");
  if (column.type.empty()) {
    errors.Required(path / "type", kTypes);
  } else if (!IsOneOf(column.type, {"boolean", "date", "integer", "number", "string"})) {
    errors.Invalid(path / "type", Json(column.type), kTypes);
  }
  if (!column.format.empty() &&
      !IsOneOf(column.format, {"byte", "date", "date-time", "double", "float", "int32", "int64", "password"})) {
    errors.Invalid(path / "format", Json(column.format),
                   "must be one of byte,date,date-time,double,float,int32,int64,password");
  }
  const Path json_path = path / "JSONPath";
  if (column.jsonPath.empty()) return errors.Required(json_path, "");
  CheckSimplePath(column.jsonPath, json_path, errors);
}

void CheckSelectable(const List<apiextensionsv1::SelectableField>& fields,
                     const apiextensionsv1::JSONSchemaProps& schema, bool any_number, const Path& path,
                     FieldErrors& errors) {
  std::set<std::string> seen;
  for (size_t i = 0; i < fields.size(); ++i) {
    const String& text = fields[i].jsonPath;
    const Path field = path[i];
    const Path json_path = field / "jsonPath";
    if (text.empty()) {
      errors.Required(json_path, "");
      continue;
    }
    const Result<SchemaPlace> place = FindInSchema(text, schema, false);
    if (!place) {
      errors.Invalid(json_path, Json(text), fmt::format("is an invalid path: {}", place.error().message()));
      continue;
    }
    if (place->root == "metadata") errors.Invalid(json_path, Json(text), "must not point to fields in metadata");
    if (place->schema == nullptr || !IsOneOf(place->schema->type, {"string", "boolean", "integer"})) {
      errors.Invalid(json_path, Json(text),
                     "must point to a field of type string, boolean or integer. Enum string fields and strings with "
                     "formats are allowed.");
    }
    if (!seen.insert(place->path).second) errors.Duplicate(json_path, Json(text));
  }
  if (seen.size() > kMaxSelectable && !any_number) errors.TooMany(path, seen.size(), kMaxSelectable);
}

void CheckDeprecation(bool deprecated, const Optional<String>& warning, const Path& path, FieldErrors& errors) {
  if (!warning) return;
  const std::string_view text = *warning;
  // Shown as Go shows a pointer to text.
  const std::string shown = InternalForm(*warning);
  if (!deprecated) return errors.InvalidShown(path, shown, "can only be set for deprecated versions");
  if (text.size() > kMaxWarning) errors.InvalidShown(path, shown, "must be <= 256 characters long");
  if (text.empty()) errors.InvalidShown(path, shown, "must not be an empty string");
  bool told = false;
  bool valid = true;
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = Decode(text.substr(i));
    valid = valid && point.valid;
    if (!told && !IsPrintable(point.value)) {
      errors.InvalidShown(
          path, shown,
          fmt::format("must only contain printable UTF-8 characters; non-printable character found at index {}", i));
      told = true;
    }
    i += point.size;
  }
  if (!valid) errors.InvalidShown(path, shown, "must only contain printable UTF-8 characters");
}

}  // namespace keelson::apiserver
