#include "keelson/apiserver/custom/custom_body.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/body_errors.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/schema/embedded_metadata.h"
#include "keelson/apiserver/schema/prune.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/yaml_reader.h"

namespace keelson::apiserver {

namespace {

std::string TextOf(const Json& document, std::string_view member) {
  const Json* value = document.find(member);
  return value != nullptr && value->is_string() ? value->string().str() : std::string();
}

// A document of another kind is refused in other words than one of another version.
Result<void> CheckTypeMeta(const CustomVersion& version, const Json& document, std::string_view json) {
  const std::string kind = TextOf(document, "kind");
  if (kind.empty()) {
    constexpr size_t kShown = 24;
    std::string begin(json.substr(0, kShown));
    if (json.size() > kShown) begin += " ...";
    return apierrors::BadRequest(
        fmt::format("the object provided is unrecognized (must be of type {}): Object 'Kind' is missing in '{}' ({})",
                    version.kind, json, begin));
  }
  const std::string expected = fmt::format("{}/{}", version.group, version.version);
  const std::string api_version = TextOf(document, "apiVersion");
  if (api_version != expected) {
    return apierrors::BadRequest(fmt::format(
        "the API version in the data ({}) does not match the expected API version ({})", api_version, expected));
  }
  if (kind != version.kind) {
    std::string name;
    if (const Json* metadata = document.find("metadata")) name = TextOf(*metadata, "name");
    FieldErrors errors;
    errors.Invalid(Path("kind"), Json(kind), "must be " + version.kind);
    return apierrors::Invalid({version.group, kind}, name, errors.causes());
  }
  return {};
}

// `oddities` are those that reading the text found already.
Result<AnyValue> FromDocument(const CustomVersion& version, Json document, FieldValidation validation,
                              std::vector<std::string> oddities, std::vector<std::string>& warnings) {
  std::vector<std::string> unknown_metadata;
  KEELSON_TRY(object, CustomFromDocument(std::move(document), &unknown_metadata));
  for (const std::string& name : unknown_metadata) {
    oddities.push_back(fmt::format("unknown field \"metadata.{}\"", name));
  }
  std::vector<std::string> pruned;
  std::vector<std::string>* const noted = validation == FieldValidation::kIgnore ? nullptr : &pruned;
  Prune(object.content, *version.schema, noted);
  std::vector<std::string> unknown_embedded;
  KEELSON_RETURN_IF_ERROR(
      CoerceEmbedded(object.content, *version.schema, {.unknown = noted == nullptr ? nullptr : &unknown_embedded}));
  pruned.insert(pruned.end(), unknown_embedded.begin(), unknown_embedded.end());
  for (const std::string& path : pruned) oddities.push_back(fmt::format("unknown field \"{}\"", path));
  if (!oddities.empty() && validation == FieldValidation::kStrict) {
    return Error::InvalidArgument(fmt::format("{}{}", kStrictPrefix, fmt::join(oddities, ", ")));
  }
  if (validation == FieldValidation::kWarn) warnings.insert(warnings.end(), oddities.begin(), oddities.end());
  AnyValue value(version.type);
  *AsCustom(value) = std::move(object);
  return value;
}

}  // namespace

Result<AnyValue> DecodeCustomBody(const CustomVersion& version, std::string_view body, Format format,
                                  FieldValidation validation, std::vector<std::string>& warnings) {
  std::string converted;
  if (format == Format::kProtobuf) {
    return apierrors::UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: application/json, "
        "application/yaml");
  }
  if (format == Format::kYaml) {
    Result<std::string> json = YamlToJson(body);
    if (!json) return NoDocument(version.type, body, json.error().message());
    converted = std::move(*json);
    body = converted;
  }
  Json document;
  std::string failure;
  std::vector<std::string> oddities;
  // Read as if only to warn: all oddities are told at once, those of the schema included.
  const FieldValidation reading =
      validation == FieldValidation::kIgnore ? FieldValidation::kIgnore : FieldValidation::kWarn;
  if (!ReadJson(TypeOf<Json>(), &document, body, reading, oddities, &failure)) {
    return NoDocument(version.type, body, body.empty() ? "unexpected end of JSON input" : failure);
  }
  if (!document.is_object()) return NoDocument(version.type, body, "expected an object");
  KEELSON_RETURN_IF_ERROR(CheckTypeMeta(version, document, body));
  Result<AnyValue> object = FromDocument(version, std::move(document), validation, std::move(oddities), warnings);
  if (!object) return CannotBeHandled(version.type, body, object.error().message());
  return object;
}

Result<AnyValue> DecodeCustomDocument(const CustomVersion& version, Json document, FieldValidation validation,
                                      std::vector<std::string>& warnings) {
  if (!document.is_object()) return Error::InvalidArgument("expected an object");
  KEELSON_RETURN_IF_ERROR(CheckTypeMeta(version, document, ToJson(document)));
  return FromDocument(version, std::move(document), validation, {}, warnings);
}

}  // namespace keelson::apiserver
