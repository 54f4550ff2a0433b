// Who manages which fields of an object: kept with every write, and asked by server-side apply.
//
//   manager.Track(&live, object);                                   // create, update, patch
//   KEELSON_TRY(applied, manager.Apply(live, document, force));     // server-side apply
//
// One FieldManager serves one write. What it does and says is what a Kubernetes server does and says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/gvk.h"
#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/apply/managers.h"
#include "keelson/apiserver/apply/shape.h"
#include "keelson/apiserver/apply/values.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// Which changes a resource or subresource lets through; fields that it resets belong to nobody who writes there.
struct FieldFilter {
  FieldSet excluded = {};
  // When there are any: only what is at, above or below one of these paths; "*" stands for any step.
  std::vector<std::vector<std::string_view>> only = {};

  FieldSet operator()(const FieldSet& set) const;
};

// The versions in which a kind is served.
class KindVersions {
 public:
  virtual ~KindVersions() = default;
  // Null when it is not served in that version.
  virtual const Shape* ShapeIn(std::string_view api_version) const = 0;
  // The document in another version that it is served in.
  virtual Json Convert(const Json& document, std::string_view api_version) const = 0;
};

struct FieldWriter {
  std::string manager;  // empty: "unknown"
  GroupVersionKind kind;
  std::string subresource = {};
  metav1::Time now = {};
};

class FieldManager {
 public:
  // All are used as long as this lives.
  FieldManager(const KindVersions& versions, const FieldFilter& filter, FieldWriter writer);

  // Sets the object's managedFields after a write that is no apply. What the request itself says of them is in the
  // object. `live` is null when the object is new. Both are in the version of the write.
  void Track(const AnyValue* live, AnyValue& object) const;

  // The live object with the document applied, its managedFields set. `live` is a default one when there is none yet.
  // Errors are those of the API: 400, 409 with a cause for each field, 500.
  Result<AnyValue> Apply(const AnyValue& live, const Json& document, bool force) const;

 private:
  struct Merged {
    std::optional<Json> document;  // nothing: the object stays as it is
    Managers managers;
  };
  struct Conflict {
    FieldsManager manager;
    FieldPath path;
  };
  using Conflicts = std::vector<Conflict>;

  FieldsManager Self(bool applies) const;
  std::string ApiVersion() const;
  void TrackChanges(Managers& managers, const FieldsManager& self, Comparison changes,
                    const std::function<Comparison(std::string_view api_version)>& changes_in) const;
  // Error: kConflict, with `conflicts` filled.
  Result<Merged> Merge(const Json& live, const Json& document, Managers managers, bool force,
                       Conflicts& conflicts) const;
  Json Prune(const Json& merged, const Managers& managers, const FieldsManager& last) const;
  Comparison Compare(const Json& before, const Json& after, std::string_view api_version) const;
  // What kubectl's own annotation says that it had applied, where the live object still has it.
  std::optional<FieldSet> LastApplied(const Json& live) const;
  std::string Described(const Json& document) const;

  const KindVersions& versions_;
  const FieldFilter& filter_;
  const FieldWriter writer_;
  const Shape& shape_;
};

// The name of a manager that does not tell it: the part of the User-Agent before the first slash.
std::string ManagerFromUserAgent(std::string_view user_agent);

}  // namespace keelson::apiserver
