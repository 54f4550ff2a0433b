// The name of a place inside an object, to read and write it by.
//
//   FieldPath path = FieldPath::Parse("spec.containers[name=app].image").value();
//   Result<Json> image = GetField(pod, path);
//   Result<void> done = SetField(pod, "metadata.labels[\"example.com/tier\"]", "front");
//
// The same path works on typed objects, built-in or the user's, and on Json trees. Steps:
//
//   .name ["name"]     a field of a struct or an entry of a map; quotes for names with other characters,
//                      with backslash escapes
//   [2]                an element of a list by position
//   [name=app]         an element of a list of structs by the values of some fields; several: [port=80,protocol=TCP];
//                      a value with other characters in quotes: [name="a,b"]
//
// A leading dot is allowed. Names are JSON names. An error says where the path stops matching and what is there:
//
//   spec.replica: no such field in apps/v1.DeploymentSpec; did you mean "replicas"?
//
// kInvalidArgument means the path can never match objects of this type; kNotFound that it could, but this object has
// nothing there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/core/result.h"

namespace keelson {

class FieldPath {
 public:
  static constexpr size_t kMaxBytes = 16 << 10;
  static constexpr size_t kMaxSteps = 256;

  enum class StepKind : uint8_t {
    kField,    // .name
    kKey,      // ["name"]; means the same as kField and is printed with brackets
    kIndex,    // [2]
    kElement,  // [name=app]
  };
  struct Step {
    StepKind kind = StepKind::kField;
    std::string name = {};
    size_t index = 0;
    std::vector<std::pair<std::string, std::string>> keys = {};  // field and the text of its value

    friend bool operator==(const Step& a, const Step& b) {
      const auto meaning = [](StepKind kind) { return kind == StepKind::kKey ? StepKind::kField : kind; };
      return meaning(a.kind) == meaning(b.kind) && a.name == b.name && a.index == b.index && a.keys == b.keys;
    }
  };

  FieldPath() = default;  // the object itself; prints as ""
  static Result<FieldPath> Parse(std::string_view text);

  // Longer by one step.
  FieldPath Field(std::string_view name) const { return With({.kind = StepKind::kField, .name = std::string(name)}); }
  FieldPath Key(std::string_view key) const { return With({.kind = StepKind::kKey, .name = std::string(key)}); }
  FieldPath Index(size_t index) const { return With({.kind = StepKind::kIndex, .index = index}); }
  FieldPath Element(std::vector<std::pair<std::string, std::string>> keys) const {
    return With({.kind = StepKind::kElement, .keys = std::move(keys)});
  }

  bool empty() const { return steps_.empty(); }
  std::span<const Step> steps() const& { return steps_; }
  std::span<const Step> steps() && = delete;
  void Append(Step step) { steps_.push_back(std::move(step)); }
  void RemoveLast() { steps_.pop_back(); }

  // What Parse reads back to an equal path.
  std::string ToString() const { return ToString(steps_.size()); }
  std::string ToString(size_t first_steps) const;

  friend bool operator==(const FieldPath&, const FieldPath&) = default;

 private:
  FieldPath With(Step step) const {
    FieldPath longer = *this;
    longer.Append(std::move(step));
    return longer;
  }

  std::vector<Step> steps_;
};

// The value there. kNotFound when an optional on the way is absent, or a map or list has no such entry or element.
Result<Json> GetField(const Type& type, const void* value, const FieldPath& path);

// Writes the value there, making optionals and map entries on the way. An index that equals the length appends; an
// element named by keys that is not there is appended with these keys. Null resets a typed field to its default. The
// value is read strictly: a field that the type does not have is an error. On any error the object is as it was.
Result<void> SetField(const Type& type, void* value, const FieldPath& path, const Json& to);

// Resets a typed field to its default; takes an entry out of a map, an element out of a list, a member out of a Json
// object. Whether there was anything to remove.
Result<bool> RemoveField(const Type& type, void* value, const FieldPath& path);

// The text of a scalar: strings as they are, numbers and bools as JSON writes them, quantities, times and the like as
// their strings. Nothing when it is absent; an error when it is a list, map or struct or the type has no such field.
// For index functions and field selectors.
Result<std::optional<std::string>> ReadFieldText(const Type& type, const void* value, const FieldPath& path);

template <class T>
Result<Json> GetField(const T& object, const FieldPath& path) {
  return GetField(TypeOf<T>(), &object, path);
}
template <class T>
Result<Json> GetField(const T& object, std::string_view path) {
  KEELSON_TRY(parsed, FieldPath::Parse(path));
  return GetField(TypeOf<T>(), &object, parsed);
}
template <class T>
Result<void> SetField(T& object, const FieldPath& path, const Json& to) {
  return SetField(TypeOf<T>(), &object, path, to);
}
template <class T>
Result<void> SetField(T& object, std::string_view path, const Json& to) {
  KEELSON_TRY(parsed, FieldPath::Parse(path));
  return SetField(TypeOf<T>(), &object, parsed, to);
}
template <class T>
Result<bool> RemoveField(T& object, const FieldPath& path) {
  return RemoveField(TypeOf<T>(), &object, path);
}
template <class T>
Result<bool> RemoveField(T& object, std::string_view path) {
  KEELSON_TRY(parsed, FieldPath::Parse(path));
  return RemoveField(TypeOf<T>(), &object, parsed);
}

}  // namespace keelson
