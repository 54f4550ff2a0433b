// As what the rules of a schema see the data: the CEL type of each place, and how large the data there can be.
//
//   std::unique_ptr<DeclaredType> self = DeclareSelf(schema, /*resource_root=*/true);
//   self->type                       // an object type with the fields of the schema, by their escaped names
//   DeclaredSizes(*self)             // for the estimate of costs
//
// What has no schema of its own (x-kubernetes-preserve-unknown-fields) has no type and cannot be reached. At the root
// of a resource there are always apiVersion, kind and metadata with name and generateName.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "keelson/apiserver/cel/cost_estimate.h"
#include "keelson/apiserver/cel/type.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

struct DeclaredType {
  cel::Type type = {};
  int64_t max_elements = 0;         // items, entries or bytes of text; 0 for what has no length
  int64_t min_serialized_size = 0;  // bytes of JSON
  // Of an object, by escaped names.
  std::map<std::string, std::unique_ptr<DeclaredType>, std::less<>> fields = {};
  std::unique_ptr<DeclaredType> element = nullptr;  // of a list, or the values of a map
};

// The type of `self` where rules stand at this schema; null when it is nothing that rules can see.
std::unique_ptr<DeclaredType> DeclareSelf(const Schema& schema, bool resource_root);

class DeclaredSizes final : public cel::SizeSource {
 public:
  explicit DeclaredSizes(const DeclaredType& root) : root_(root) {}
  std::optional<cel::SizeRange> SizeAt(std::span<const std::string> path) const override;

 private:
  const DeclaredType& root_;
};

// How often data of that size has room in a request.
uint64_t MaxCardinality(int64_t min_serialized_size);

// The schema of metadata at the root of a resource, as far as rules see it: name and generateName. Null where the
// schema has one of its own that specifies at least these, beside kind and apiVersion.
const Schema* ImpliedMetadata(const Schema& root);
// The schema of apiVersion and kind.
const Schema& ImpliedText();

}  // namespace keelson::apiserver
