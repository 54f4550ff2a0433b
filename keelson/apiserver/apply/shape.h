// How a kind's values behave in server-side apply: what is one field and what is made of fields, which lists are sets
// or maps and by which keys their elements are told apart.
//
//   const Shape& shape = ShapeOf(TypeOf<appsv1::Deployment>());
//   const ShapeBook book(&schema);                                      // of a custom kind
//
// Immutable once made: read from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/type.h"
#include "keelson/apiserver/apply/field_set.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

enum class ScalarShape : uint8_t { kNone, kAny, kNumber, kString, kBoolean };

// A value may have several forms where it is not typed: then its own form decides.
struct Shape {
  struct Member {
    PathElement element;  // its name
    const Shape* shape;
    std::optional<Json> default_ = {};  // of a key
  };

  ScalarShape scalar = ScalarShape::kNone;

  bool is_list = false;
  ListType list_type = ListType::kAtomic;
  std::vector<std::string> keys = {};  // of a list that is a map
  const Shape* item = nullptr;

  bool is_map = false;
  bool atomic_map = false;
  std::vector<Member> members = {};  // by name
  const Shape* other = nullptr;      // of members not named; null: there are none
  // Of a struct, in the order of names: places in Type::fields and in `members`.
  struct StructField {
    uint16_t field;
    uint16_t member;
  };
  std::vector<StructField> struct_fields = {};

  const Member* FindMember(std::string_view name) const;
  // Null when there is no such member.
  const Shape* ShapeOfMember(std::string_view name) const;
};

// Of a value whose kind nothing is known of: objects are made of fields, lists are one field each.
const Shape& DeducedShape();

// Of a type of the API. Made when first asked for, then kept.
const Shape& ShapeOf(const Type& type);

// The shapes of a custom kind; they live as long as this.
class ShapeBook {
 public:
  // `schema` is that of the whole object; null: everything is deduced.
  explicit ShapeBook(const Schema* schema);

  const Shape& root() const& { return *root_; }

 private:
  const Shape* Make(const Schema& schema, bool preserve);

  std::vector<std::unique_ptr<Shape>> shapes_;
  const Shape* root_ = nullptr;
};

}  // namespace keelson::apiserver
