// The types of CEL expressions.
//
//   Type::List(Type::String()).Name()                    // "list(string)"
//   Type::Map(Type::String(), Type::Dyn()).Name()        // "map(string, dyn)"
//   Type::Opaque("kubernetes.URL")
//   Type::Object("selfType", fields)                     // fields: your ObjectFields
//
// A Type is a pointer to a shared immutable node: cheap to copy, to be read from any thread. Two types are the same
// when they have the same kind, name and parameters; object types are known by their name alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keelson::apiserver::cel {

enum class TypeKind : uint8_t {
  kError,  // of an expression that has an error, reported already; only while checking
  kDyn,    // known at run time
  kAny,    // google.protobuf.Any; dyn but for its name
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,    // parameters: {element}
  kMap,     // parameters: {key, value}
  kObject,  // fields()
  kOpaque,  // by name, perhaps with parameters; optional_type(T) is one
  kType,    // the type of a type: parameters {type}, or none
  kTypeParam,
};

class ObjectFields;

class Type {
 public:
  Type() : Type(Dyn()) {}

  static Type Error();
  static Type Dyn();
  static Type Any();
  static Type Null();
  static Type Bool();
  static Type Int();
  static Type Uint();
  static Type Double();
  static Type String();
  static Type Bytes();
  static Type Timestamp();
  static Type Duration();
  // The type of types, when it is not known of which.
  static Type TypeOfTypes();

  static Type List(Type element);
  static Type Map(Type key, Type value);
  // Without fields: one of which nothing is known but its name.
  static Type Object(std::string name, std::shared_ptr<const ObjectFields> fields);
  static Type Opaque(std::string name, std::vector<Type> parameters = {});
  static Type Optional(Type value);
  static Type Parameter(std::string name);  // T in list(T), for the declaration of a function
  static Type OfType(Type type);            // type(int)
  static Type FreeVariable(int number);     // a type yet to be found out: "_var3"; only while checking
  // A bool, bytes, double, int, string or uint that can be null: wrapper(int).
  static Type Wrapper(const Type& primitive);

  TypeKind kind() const { return node_->kind; }
  bool Is(TypeKind kind) const { return node_->kind == kind; }
  // Without parameters, as type() and its string conversion give it: "list", "google.protobuf.Timestamp", "null_type".
  std::string_view runtime_name() const { return node_->name; }
  std::span<const Type> parameters() const { return node_->parameters; }
  const Type& parameter(size_t i) const { return node_->parameters[i]; }
  const Type& element() const { return node_->parameters[0]; }  // of a list
  const Type& key() const { return node_->parameters[0]; }      // of a map
  const Type& value() const { return node_->parameters[1]; }    // of a map
  // Of an object type; null for the others.
  const ObjectFields* fields() const { return node_->fields.get(); }
  bool is_wrapper() const { return node_->wrapper; }
  // An optional_type(T).
  bool is_optional() const {
    return Is(TypeKind::kOpaque) && !node_->parameters.empty() && node_->name == "optional_type";
  }
  bool is_dyn() const { return Is(TypeKind::kDyn) || Is(TypeKind::kAny); }
  // Whether a type parameter stands anywhere in it.
  bool has_type_params() const { return node_->has_type_params; }
  // How many types it is made of, itself included. Types of hostile expressions can grow without bounds.
  uint32_t size() const { return node_->size; }
  // Of a FreeVariable; -1 for all else.
  int variable_number() const { return node_->variable_number; }

  // As messages show it: "list(string)", "map(string, dyn)", "timestamp", "null", "wrapper(int)".
  std::string Name() const;

  friend bool operator==(const Type& a, const Type& b) { return a.node_ == b.node_ || Same(a, b); }

 private:
  struct Node {
    TypeKind kind;
    std::string name;
    std::vector<Type> parameters = {};
    std::shared_ptr<const ObjectFields> fields = nullptr;
    bool wrapper = false;
    bool has_type_params = false;
    int variable_number = -1;
    uint32_t size = 1;
  };

  explicit Type(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  static Type Make(Node node);
  static Type Basic(TypeKind kind);
  static bool Same(const Type& a, const Type& b);

  std::shared_ptr<const Node> node_;  // of a basic type: without a counter, so that copies are free
};

// The fields of an object type, by the names that expressions use.
class ObjectFields {
 public:
  virtual ~ObjectFields() = default;
  // Null when there is no such field.
  virtual const Type* Find(std::string_view name) const = 0;
};

}  // namespace keelson::apiserver::cel
