#include "keelson/apiserver/cel/type.h"

#include <algorithm>
#include <array>

namespace keelson::apiserver::cel {
namespace {

constexpr size_t kKinds = static_cast<size_t>(TypeKind::kTypeParam) + 1;

std::string_view BasicName(TypeKind kind) {
  switch (kind) {
    case TypeKind::kError: return "error";
    case TypeKind::kDyn: return "dyn";
    case TypeKind::kAny: return "google.protobuf.Any";
    case TypeKind::kNull: return "null_type";
    case TypeKind::kBool: return "bool";
    case TypeKind::kInt: return "int";
    case TypeKind::kUint: return "uint";
    case TypeKind::kDouble: return "double";
    case TypeKind::kString: return "string";
    case TypeKind::kBytes: return "bytes";
    case TypeKind::kTimestamp: return "google.protobuf.Timestamp";
    case TypeKind::kDuration: return "google.protobuf.Duration";
    case TypeKind::kList: return "list";
    case TypeKind::kMap: return "map";
    case TypeKind::kType: return "type";
    case TypeKind::kObject:
    case TypeKind::kOpaque:
    case TypeKind::kTypeParam: break;
  }
  return "";
}

}  // namespace

Type Type::Basic(TypeKind kind) {
  // Never destroyed: types may be used by objects of static lifetime.
  static const std::array<Node, kKinds>& nodes = *[] {
    auto* made = new std::array<Node, kKinds>();
    for (size_t i = 0; i < kKinds; ++i) {
      const TypeKind each = static_cast<TypeKind>(i);
      (*made)[i].kind = each;
      (*made)[i].name = BasicName(each);
    }
    return made;
  }();
  return Type(std::shared_ptr<const Node>(std::shared_ptr<const Node>(), &nodes[static_cast<size_t>(kind)]));
}

Type Type::Make(Node node) {
  uint64_t size = 1;
  for (const Type& parameter : node.parameters) {
    node.has_type_params |= parameter.has_type_params();
    size += parameter.size();
  }
  node.size = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
  return Type(std::make_shared<const Node>(std::move(node)));
}

Type Type::Error() { return Basic(TypeKind::kError); }
Type Type::Dyn() { return Basic(TypeKind::kDyn); }
Type Type::Any() { return Basic(TypeKind::kAny); }
Type Type::Null() { return Basic(TypeKind::kNull); }
Type Type::Bool() { return Basic(TypeKind::kBool); }
Type Type::Int() { return Basic(TypeKind::kInt); }
Type Type::Uint() { return Basic(TypeKind::kUint); }
Type Type::Double() { return Basic(TypeKind::kDouble); }
Type Type::String() { return Basic(TypeKind::kString); }
Type Type::Bytes() { return Basic(TypeKind::kBytes); }
Type Type::Timestamp() { return Basic(TypeKind::kTimestamp); }
Type Type::Duration() { return Basic(TypeKind::kDuration); }
Type Type::TypeOfTypes() { return Basic(TypeKind::kType); }

Type Type::List(Type element) {
  return Make({.kind = TypeKind::kList, .name = "list", .parameters = {std::move(element)}});
}

Type Type::Map(Type key, Type value) {
  return Make({.kind = TypeKind::kMap, .name = "map", .parameters = {std::move(key), std::move(value)}});
}

Type Type::Object(std::string name, std::shared_ptr<const ObjectFields> fields) {
  return Make({.kind = TypeKind::kObject, .name = std::move(name), .fields = std::move(fields)});
}

Type Type::Opaque(std::string name, std::vector<Type> parameters) {
  return Make({.kind = TypeKind::kOpaque, .name = std::move(name), .parameters = std::move(parameters)});
}

Type Type::Optional(Type value) { return Opaque("optional_type", {std::move(value)}); }

Type Type::Parameter(std::string name) {
  return Make({.kind = TypeKind::kTypeParam, .name = std::move(name), .has_type_params = true});
}

Type Type::FreeVariable(int number) {
  return Make({.kind = TypeKind::kTypeParam,
               .name = "_var" + std::to_string(number),
               .has_type_params = true,
               .variable_number = number});
}

Type Type::OfType(Type type) {
  return Make({.kind = TypeKind::kType, .name = "type", .parameters = {std::move(type)}});
}

Type Type::Wrapper(const Type& primitive) {
  return Make({.kind = primitive.kind(), .name = std::string(primitive.runtime_name()), .wrapper = true});
}

std::string Type::Name() const {
  switch (kind()) {
    case TypeKind::kAny: return "any";
    case TypeKind::kError: return "!error!";
    case TypeKind::kNull: return "null";
    case TypeKind::kTimestamp: return "timestamp";
    case TypeKind::kDuration: return "duration";
    default: break;
  }
  if (is_wrapper()) return "wrapper(" + node_->name + ")";
  std::string name = node_->name;
  if (node_->parameters.empty()) return name;
  name += '(';
  for (size_t i = 0; i < node_->parameters.size(); ++i) {
    if (i > 0) name += ", ";
    name += node_->parameters[i].Name();
  }
  name += ')';
  return name;
}

bool Type::Same(const Type& a, const Type& b) {
  if (a.kind() != b.kind() || a.node_->parameters.size() != b.node_->parameters.size()) return false;
  if (a.node_->name != b.node_->name) return false;
  return a.node_->parameters == b.node_->parameters;
}

}  // namespace keelson::apiserver::cel
