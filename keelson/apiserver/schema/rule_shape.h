// As what the rules of a schema see the JSON of a custom object: a view through which CEL reads it in place, with the
// types that the schema gives it.
//
//   SchemaShape shape(schema, /*resource_root=*/true);
//   ResourceView self(shape, head, content);
//   cel::Value value = self.AsValue();
//
// Fields go by their escaped names; null counts as absent; date, date-time, duration and byte are values of these
// types; list-sets and list-maps compare without regard to order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/cel/value.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

class SchemaShape final : public cel::Shape {
 public:
  // The schema outlives the shape.
  SchemaShape(const Schema& schema, bool resource_root);

  cel::Value Wrap(const Json& json, cel::Arena& arena) const override;
  cel::Value WrapItem(const Json& item, cel::Arena& arena) const override;
  bool Find(const JsonObject& object, std::string_view name, cel::Arena& arena, cel::Value* out) const override;
  bool NameOfKey(std::string_view key, cel::Arena& arena, std::string_view* name) const override;
  bool KeysAreStrings() const override { return true; }
  cel::Value ListsEqual(const cel::Value& list, const cel::Value& other, cel::Arena& arena) const override;
  cel::Value AddLists(const cel::Value& list, const cel::Value& other, cel::Arena& arena) const override;
  cel::Value MapsEqual(const cel::Value& map, const cel::Value& other, cel::Arena& arena) const override;

  const Schema& schema() const { return schema_; }
  // Null when there is none of that name.
  const SchemaShape* Property(std::string_view name) const;
  const SchemaShape* items() const { return items_.get(); }
  const SchemaShape* values() const { return values_.get(); }

 private:
  struct Field {
    std::string name;
    std::string escaped;  // as expressions write it; the name itself where there is no such form
    std::unique_ptr<SchemaShape> shape;
  };
  const Field* FieldCalled(std::string_view escaped) const;

  void AddField(const std::string& name, const Schema& schema);
  // The shape of a member by its name in the document.
  const SchemaShape* MemberShape(std::string_view key) const;
  // By which elements of a list-set or list-map are told apart.
  std::string KeyOf(const cel::Value& element, cel::Arena& arena) const;

  const Schema& schema_;
  bool is_object_ = false;
  std::vector<Field> fields_;       // ordered by name
  std::vector<size_t> by_escaped_;  // indexes into fields_, ordered by the escaped name; empty when that is the same
  std::unique_ptr<SchemaShape> items_;
  std::unique_ptr<SchemaShape> values_;
};

// A custom object as a whole, for one evaluation: its content, and what stands beside it.
class ResourceView final : public cel::Shape {
 public:
  // All of these outlive the view.
  ResourceView(const SchemaShape& shape, std::string_view api_version, std::string_view kind,
               const metav1::ObjectMeta& metadata, const Json& content);

  cel::Value AsValue() const { return cel::Value::OfJson(content(), *this); }
  const Json& content() const { return content_; }
  // Metadata as JSON; made when first asked for.
  const Json& metadata() const;

  bool Find(const JsonObject& object, std::string_view name, cel::Arena& arena, cel::Value* out) const override;
  bool NameOfKey(std::string_view key, cel::Arena& arena, std::string_view* name) const override;
  bool KeysAreStrings() const override { return true; }
  cel::Value MapsEqual(const cel::Value& map, const cel::Value& other, cel::Arena& arena) const override;

 private:
  const SchemaShape& shape_;
  const std::string_view api_version_;
  const std::string_view kind_;
  const metav1::ObjectMeta& object_meta_;
  const Json& content_;
  mutable std::optional<Json> metadata_;
};

}  // namespace keelson::apiserver
