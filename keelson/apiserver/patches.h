// What a PATCH makes of an object.
#pragma once

#include <string_view>

#include "keelson/api/access.h"
#include "keelson/apiserver/content.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// A patch, read once and applied to each version of the object that a write meets.
class ObjectPatch {
 public:
  // Errors: 400, 413 for too many operations.
  static Result<ObjectPatch> Parse(PatchKind kind, std::string_view body);  // of any kind but kApply

  // `object` is of a root type. Errors are those of the API: 422 where the patch does not fit the object.
  Result<AnyValue> Apply(const AnyValue& object, FieldValidation validation, std::vector<std::string>& warnings) const;

 private:
  PatchKind kind_ = PatchKind::kMerge;
  Json document_;
};

// What a server-side apply brings.
struct AppliedDocument {
  Json document = Json::Object();
  std::vector<std::string> oddities = {};  // keys that come twice

  // Error: 400.
  static Result<AppliedDocument> Read(std::string_view body);
  // With kWarn as warnings. Error, with kStrict: 400.
  Result<void> TellOddities(FieldValidation validation, std::vector<std::string>& warnings) const;
};

// Where the document has an empty list of managers, gives the object a list that says the same: one empty entry.
void MarkReset(const Json& document, AnyValue& object);

}  // namespace keelson::apiserver
