#include "keelson/apiserver/apply/shape.h"

#include <algorithm>
#include <map>

#include "keelson/api/meta/v1.h"
#include "keelson/core/leaf_mutex.h"

namespace keelson::apiserver {

namespace {

// Structs that are one field wherever they are; where they are fields of structs, the tables say so too.
constexpr std::string_view kAtomicElements[] = {
    "admissionregistration/v1.Variable",
    "core/v1.LocalObjectReference",
    "core/v1.ObjectReference",
    "meta/v1.OwnerReference",
};

const Shape* ScalarOf(ScalarShape scalar) {
  static const auto make = [](ScalarShape of) {
    Shape shape;
    shape.scalar = of;
    return shape;
  };
  static const Shape any = make(ScalarShape::kAny);
  static const Shape number = make(ScalarShape::kNumber);
  static const Shape string = make(ScalarShape::kString);
  static const Shape boolean = make(ScalarShape::kBoolean);
  switch (scalar) {
    case ScalarShape::kNumber: return &number;
    case ScalarShape::kString: return &string;
    case ScalarShape::kBoolean: return &boolean;
    default: return &any;
  }
}

// A document that is one field.
const Shape* AtomicDocument() {
  static const Shape* const shape = [] {
    auto* made = new Shape;  // refers to itself and lives as long as the program
    made->scalar = ScalarShape::kAny;
    made->is_list = made->is_map = made->atomic_map = true;
    made->item = made->other = made;
    return made;
  }();
  return shape;
}

std::vector<std::string> SplitKeys(std::string_view text) {
  std::vector<std::string> keys;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    keys.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return keys;
}

void SortMembers(Shape& shape) {
  std::sort(shape.members.begin(), shape.members.end(), [](const Shape::Member& a, const Shape::Member& b) {
    return a.element.name().view() < b.element.name().view();
  });
}

// What a key counts as that an element does not have.
std::optional<Json> DefaultOf(const Type& type, const Field& field) {
  if (field.name == "protocol") return Json("TCP");
  const bool named = type.name == "core/v1.LocalObjectReference" && field.name == "name";
  if (field.omit_empty && !named) return std::nullopt;
  switch (field.type->kind) {
    case Kind::kString: return Json("");
    case Kind::kInt32:
    case Kind::kInt64: return Json(0);
    default: return std::nullopt;
  }
}

class TypeShapes {
 public:
  const Shape* Of(const Type& type) {
    LeafLock lock(mutex_);
    return Make(type, nullptr);
  }

 private:
  using Key = std::tuple<const Type*, bool, ListType, std::string_view>;

  // `field` is where the value stands; null for a root and for what is in a list or map.
  const Shape* Make(const Type& type, const Field* field) {
    const Type& inner = type.kind == Kind::kOptional ? *type.element : type;
    switch (inner.kind) {
      case Kind::kBool: return ScalarOf(ScalarShape::kBoolean);
      case Kind::kInt32:
      case Kind::kInt64:
      case Kind::kDouble: return ScalarOf(ScalarShape::kNumber);
      case Kind::kString:
      case Kind::kBytes: return ScalarOf(ScalarShape::kString);
      case Kind::kDuration: return ScalarOf(ScalarShape::kString);
      case Kind::kTime:
      case Kind::kMicroTime:
      case Kind::kQuantity:
      case Kind::kIntOrString: return ScalarOf(ScalarShape::kAny);
      case Kind::kRawExtension: return AtomicDocument();
      case Kind::kFieldsV1:
      case Kind::kJson:
      case Kind::kUnion: return &DeducedShape();
      case Kind::kOptional: return &DeducedShape();
      case Kind::kStruct:
      case Kind::kList:
      case Kind::kMap: break;
    }
    bool atomic = field != nullptr && field->atomic;
    if (field == nullptr &&
        std::find(std::begin(kAtomicElements), std::end(kAtomicElements), inner.name) != std::end(kAtomicElements)) {
      atomic = true;
    }
    const ListType list_type = inner.kind == Kind::kList && field != nullptr ? field->list_type : ListType::kAtomic;
    const std::string_view keys = list_type == ListType::kMap ? field->list_keys : std::string_view();
    std::unique_ptr<Shape>& shape = shapes_[Key(&inner, atomic, list_type, keys)];
    if (shape != nullptr) return shape.get();
    shape = std::make_unique<Shape>();
    Shape& made = *shape;  // types may contain themselves: known before what is in it
    if (inner.kind == Kind::kList) {
      made.is_list = true;
      made.list_type = list_type;
      made.keys = SplitKeys(keys);
      made.item = Make(*inner.element, nullptr);
    } else if (inner.kind == Kind::kMap) {
      made.is_map = true;
      made.atomic_map = atomic;
      made.other = Make(*inner.element, nullptr);
    } else {
      made.is_map = true;
      made.atomic_map = atomic;
      FillStruct(inner, made);
    }
    return &made;
  }

