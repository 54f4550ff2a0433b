#include "keelson/apiserver/apply/json_forms.h"

#include <fmt/format.h>

#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver {

namespace {

std::string QuotedKeys(const std::vector<std::string>& keys) {
  std::string shown;
  for (const std::string& key : keys) shown.append(shown.empty() ? "[" : " ").append(Quoted(key));
  return shown + "]";
}

}  // namespace

Form FormOf(const Shape& shape, const Json* value) {
  if (value != nullptr) {
    if (IsScalar(*value) && shape.scalar != ScalarShape::kNone) return Form::kScalar;
    if (value->is_list() && shape.is_list) return Form::kList;
    if (value->is_object() && shape.is_map) return Form::kMap;
  }
  return shape.is_map ? Form::kMap : shape.scalar != ScalarShape::kNone ? Form::kScalar : Form::kList;
}

ItemElement ElementOf(const Shape& list, const Json& item) {
  if (list.list_type == ListType::kMap) {
    if (item.is_null()) return {.error = "associative list with keys may not have a null element"};
    if (!item.is_object()) return {.error = "associative list with keys may not have non-map elements"};
    JsonObject keys;
    for (const std::string& key : list.keys) {
      const Shape::Member* member = list.item->FindMember(key);
      if (const Json* value = item.find(key)) {
        keys.Set(String(key), *value);
      } else if (member != nullptr && member->default_) {
        keys.Set(String(key), *member->default_);
      }
    }
    if (keys.empty() && !list.keys.empty()) {
      return {.error =
                  fmt::format("associative list with keys has an element that omits all key fields {} (and doesn't "
                              "have default values for any key fields)",
                              QuotedKeys(list.keys))};
    }
    return {.element = PathElement::Key(Json(std::move(keys)))};
  }
  if (item.is_object()) return {.error = "associative list without keys has an element that's a map type"};
  if (item.is_list()) return {.error = "not supported: associative list with lists as elements"};
  if (item.is_null()) return {.error = "associative list without keys has an element that's an explicit null"};
  return {.element = PathElement::Value(item)};
}

}  // namespace keelson::apiserver
