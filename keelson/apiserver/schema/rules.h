// The x-kubernetes-validations of a schema: compiled once, evaluated on every object that is written.
//
//   auto rules = SchemaRules::Compile(schema, "example.com/v1", "Widget");
//   rules->Validate({metadata, content}, old ? &before : nullptr, errors, warnings);
//
// A rule that names oldSelf runs where there is an old value to compare with; where a part of an object has not
// changed, what is wrong with it is but a warning. An evaluation that costs too much, or all of them together, ends it
// with an error, as in a kube-apiserver.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

// Immutable: use it from any thread.
class SchemaRules {
 public:
  struct Document {
    const metav1::ObjectMeta& metadata;
    const Json& content;  // every member but apiVersion, kind and metadata; null counts as {}
  };

  // Never fails: a rule that does not compile, which the checks of a definition refuse, is an error of each object.
  static std::shared_ptr<const SchemaRules> Compile(SchemaPtr schema, std::string api_version, std::string kind);
  ~SchemaRules();

  // Whether there are none.
  bool empty() const { return root_ == nullptr; }
  // `old` is null for a new object. Gives what is left of the object's budget; below zero when it was used up.
  int64_t Validate(const Document& document, const Document* old, FieldErrors& errors,
                   std::vector<std::string>& warnings) const;

 private:
  struct Node;
  class Compiler;
  class Walk;

  SchemaRules() = default;

  SchemaPtr schema_;
  std::string api_version_;
  std::string kind_;
  std::unique_ptr<const class SchemaShape> shape_;
  std::unique_ptr<const Node> root_;
};

}  // namespace keelson::apiserver