  void FillStruct(const Type& type, Shape& shape) {
    std::vector<Shape::Member> members;
    for (const Field& field : type.fields) {
      if (field.name.empty()) continue;  // what C++ keeps beside the fields of the API
      members.push_back({PathElement::Field(field.name), Make(*field.type, &field), DefaultOf(type, field)});
    }
    if (type.is_root()) {
      for (const std::string_view name : {"apiVersion", "kind"}) {
        members.push_back({PathElement::Field(name), ScalarOf(ScalarShape::kString), {}});
      }
    }
    shape.members = std::move(members);
    SortMembers(shape);
    for (size_t member = 0; member < shape.members.size(); ++member) {
      const Field* field = type.FindField(shape.members[member].element.name());
      if (field == nullptr) continue;
      shape.struct_fields.push_back({static_cast<uint16_t>(field - type.fields.data()), static_cast<uint16_t>(member)});
    }
  }

  LeafMutex mutex_;
  std::map<Key, std::unique_ptr<Shape>> shapes_;  // guarded by mutex_
};

ScalarShape ScalarOfSchema(const Schema& schema) {
  switch (schema.type) {
    case SchemaType::kInteger:
    case SchemaType::kNumber: return ScalarShape::kNumber;
    case SchemaType::kBoolean: return ScalarShape::kBoolean;
    case SchemaType::kString:
      return schema.format.empty() || schema.format == "byte" ? ScalarShape::kString : ScalarShape::kAny;
    default: return ScalarShape::kAny;
  }
}

}  // namespace

const Shape::Member* Shape::FindMember(std::string_view name) const {
  const auto at = std::lower_bound(members.begin(), members.end(), name, [](const Member& member, std::string_view n) {
    return member.element.name().view() < n;
  });
  return at != members.end() && at->element.name().view() == name ? &*at : nullptr;
}

const Shape* Shape::ShapeOfMember(std::string_view name) const {
  const Member* member = FindMember(name);
  return member == nullptr ? other : member->shape;
}

const Shape& DeducedShape() {
  static const Shape* const shape = [] {
    auto* made = new Shape;  // refers to itself and lives as long as the program
    made->scalar = ScalarShape::kAny;
    made->is_list = made->is_map = true;
    made->item = AtomicDocument();
    made->other = made;
    return made;
  }();
  return *shape;
}

const Shape& ShapeOf(const Type& type) {
  static TypeShapes shapes;
  return *shapes.Of(type);
}

ShapeBook::ShapeBook(const Schema* schema) {
  auto root = std::make_unique<Shape>();
  if (schema != nullptr) {
    const Shape* content = Make(*schema, false);
    *root = *content;
  } else {
    *root = DeducedShape();
  }
  root->is_map = true;
  root->atomic_map = false;
  std::erase_if(root->members, [](const Shape::Member& member) {
    const std::string_view name = member.element.name();
    return name == "apiVersion" || name == "kind" || name == "metadata";
  });
  for (const std::string_view name : {"apiVersion", "kind"}) {
    root->members.push_back({PathElement::Field(name), ScalarOf(ScalarShape::kString), {}});
  }
  root->members.push_back({PathElement::Field("metadata"), &ShapeOf(TypeOf<metav1::ObjectMeta>()), {}});
  SortMembers(*root);
  root_ = shapes_.emplace_back(std::move(root)).get();
}

// `preserve`: unknown members are kept here because it was said further up.
const Shape* ShapeBook::Make(const Schema& schema, bool preserve) {
  preserve |= schema.preserve_unknown;
  Shape* shape = shapes_.emplace_back(std::make_unique<Shape>()).get();
  const bool any = schema.type == SchemaType::kAny;
  if (any || schema.type == SchemaType::kArray) {
    shape->is_list = true;
    shape->list_type = schema.list_type;
    shape->keys = schema.list_keys;
    shape->item = schema.items != nullptr ? Make(*schema.items, preserve) : AtomicDocument();
  }
  if (any || schema.type == SchemaType::kObject) {
    shape->is_map = true;
    shape->atomic_map = schema.atomic_map;
    for (const Schema::Property& property : schema.properties) {
      shape->members.push_back({PathElement::Field(std::string_view(property.name)), Make(property.schema, preserve),
                                property.schema.default_});
    }
    if (schema.embedded_resource) {
      for (const std::string_view name : {"apiVersion", "kind"}) {
        if (schema.FindProperty(name) == nullptr)
          shape->members.push_back({PathElement::Field(name), ScalarOf(ScalarShape::kString), {}});
      }
      if (schema.FindProperty("metadata") == nullptr) {
        shape->members.push_back({PathElement::Field("metadata"), &ShapeOf(TypeOf<metav1::ObjectMeta>()), {}});
      }
    }
    SortMembers(*shape);
    if (schema.additional != nullptr) {
      shape->other = Make(*schema.additional, preserve);
    } else if (schema.additional_allowed || preserve || schema.properties.empty()) {
      shape->other = &DeducedShape();
    }
  }
  if (any || (!shape->is_list && !shape->is_map)) shape->scalar = ScalarOfSchema(schema);
  return shape;
}

}  // namespace keelson::apiserver
