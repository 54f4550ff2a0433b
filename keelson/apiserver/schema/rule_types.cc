#include "keelson/apiserver/schema/rule_types.h"

#include <algorithm>

#include "keelson/apiserver/cel/escape.h"

namespace keelson::apiserver {

namespace {

constexpr int64_t kMaxRequestBytes = 3 * 1024 * 1024;
constexpr int64_t kMaxTextBytes = kMaxRequestBytes - 2;  // without the quotes
constexpr int64_t kMaxTimeBytes = 32;
constexpr int64_t kDateBytes = 12;
constexpr int64_t kMaxCodePointBytes = 4;

class FieldTypes final : public cel::ObjectFields {
 public:
  const cel::Type* Find(std::string_view name) const override {
    auto field = types.find(name);
    if (field == types.end()) {
      if (const std::optional<std::string> keyword = cel::EscapeKeyword(name)) field = types.find(*keyword);
    }
    return field == types.end() ? nullptr : &field->second;
  }

  std::map<std::string, cel::Type, std::less<>> types;
};

// Object types are named after where they are: "selfType.items.@idx".
std::unique_ptr<DeclaredType> DeclareType(const Schema& schema, bool resource_root, const std::string& name);

std::unique_ptr<DeclaredType> Simple(cel::Type type, int64_t min_size, int64_t max_elements = 0) {
  auto declared = std::make_unique<DeclaredType>();
  declared->type = std::move(type);
  declared->min_serialized_size = min_size;
  declared->max_elements = max_elements;
  return declared;
}

int64_t NotNegative(int64_t value) { return std::max<int64_t>(value, 0); }

// maxLength counts code points.
int64_t MaxTextBytes(const Schema& schema) {
  return schema.max_length ? NotNegative(*schema.max_length) * kMaxCodePointBytes : kMaxTextBytes;
}

std::unique_ptr<DeclaredType> DeclareText(const Schema& schema) {
  if (schema.format == "byte") {
    return Simple(cel::Type::Bytes(), 2, schema.max_length ? NotNegative(*schema.max_length) : kMaxTextBytes);
  }
  if (schema.format == "duration") return Simple(cel::Type::Duration(), 3, kMaxTimeBytes);
  if (schema.format == "date") return Simple(cel::Type::Timestamp(), kDateBytes, kDateBytes);
  if (schema.format == "date-time") return Simple(cel::Type::Timestamp(), 21, kMaxTimeBytes);
  int64_t length = MaxTextBytes(schema);
  if (!schema.max_length && !schema.enum_.empty()) {
    length = 0;
    for (const Json& value : schema.enum_) {
      if (value.is_string()) length = std::max(length, static_cast<int64_t>(value.string().size()));
    }
  }
  return Simple(cel::Type::String(), 2, length);
}

std::unique_ptr<DeclaredType> DeclareList(const Schema& schema, const std::string& name) {
  if (schema.items == nullptr) return nullptr;
  std::unique_ptr<DeclaredType> items = DeclareType(*schema.items, schema.items->embedded_resource, name + ".@idx");
  if (items == nullptr) return nullptr;
  // As many as have room, with a comma each, between the brackets.
  const int64_t most =
      schema.max_items ? NotNegative(*schema.max_items) : (kMaxRequestBytes - 2) / (items->min_serialized_size + 1);
  std::unique_ptr<DeclaredType> list = Simple(cel::Type::List(items->type), 2, most);
  list->element = std::move(items);
  return list;
}

std::unique_ptr<DeclaredType> DeclareMap(const Schema& schema, const std::string& name) {
  const Schema& below = *schema.additional;
  std::unique_ptr<DeclaredType> values = DeclareType(below, below.embedded_resource, name + ".@elem");
  if (values == nullptr) return nullptr;
  // A key takes two characters, quotes, a colon and a comma at least.
  const int64_t most = schema.max_properties ? NotNegative(*schema.max_properties)
                                             : (kMaxRequestBytes - 2) / (values->min_serialized_size + 6);
  std::unique_ptr<DeclaredType> map = Simple(cel::Type::Map(cel::Type::String(), values->type), 2, most);
  map->element = std::move(values);
  return map;
}

std::unique_ptr<DeclaredType> DeclareObject(const Schema& schema, bool resource_root, const std::string& name) {
  auto object = std::make_unique<DeclaredType>();
  auto types = std::make_shared<FieldTypes>();
  object->min_serialized_size = 2;
  const auto add = [&](const std::string& property, const Schema& below) {
    const std::optional<std::string> escaped = cel::EscapeName(property);
    std::unique_ptr<DeclaredType> field =
        DeclareType(below, below.embedded_resource, name + "." + escaped.value_or(property));
    if (field == nullptr) return;
    // What is required and has no default is always there.
    if (!below.default_ &&
        std::find(schema.required.begin(), schema.required.end(), property) != schema.required.end()) {
      object->min_serialized_size += static_cast<int64_t>(property.size()) + field->min_serialized_size + 4;
    }
    if (!escaped) return;
    types->types[*escaped] = field->type;
    object->fields[*escaped] = std::move(field);
  };
  const Schema* metadata = resource_root ? ImpliedMetadata(schema) : nullptr;
  for (const Schema::Property& property : schema.properties) {
    const bool implied = property.name == "apiVersion" || property.name == "kind" || property.name == "metadata";
    if (metadata == nullptr || !implied) add(property.name, property.schema);
  }
  if (metadata != nullptr) {
    add("apiVersion", ImpliedText());
    add("kind", ImpliedText());
    add("metadata", *metadata);
  }
  object->type = cel::Type::Object(name, std::move(types));
  return object;
}

std::unique_ptr<DeclaredType> DeclareType(const Schema& schema, bool resource_root, const std::string& name) {
  if (schema.int_or_string) return Simple(cel::Type::Dyn(), 1, MaxTextBytes(schema));
  switch (schema.type) {
    case SchemaType::kArray: return DeclareList(schema, name);
    case SchemaType::kObject:
      // A root has properties, so it is no map.
      if (schema.additional != nullptr) return DeclareMap(schema, name);
      return DeclareObject(schema, resource_root, name);
    case SchemaType::kString: return DeclareText(schema);
    case SchemaType::kBoolean: return Simple(cel::Type::Bool(), 4);
    case SchemaType::kNumber: return Simple(cel::Type::Double(), 1);
    case SchemaType::kInteger: return Simple(cel::Type::Int(), 1);
    case SchemaType::kAny: break;
  }
  return nullptr;
}

bool HasProperty(const Schema& schema, std::string_view name, SchemaType type) {
  const Schema* property = schema.FindProperty(name);
  return property != nullptr && property->type == type;
}

}  // namespace

std::unique_ptr<DeclaredType> DeclareSelf(const Schema& schema, bool resource_root) {
  return DeclareType(schema, resource_root, "selfType");
}

std::optional<cel::SizeRange> DeclaredSizes::SizeAt(std::span<const std::string> path) const {
  const DeclaredType* at = &root_;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == "@items" || path[i] == "@values") {
      at = at->element.get();
    } else if (path[i] == "@keys") {
      // Keys of a map are text of which no length is known.
      if (!at->type.Is(cel::TypeKind::kMap) || i + 1 < path.size()) return std::nullopt;
      return cel::SizeRange::Exactly(0);
    } else {
      const auto field = at->fields.find(path[i]);
      at = field == at->fields.end() ? nullptr : field->second.get();
    }
    if (at == nullptr) return std::nullopt;
  }
  return cel::SizeRange{0, static_cast<uint64_t>(at->max_elements)};
}

uint64_t MaxCardinality(int64_t min_serialized_size) {
  return static_cast<uint64_t>(kMaxRequestBytes / (min_serialized_size + 1));
}

const Schema& ImpliedText() {
  static const Schema* const kText = [] {
    auto* text = new Schema();
    text->type = SchemaType::kString;
    return text;
  }();
  return *kText;
}

const Schema* ImpliedMetadata(const Schema& root) {
  const Schema* own = root.FindProperty("metadata");
  if (own != nullptr && own->type == SchemaType::kObject && HasProperty(*own, "name", SchemaType::kString) &&
      HasProperty(*own, "generateName", SchemaType::kString) && HasProperty(root, "kind", SchemaType::kString) &&
      HasProperty(root, "apiVersion", SchemaType::kString)) {
    return nullptr;
  }
  static const Schema* const kMetadata = [] {
    auto* metadata = new Schema();
    metadata->type = SchemaType::kObject;
    for (const char* name : {"generateName", "name"}) {
      Schema::Property& property = metadata->properties.emplace_back();
      property.name = name;
      property.schema.type = SchemaType::kString;
    }
    return metadata;
  }();
  return kMetadata;
}

}  // namespace keelson::apiserver
