// What is wrong with an object, field by field, in the words of a Kubernetes API server.
//
//   FieldErrors errors;
//   if (pod.spec.containers.empty()) errors.Required(spec / "containers", "");
//   errors.Invalid(path, Json(-1), "must be greater than or equal to 0");
//
// Each entry becomes a cause of the answer 422 Invalid.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/list.h"
#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

class FieldErrors {
 public:
  // `spec.x: Required value`, with ": detail" when there is any.
  void Required(const Path& path, std::string_view detail);
  // `spec.x: Invalid value: "text": detail`. Text is quoted; numbers, bools and null are shown as they are, objects and
  // lists as JSON.
  void Invalid(const Path& path, const Json& value, std::string_view detail);
  // The same, with the value as it is to be shown: objects in the order of their fields (internal_form.h).
  void InvalidShown(const Path& path, std::string_view shown, std::string_view detail);
  // `spec.x: Invalid value: detail`
  void InvalidHidden(const Path& path, std::string_view detail);
  // `spec.x: Unsupported value: "v": supported values: "A", "B"`; the supported ones are shown sorted.
  void NotSupported(const Path& path, const Json& value, std::span<const std::string_view> supported);
  void NotSupported(const Path& path, const Json& value, std::initializer_list<std::string_view> supported) {
    NotSupported(path, value, std::span(supported.begin(), supported.size()));
  }
  // The same where upstream lists the supported ones in an order of its own.
  void NotSupportedAsListed(const Path& path, const Json& value, std::initializer_list<std::string_view> supported);
  // The same with the supported ones in the given order.
  void NotSupportedOf(const Path& path, const Json& value, std::span<const std::string_view> supported);
  // The same, with the value as it is to be shown.
  void NotSupportedShown(const Path& path, std::string_view shown, std::span<const std::string_view> supported);
  // `spec.x: Duplicate value: "v"`, with ": detail" when there is any.
  void Duplicate(const Path& path, const Json& value, std::string_view detail = {});
  void DuplicateShown(const Path& path, std::string_view shown, std::string_view detail = {});
  // `spec.x: Not found: "v"`, with ": detail" when there is any.
  void NotFound(const Path& path, const Json& value, std::string_view detail = {});
  // `spec.x: Forbidden: detail`
  void Forbidden(const Path& path, std::string_view detail);
  // `spec.x: Too long: may not be more than n bytes`
  void TooLong(const Path& path, size_t max_bytes);
  // `spec.x: Too long: may not be more than n characters`
  void TooLongCharacters(const Path& path, size_t max_characters);
  // `spec.x: Too many: 5: must have at most 3 items`
  void TooMany(const Path& path, size_t actual, size_t max);
  // `spec.x: Invalid value: "v": detail`, reason FieldValueTypeInvalid
  void TypeInvalid(const Path& path, const Json& value, std::string_view detail);
  // `spec.x: Internal error: detail`
  void Internal(const Path& path, std::string_view detail);

  // One Invalid for each reason, as the functions of api/names.h give them.
  void InvalidForEach(const Path& path, std::string_view value, const std::vector<std::string>& reasons) {
    for (const std::string& reason : reasons) Invalid(path, Json(value), reason);
  }

  bool empty() const { return causes_.empty(); }
  size_t size() const { return causes_.size(); }
  const List<metav1::StatusCause>& causes() const& { return causes_; }

 private:
  void Add(std::string_view reason, const Path& path, std::string message);

  List<metav1::StatusCause> causes_;
};

}  // namespace keelson::apiserver
