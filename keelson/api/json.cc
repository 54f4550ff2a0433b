#include "keelson/api/json.h"

namespace keelson {

Json Json::Array(std::initializer_list<Json> items) { return Json(JsonList(items)); }
Json Json::Object(std::initializer_list<std::pair<String, Json>> members) { return Json(JsonObject(members)); }

Json::Json(const Json& other) : tag_(other.tag_) {
  switch (kind()) {
    case Kind::kString: new (&string_) String(other.string_); break;
    case Kind::kList: new (&list_) JsonList(other.list_); break;
    case Kind::kObject: new (&object_) JsonObject(other.object_); break;
    default: int_ = other.int_; break;
  }
}

Json::Json(Json&& other) noexcept : tag_(other.tag_) {
  int_ = other.int_;  // every alternative is one word; a handle moves by its pointer
  other.tag_ = 0;
  other.int_ = 0;
}

Json& Json::operator=(Json other) noexcept {
  std::swap(tag_, other.tag_);
  std::swap(int_, other.int_);
  return *this;
}

void Json::Destroy() {
  switch (kind()) {
    case Kind::kString: string_.~String(); break;
    case Kind::kList: list_.~JsonList(); break;
    case Kind::kObject: object_.~JsonObject(); break;
    default: break;
  }
}

double Json::number() const {
  if (is_int()) return static_cast<double>(int_);
  Expect(Kind::kDouble);
  return double_;
}

std::string_view ToString(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::kNull: return "null";
    case Json::Kind::kBool: return "bool";
    case Json::Kind::kInt: return "integer";
    case Json::Kind::kDouble: return "number";
    case Json::Kind::kString: return "string";
    case Json::Kind::kList: return "array";
    case Json::Kind::kObject: return "object";
  }
  return "unknown";
}

}  // namespace keelson
