#include "keelson/apiserver/body_errors.h"

#include <fmt/format.h>

#include "keelson/api/meta/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {

namespace {

// What the body says that it is.
metav1::TypeMeta TypeMetaOf(std::string_view json) {
  Result<metav1::TypeMeta> meta = FromJson<metav1::TypeMeta>(json);
  return meta ? std::move(*meta) : metav1::TypeMeta();
}

// "unknown field "a", duplicate field "b"" as one text each.
void SplitOddities(std::string_view text, std::vector<std::string>& out) {
  while (!text.empty()) {
    size_t end = std::min(text.find("\", unknown field "), text.find("\", duplicate field "));
    end = end == std::string_view::npos ? text.size() : end + 1;
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

}  // namespace

Error CannotBeHandled(const Type& type, std::string_view json, std::string_view why) {
  const metav1::TypeMeta meta = TypeMetaOf(json);
  const std::string_view kind = meta.kind.empty() ? type.object_kind : std::string_view(meta.kind);
  const std::string_view api_version = meta.apiVersion.empty() ? type.version : std::string_view(meta.apiVersion);
  const size_t slash = api_version.find('/');
  const std::string_view version = slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  return apierrors::BadRequest(
      fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind, version, type.object_kind, why));
}

Error NoDocument(const Type& type, std::string_view body, std::string_view why) {
  constexpr size_t kShown = 256;
  std::string shown(body.empty() ? "<empty>" : body.substr(0, kShown));
  return apierrors::BadRequest(
      fmt::format("the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse "
                  "error: {} ({})",
                  type.object_kind, why, shown));
}

Result<void> ReadJson(const Type& type, void* value, std::string_view json, FieldValidation validation,
                      std::vector<std::string>& warnings, std::string* failure) {
  const bool strict = validation != FieldValidation::kIgnore;
  Result<void> read = DecodeJson(type, value, json, {.strict = strict, .max_depth = kMaxBodyDepth});
  if (!read && validation == FieldValidation::kWarn && read.error().message().starts_with(kStrictPrefix)) {
    SplitOddities(std::string_view(read.error().message()).substr(kStrictPrefix.size()), warnings);
    read = DecodeJson(type, value, json, {.max_depth = kMaxBodyDepth});
  }
  if (!read) *failure = read.error().message();
  return read;
}

}  // namespace keelson::apiserver
