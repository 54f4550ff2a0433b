// A dynamic JSON value built from the same shared nodes as typed objects.
//
//   Json value = Json::Object({{"kind", "Pod"}, {"replicas", 3}});
//   if (const Json* kind = value.find("kind"); kind && kind->is_string()) Use(kind->string());
//
// Integers and doubles are distinct: 1 and 1.0 differ in kind and are written back as they were. 16 bytes; copies
// share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "keelson/api/list.h"
#include "keelson/api/map.h"

namespace keelson {

class Json;
template <>
inline constexpr bool kIsPlainValue<Json> = true;
template <>
struct Describe<Json> {
  static const Type type;
};

using JsonList = List<Json>;
using JsonObject = Map<Json>;

class Json {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInt, kDouble, kString, kList, kObject };

  Json() : int_(0) {}
  Json(std::nullptr_t) : Json() {}
  Json(bool value) : tag_(Tag(Kind::kBool)), int_(value ? 1 : 0) {}
  Json(int value) : Json(static_cast<int64_t>(value)) {}
  Json(int64_t value) : tag_(Tag(Kind::kInt)), int_(value) {}
  Json(double value) : tag_(Tag(Kind::kDouble)), double_(value) {}
  Json(String value) : tag_(Tag(Kind::kString)), string_(std::move(value)) {}
  Json(std::string_view value) : Json(String(value)) {}
  Json(const char* value) : Json(String(value)) {}
  Json(const std::string& value) : Json(String(value)) {}
  Json(JsonList value) : tag_(Tag(Kind::kList)), list_(std::move(value)) {}
  Json(JsonObject value) : tag_(Tag(Kind::kObject)), object_(std::move(value)) {}
  static Json Array(std::initializer_list<Json> items = {});
  static Json Object(std::initializer_list<std::pair<String, Json>> members = {});

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json() { Destroy(); }

  Kind kind() const { return static_cast<Kind>(tag_); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kBool; }
  bool is_int() const { return kind() == Kind::kInt; }
  bool is_double() const { return kind() == Kind::kDouble; }
  bool is_number() const { return is_int() || is_double(); }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_list() const { return kind() == Kind::kList; }
  bool is_object() const { return kind() == Kind::kObject; }

  // Each of these ends the process when the kind is another: ask first.
  bool boolean() const { return Expect(Kind::kBool), int_ != 0; }
  int64_t integer() const { return Expect(Kind::kInt), int_; }
  double number() const;  // of either number kind
  const String& string() const& { return Expect(Kind::kString), string_; }
  const JsonList& list() const& { return Expect(Kind::kList), list_; }
  JsonList& list() & { return Expect(Kind::kList), list_; }
  const JsonObject& object() const& { return Expect(Kind::kObject), object_; }
  JsonObject& object() & { return Expect(Kind::kObject), object_; }
  const String& string() && = delete;
  const JsonList& list() && = delete;
  const JsonObject& object() && = delete;

  // The member of an object; null when this is no object or has no such member.
  const Json* find(std::string_view key) const& { return is_object() ? object_.find(key) : nullptr; }
  const Json* find(std::string_view key) && = delete;

  // Equal kinds and values; 1 and 1.0 are not equal (see NumericallyEqual in codec/ for JSON's notion).
  friend bool operator==(const Json& a, const Json& b) { return internal::EqualAt(Describe<Json>::type, &a, &b); }

 private:
  static constexpr uint64_t Tag(Kind kind) { return static_cast<uint64_t>(kind); }
  void Expect(Kind kind) const {
    if (this->kind() != kind) internal::DieOnEmptyAccess("Json value is of another kind");
  }
  void Destroy();

  // All-zero bytes are null. A 64-bit tag leaves no padding between tag and value.
  uint64_t tag_ = 0;
  union {
    int64_t int_;
    double double_;
    String string_;
    JsonList list_;
    JsonObject object_;
  };
};
static_assert(sizeof(Json) == 16);

// "null", "bool", "integer", "number", "string", "array", "object": for messages.
std::string_view ToString(Json::Kind kind);

}  // namespace keelson
