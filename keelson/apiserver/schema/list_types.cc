#include "keelson/apiserver/schema/list_types.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "keelson/apiserver/kinds/path.h"
#include "keelson/apiserver/schema/go_numbers.h"
#include "keelson/apiserver/schema/property_cursor.h"
#include "keelson/codec/json_equal.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kShortList = 16;

// The positions at which a value stands for the second time. Null stands for an element without the key.
std::vector<size_t> SecondAppearances(const std::vector<const Json*>& values) {
  // 1 and 1.0 are two scalars; inside of objects and lists, which upstream compares as text, they are one.
  const auto same = [](const Json* a, const Json* b) {
    if (a == nullptr || b == nullptr) return a == b;
    return a->is_list() || a->is_object() ? NumericallyEqual(*a, *b) : *a == *b;
  };
  std::vector<size_t> seconds;
  if (values.size() <= kShortList) {
    for (size_t i = 1; i < values.size(); ++i) {
      size_t before = 0;
      for (size_t j = 0; j < i; ++j) before += same(values[i], values[j]) ? 1 : 0;
      if (before == 1) seconds.push_back(i);
    }
    return seconds;
  }
  std::unordered_map<std::string, size_t> seen;
  for (size_t i = 0; i < values.size(); ++i) {
    std::string text = values[i] == nullptr ? std::string("-") : std::string(ToString(values[i]->kind()));
    if (values[i] != nullptr) text += GoShown(*values[i]);
    if (++seen[std::move(text)] == 2) seconds.push_back(i);
  }
  return seconds;
}

class ListTypeChecker {
 public:
  explicit ListTypeChecker(FieldErrors& errors) : errors_(errors) {}

  void Check(const Json& value, const Schema& schema, const Path& path) {
    if (value.is_list()) return CheckList(value.list(), schema, path);
    if (!value.is_object()) return;
    if (schema.additional != nullptr) {
      for (const auto& [name, member] : value.object()) {
        const Path at = path.Key(name);
        Check(member, *schema.additional, at);
      }
    }
    if (schema.properties.empty()) return;
    PropertyCursor properties(schema);
    for (const auto& [name, member] : value.object()) {
      if (!member.is_list() && !member.is_object()) continue;
      const Schema* property = properties.Find(name);
      if (property == nullptr) continue;
      const Path at = path / name;
      Check(member, *property, at);
    }
  }

 private:
  void CheckList(const JsonList& list, const Schema& schema, const Path& path) {
    if (schema.list_type == ListType::kSet) CheckSet(list, path);
    if (schema.list_type == ListType::kMap) CheckMap(list, schema, path);
    if (schema.items == nullptr) return;
    for (size_t i = 0; i < list.size(); ++i) {
      const Path at = path[i];
      Check(list[i], *schema.items, at);
    }
  }

  void CheckSet(const JsonList& list, const Path& path) {
    if (list.size() <= 1) return;
    std::vector<const Json*> values;
    values.reserve(list.size());
    for (const Json& element : list) values.push_back(&element);
    for (const size_t i : SecondAppearances(values)) {
      const Path at = path[i];
      errors_.DuplicateShown(at, GoShown(list[i]));
    }
  }

  void CheckMap(const JsonList& list, const Schema& schema, const Path& path) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].is_null() || list[i].is_object()) continue;
      const Path at = path[i];
      return errors_.InvalidShown(at, GoShown(list[i]), "must be an object for an array of list-type map");
    }
    if (list.size() <= 1) return;
    if (schema.list_keys.size() == 1) return CheckOneKey(list, schema.list_keys[0], path);
    std::vector<Json> keys;
    keys.reserve(list.size());
    for (const Json& element : list) keys.push_back(KeysOf(element, schema));
    std::vector<const Json*> values;
    values.reserve(list.size());
    for (const Json& key : keys) values.push_back(&key);
    for (const size_t i : SecondAppearances(values)) {
      const Path at = path[i];
      errors_.DuplicateShown(at, GoShown(keys[i]));
    }
  }

  // The usual case, for which nothing is made.
  void CheckOneKey(const JsonList& list, const std::string& key, const Path& path) {
    std::vector<const Json*> values;
    values.reserve(list.size());
    for (const Json& element : list) values.push_back(element.find(key));
    for (const size_t i : SecondAppearances(values)) {
      const Path at = path[i];
      errors_.DuplicateShown(at, GoShown(values[i] == nullptr ? Json::Object() : Json::Object({{key, *values[i]}})));
    }
  }

  static Json KeysOf(const Json& element, const Schema& schema) {
    JsonObject keys;
    for (const std::string& key : schema.list_keys) {
      if (const Json* value = element.find(key)) keys.Set(key, *value);
    }
    return Json(std::move(keys));
  }

  FieldErrors& errors_;
};

}  // namespace

void ValidateListTypes(const Json& content, const Schema& schema, FieldErrors& errors) {
  ListTypeChecker(errors).Check(content, schema, Path(""));
}

void ValidateListTypesUpdate(const Json& content, const Json& old_content, const Schema& schema, FieldErrors& errors) {
  FieldErrors now;
  ValidateListTypes(content, schema, now);
  if (now.empty()) return;
  FieldErrors before;
  ValidateListTypes(old_content, schema, before);
  if (before.empty()) ValidateListTypes(content, schema, errors);
}

}  // namespace keelson::apiserver
