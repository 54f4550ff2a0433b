#include "keelson/apiserver/schema/rule_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "keelson/apiserver/cel/escape.h"
#include "keelson/apiserver/go_text.h"
#include "keelson/apiserver/schema/rule_scalars.h"
#include "keelson/apiserver/schema/rule_types.h"
#include "keelson/codec/convert.h"

namespace keelson::apiserver {

namespace {

using cel::Arena;
using cel::Value;

Value Invalid(Arena& arena, std::string_view expected, const Json& found) {
  return cel::MakeError(arena, fmt::format("invalid data, expected {}, got {}", expected, GoTypeName(found)));
}

// Data without a schema: it can be compared, and nothing else.
class PreservedData final : public cel::Opaque {
 public:
  explicit PreservedData(const Json& json) : json_(json) {}
  std::string_view TypeName() const override { return "unknown"; }
  Value Equal(const Value& other) const override {
    if (!other.is(cel::ValueKind::kOpaque) || other.opaque()->TypeName() != TypeName()) return Value::OfBool(false);
    return Value::OfBool(json_ == static_cast<const PreservedData*>(other.opaque())->json_);
  }

 private:
  const Json& json_;
};

}  // namespace

SchemaShape::SchemaShape(const Schema& schema, bool resource_root) : schema_(schema) {
  if (schema.items != nullptr) items_ = std::make_unique<SchemaShape>(*schema.items, schema.items->embedded_resource);
  const Schema* metadata = resource_root ? ImpliedMetadata(schema) : nullptr;
  for (const Schema::Property& property : schema.properties) {
    const bool implied = property.name == "apiVersion" || property.name == "kind" || property.name == "metadata";
    if (metadata == nullptr || !implied) AddField(property.name, property.schema);
  }
  if (metadata != nullptr) {
    AddField("apiVersion", ImpliedText());
    AddField("kind", ImpliedText());
    AddField("metadata", *metadata);
  }
  is_object_ = !fields_.empty();
  if (!is_object_ && schema.additional != nullptr) {
    values_ = std::make_unique<SchemaShape>(*schema.additional, schema.additional->embedded_resource);
  }
  std::sort(fields_.begin(), fields_.end(), [](const Field& a, const Field& b) { return a.name < b.name; });
  if (std::all_of(fields_.begin(), fields_.end(), [](const Field& f) { return f.name == f.escaped; })) return;
  for (size_t i = 0; i < fields_.size(); ++i) by_escaped_.push_back(i);
  std::sort(by_escaped_.begin(), by_escaped_.end(),
            [&](size_t a, size_t b) { return fields_[a].escaped < fields_[b].escaped; });
}

void SchemaShape::AddField(const std::string& name, const Schema& schema) {
  fields_.push_back({.name = name,
                     .escaped = cel::EscapeName(name).value_or(name),
                     .shape = std::make_unique<SchemaShape>(schema, schema.embedded_resource)});
}

const SchemaShape* SchemaShape::Property(std::string_view name) const {
  const auto field = std::lower_bound(fields_.begin(), fields_.end(), name,
                                      [](const Field& f, std::string_view wanted) { return f.name < wanted; });
  return field != fields_.end() && field->name == name ? field->shape.get() : nullptr;
}

const SchemaShape* SchemaShape::MemberShape(std::string_view key) const {
  return is_object_ ? Property(key) : values_.get();
}

Value SchemaShape::Wrap(const Json& json, Arena& arena) const {
  if (json.is_null()) {
    if (schema_.nullable) return Value::Null();
    return Value::OfError("invalid data, got null for schema with nullable=false");
  }
  if (schema_.int_or_string) {
    if (json.is_string()) return Value::OfString(json.string().view());
    if (json.is_int()) return Value::OfInt(json.integer());
    return Value::OfError("invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (schema_.type) {
    case SchemaType::kObject:
      if (json.is_object()) return Value::OfJson(json, *this);
      return Value::OfError("invalid data, expected a map for the provided schema with type=object");
    case SchemaType::kArray:
      if (!json.is_list())
        return Value::OfError("invalid data, expected an array for the provided schema with type=array");
      if (items_ == nullptr) return Value::OfError("invalid array type, expected Items with a non-empty Schema");
      return Value::OfJson(json, *this);
    case SchemaType::kString:
      return json.is_string() ? WrapText(schema_.format, json.string().view(), arena) : Invalid(arena, "string", json);
    case SchemaType::kNumber: return json.is_number() ? Value::OfDouble(json.number()) : Invalid(arena, "float", json);
    case SchemaType::kInteger: return json.is_int() ? Value::OfInt(json.integer()) : Invalid(arena, "int", json);
    case SchemaType::kBoolean: return json.is_bool() ? Value::OfBool(json.boolean()) : Invalid(arena, "bool", json);
    case SchemaType::kAny: break;
  }
  if (schema_.preserve_unknown) return Value::OfOpaque(arena.New<PreservedData>(json));
  return Value::OfError(
      "invalid type, expected object, array, number, integer, boolean or string, or no type with "
      "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ");
}

Value SchemaShape::WrapItem(const Json& item, Arena& arena) const { return items_->Wrap(item, arena); }

const SchemaShape::Field* SchemaShape::FieldCalled(std::string_view escaped) const {
  const auto index = std::lower_bound(by_escaped_.begin(), by_escaped_.end(), escaped,
                                      [&](size_t i, std::string_view wanted) { return fields_[i].escaped < wanted; });
  return index != by_escaped_.end() && fields_[*index].escaped == escaped ? &fields_[*index] : nullptr;
}

bool SchemaShape::Find(const JsonObject& object, std::string_view name, Arena& arena, Value* out) const {
  const SchemaShape* shape = values_.get();
  std::string_view key = name;
  if (is_object_) {
    if (by_escaped_.empty()) {
      shape = Property(name);
    } else {
      const Field* field = FieldCalled(name);
      if (field == nullptr) {
        if (const std::optional<std::string> keyword = cel::EscapeKeyword(name)) field = FieldCalled(*keyword);
      }
      shape = field != nullptr ? field->shape.get() : nullptr;
      if (field != nullptr) key = field->name;
    }
  }
  if (shape == nullptr) return false;
  const Json* member = object.find(key);
  // A null of an object's field counts as absent.
  if (member == nullptr || (is_object_ && member->is_null())) return false;
  *out = shape->Wrap(*member, arena);
  return true;
}

bool SchemaShape::NameOfKey(std::string_view key, Arena&, std::string_view* name) const {
  *name = key;
  if (!is_object_) return values_ != nullptr;
  const auto field = std::lower_bound(fields_.begin(), fields_.end(), key,
                                      [](const Field& f, std::string_view wanted) { return f.name < wanted; });
  if (field == fields_.end() || field->name != key) return false;
  *name = field->escaped;
  return true;
}

std::string SchemaShape::KeyOf(const Value& element, Arena& arena) const {
  const auto scalar = [](const Value& value) -> std::string {
    switch (value.kind()) {
      case cel::ValueKind::kBool: return value.boolean() ? "true" : "false";
      case cel::ValueKind::kInt: return fmt::format("i{}", value.integer());
      case cel::ValueKind::kUint: return fmt::format("u{}", value.uinteger());
      case cel::ValueKind::kDouble: return fmt::format("d{}", value.number());
      case cel::ValueKind::kString: return fmt::format("\"{}", value.text());
      case cel::ValueKind::kBytes: return fmt::format("b{}", value.text());
      case cel::ValueKind::kTimestamp: return fmt::format("t{}.{}", value.seconds(), value.nanos());
      case cel::ValueKind::kDuration: return fmt::format("n{}", value.duration());
      default: return "";
    }
  };
  if (schema_.list_type != ListType::kMap) {
    // Lists and objects in a set are few; they are told apart by their text.
    const bool container = element.is_list() || element.is_map();
    return container ? cel::DebugText(element, arena) : scalar(element);
  }
  std::string key;
  for (const std::string& property : schema_.list_keys) {
    Value value;
    if (element.is_map()) {
      const Value name = Value::OfString(arena.Copy(cel::EscapeName(property).value_or(property)));
      if (cel::FindMember(element, name, arena, &value) != cel::Lookup::kFound) value = Value::Null();
    }
    const std::string part = scalar(value);
    key += fmt::format("{}:{}", part.size(), part);
  }
  return key;
}

Value SchemaShape::ListsEqual(const Value& list, const Value& other, Arena& arena) const {
  if (!other.is_list()) return other.is_error() ? other : Value::NoSuchOverload();
  if (schema_.list_type == ListType::kAtomic) return Shape::ListsEqual(list, other, arena);
  const size_t length = cel::Length(list);
  if (length != cel::Length(other)) return Value::OfBool(false);
  std::unordered_map<std::string, Value> elements;
  for (size_t i = 0; i < length; ++i) {
    const Value element = cel::ItemAt(list, i, arena);
    elements[KeyOf(element, arena)] = element;
  }
  for (size_t i = 0; i < length; ++i) {
    const Value element = cel::ItemAt(other, i, arena);
    const auto mine = elements.find(KeyOf(element, arena));
    if (mine == elements.end()) return Value::OfBool(false);
    if (schema_.list_type != ListType::kMap) continue;
    const Value equal = cel::Equal(mine->second, element, arena);
    if (!equal.is_true()) return equal;
  }
  return Value::OfBool(true);
}

// A union: what is in both stays where it is in the first; of a list-map it is the second's element that stays.
Value SchemaShape::AddLists(const Value& list, const Value& other, Arena& arena) const {
  if (schema_.list_type == ListType::kAtomic) {
    return Value::OfList(Shape::AddLists(list, other, arena).items(), this);
  }
  std::vector<Value> elements;
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0, length = cel::Length(list); i < length; ++i) {
    elements.push_back(cel::ItemAt(list, i, arena));
    places[KeyOf(elements.back(), arena)] = i;
  }
  for (size_t i = 0, length = cel::Length(other); i < length; ++i) {
    const Value element = cel::ItemAt(other, i, arena);
    const auto [place, added] = places.try_emplace(KeyOf(element, arena), elements.size());
    if (added) {
      elements.push_back(element);
    } else if (schema_.list_type == ListType::kMap) {
      elements[place->second] = element;
    }
    // What the second has twice with a key of its own stays twice.
    if (added && schema_.list_type == ListType::kMap) places.erase(place);
  }
  Value* items = arena.Array<Value>(elements.size());
  std::copy(elements.begin(), elements.end(), items);
  return Value::OfList({items, elements.size()}, this);
}

Value SchemaShape::MapsEqual(const Value& map, const Value& other, Arena& arena) const {
  if (!other.is_map()) return other.is_error() ? other : Value::NoSuchOverload();
  if (cel::Length(map) != cel::Length(other)) return Value::OfBool(false);
  for (const auto& [key, member] : map.json().object()) {
    const SchemaShape* shape = MemberShape(key);
    const Json* theirs = other.is_json() ? other.json().object().find(key) : nullptr;
    if (shape == nullptr) {
      // Data that the schema says nothing of.
      if (theirs != nullptr && member != *theirs) return Value::OfBool(false);
      continue;
    }
    const bool mine_found = !is_object_ || !member.is_null();
    Value their_value;
    bool theirs_found = theirs != nullptr && (!is_object_ || !theirs->is_null());
    if (theirs_found) {
      their_value = shape->Wrap(*theirs, arena);
    } else if (!other.is_json()) {
      theirs_found = cel::FindMember(other, Value::OfString(key.view()), arena, &their_value) != cel::Lookup::kMissing;
    }
    if (mine_found != theirs_found) return Value::OfBool(false);
    if (!mine_found) continue;
    const Value equal = cel::Equal(shape->Wrap(member, arena), their_value, arena);
    if (!equal.is_true()) return equal;
  }
  return Value::OfBool(true);
}

ResourceView::ResourceView(const SchemaShape& shape, std::string_view api_version, std::string_view kind,
                           const metav1::ObjectMeta& metadata, const Json& content)
    : shape_(shape), api_version_(api_version), kind_(kind), object_meta_(metadata), content_(content) {}

const Json& ResourceView::metadata() const {
  if (!metadata_) metadata_ = ToJsonValue(object_meta_);
  return *metadata_;
}

bool ResourceView::Find(const JsonObject& object, std::string_view name, Arena& arena, Value* out) const {
  if (name == "metadata") {
    *out = shape_.Property(name)->Wrap(metadata(), arena);
    return true;
  }
  if (name == "apiVersion" || name == "kind") {
    *out = Value::OfString(name == "kind" ? kind_ : api_version_);
    return true;
  }
  return shape_.Find(object, name, arena, out);
}

bool ResourceView::NameOfKey(std::string_view key, Arena& arena, std::string_view* name) const {
  return shape_.NameOfKey(key, arena, name);
}

Value ResourceView::MapsEqual(const Value& map, const Value& other, Arena& arena) const {
  const auto* view = other.is_json() ? dynamic_cast<const ResourceView*>(other.shape()) : nullptr;
  if (view == nullptr) return Value::NoSuchOverload();
  const Value content = shape_.MapsEqual(map, other, arena);
  if (!content.is_true()) return content;
  const SchemaShape& meta = *shape_.Property("metadata");
  return cel::Equal(meta.Wrap(metadata(), arena), meta.Wrap(view->metadata(), arena), arena);
}

}  // namespace keelson::apiserver
