// JSON Patch (RFC 6902): a list of operations on a document.
//
//   Result<JsonPatch> patch = JsonPatch::Parse(*ParseJson(R"([{"op":"replace","path":"/spec/replicas","value":3}])"));
//   Result<Json> patched = patch->Apply(document);
//
//   JsonPatch change;
//   change.Test(JsonPointer{"metadata", "uid"}, uid).Remove(JsonPointer{"metadata", "finalizers"});
//
// All or nothing: a failed operation leaves the document as it was. What Kubernetes' API server accepts beyond the RFC
// is accepted here too: `replace` sets a member that is absent, `test` for null passes on an absent member, `copy` of
// an absent member is a copy of null, an operation without "value" has the value null, a negative index counts from the
// end.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/codec/json_pointer.h"
#include "keelson/core/result.h"

namespace keelson {

struct JsonPatchOperation {
  enum class Kind : uint8_t { kAdd, kRemove, kReplace, kMove, kCopy, kTest };

  Kind kind;
  JsonPointer path;
  JsonPointer from = {};  // kMove, kCopy
  Json value = {};        // kAdd, kReplace, kTest
};

std::string_view ToString(JsonPatchOperation::Kind kind);  // "add"

class JsonPatch {
 public:
  static constexpr size_t kMaxOperations = 10'000;
  // What all `copy` operations of one patch may copy, measured as JSON text.
  static constexpr size_t kMaxCopiedBytes = size_t{3} << 20;
  // Of the patched document.
  static constexpr size_t kMaxDepth = 500;

  // An error (InvalidArgument) names the operation by its position.
  static Result<JsonPatch> Parse(const Json& patch);
  Json AsJson() const;

  JsonPatch& Add(JsonPointer path, Json value);
  JsonPatch& Remove(JsonPointer path);
  JsonPatch& Replace(JsonPointer path, Json value);
  JsonPatch& Move(JsonPointer from, JsonPointer path);
  JsonPatch& Copy(JsonPointer from, JsonPointer path);
  JsonPatch& Test(JsonPointer path, Json value);

  bool empty() const { return operations_.empty(); }
  const std::vector<JsonPatchOperation>& operations() const& { return operations_; }
  const std::vector<JsonPatchOperation>& operations() && = delete;

  // An operation that does not apply is an error of code Invalid.
  Result<Json> Apply(const Json& document) const;

 private:
  std::vector<JsonPatchOperation> operations_;
};

// A patch that makes `to` out of `from`: add, remove and replace by path, element by element in arrays.
JsonPatch DiffToJsonPatch(const Json& from, const Json& to);

}  // namespace keelson
