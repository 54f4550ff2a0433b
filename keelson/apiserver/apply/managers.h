// The managers of an object's fields: metadata.managedFields in a form to compute with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/apply/field_set.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

using ManagedFields = List<metav1::ManagedFieldsEntry>;

// One entry. Who applies is one manager in all versions; who updates is another one in each.
struct FieldsManager {
  std::string name;
  bool applies = false;
  std::string api_version;
  std::string subresource = {};
  std::optional<metav1::Time> time = {};
  FieldSet set = {};

  bool IsSameAs(const FieldsManager& other) const;
  // By which managers are ordered and found: JSON text of what tells them apart.
  std::string Identity() const;
  // As messages name it: "kubectl" using apps/v1.
  std::string ToString() const;
};

class Managers {
 public:
  Managers() = default;
  // In the server's words where an entry cannot be used.
  static Result<Managers> Decode(const ManagedFields& entries);
  // In the order in which the server writes them: appliers first, then by time and name.
  ManagedFields Encode() const;

  // The entry of a manager of these fields, told by the text of their set.
  static metav1::ManagedFieldsEntry Entry(const FieldsManager& manager, std::string_view fields);

  bool empty() const { return all_.empty(); }
  std::vector<FieldsManager>& all() & { return all_; }
  const std::vector<FieldsManager>& all() const& { return all_; }
  // Null when there is none.
  FieldsManager* Find(const FieldsManager& like) &;
  void Remove(const FieldsManager& like);
  void RemoveEmpty();

  // Joins the oldest updaters of each version, so that not more than ten are left.
  void CapUpdaters();

 private:
  std::vector<FieldsManager> all_;
};

// Whether a request asks by this to forget all managers: one entry that says nothing.
bool IsReset(const ManagedFields& entries);

// Equal but for the times.
bool SameButForTimes(const ManagedFields& a, const ManagedFields& b);

}  // namespace keelson::apiserver
