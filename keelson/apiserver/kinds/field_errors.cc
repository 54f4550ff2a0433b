#include "keelson/apiserver/kinds/field_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/go_text.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

std::string Shown(const Json& value) { return value.is_string() ? Quoted(value.string()) : ToJson(value); }

std::string WithDetail(std::string message, std::string_view detail) {
  if (!detail.empty()) message.append(": ").append(detail);
  return message;
}

}  // namespace

void FieldErrors::Add(std::string_view reason, const Path& path, std::string message) {
  metav1::StatusCause cause;
  cause.reason = reason;
  cause.message = message;
  cause.field = path.ToString();
  causes_.push_back(std::move(cause));
}

void FieldErrors::Required(const Path& path, std::string_view detail) {
  Add("FieldValueRequired", path, WithDetail("Required value", detail));
}

void FieldErrors::Invalid(const Path& path, const Json& value, std::string_view detail) {
  Add("FieldValueInvalid", path, WithDetail("Invalid value: " + Shown(value), detail));
}

void FieldErrors::InvalidShown(const Path& path, std::string_view shown, std::string_view detail) {
  Add("FieldValueInvalid", path, WithDetail(std::string("Invalid value: ").append(shown), detail));
}

void FieldErrors::InvalidHidden(const Path& path, std::string_view detail) {
  Add("FieldValueInvalid", path, WithDetail("Invalid value", detail));
}

void FieldErrors::NotSupported(const Path& path, const Json& value, std::span<const std::string_view> supported) {
  std::vector<std::string_view> sorted(supported.begin(), supported.end());
  std::sort(sorted.begin(), sorted.end());
  NotSupportedOf(path, value, sorted);
}

void FieldErrors::NotSupportedAsListed(const Path& path, const Json& value,
                                       std::initializer_list<std::string_view> supported) {
  NotSupportedOf(path, value, std::span(supported.begin(), supported.size()));
}

void FieldErrors::NotSupportedOf(const Path& path, const Json& value, std::span<const std::string_view> supported) {
  NotSupportedShown(path, Shown(value), supported);
}

void FieldErrors::NotSupportedShown(const Path& path, std::string_view shown,
                                    std::span<const std::string_view> supported) {
  std::string list;
  for (const std::string_view one : supported) {
    if (!list.empty()) list += ", ";
    list += Shown(Json(one));
  }
  std::string message = std::string("Unsupported value: ").append(shown);
  if (!list.empty()) message.append(": supported values: ").append(list);
  Add("FieldValueNotSupported", path, std::move(message));
}

void FieldErrors::Duplicate(const Path& path, const Json& value, std::string_view detail) {
  Add("FieldValueDuplicate", path, WithDetail("Duplicate value: " + Shown(value), detail));
}

void FieldErrors::DuplicateShown(const Path& path, std::string_view shown, std::string_view detail) {
  Add("FieldValueDuplicate", path, WithDetail(std::string("Duplicate value: ").append(shown), detail));
}

void FieldErrors::NotFound(const Path& path, const Json& value, std::string_view detail) {
  Add("FieldValueNotFound", path, WithDetail("Not found: " + Shown(value), detail));
}

void FieldErrors::Forbidden(const Path& path, std::string_view detail) {
  Add("FieldValueForbidden", path, WithDetail("Forbidden", detail));
}

void FieldErrors::TooLong(const Path& path, size_t max_bytes) {
  Add("FieldValueTooLong", path,
      fmt::format("Too long: may not be more than {} {}", max_bytes, max_bytes == 1 ? "byte" : "bytes"));
}

void FieldErrors::TooLongCharacters(const Path& path, size_t max_characters) {
  Add("FieldValueTooLong", path,
      fmt::format("Too long: may not be more than {} {}", max_characters,
                  max_characters == 1 ? "character" : "characters"));
}

void FieldErrors::TooMany(const Path& path, size_t actual, size_t max) {
  Add("FieldValueTooMany", path,
      fmt::format("Too many: {}: must have at most {} {}", actual, max, max == 1 ? "item" : "items"));
}

void FieldErrors::TypeInvalid(const Path& path, const Json& value, std::string_view detail) {
  Add("FieldValueTypeInvalid", path, WithDetail("Invalid value: " + Shown(value), detail));
}

void FieldErrors::Internal(const Path& path, std::string_view detail) {
  Add("InternalError", path, WithDetail("Internal error", detail));
}

}  // namespace keelson::apiserver
