// Which objects of a cache a list's selectors choose.
//
//   KEELSON_TRY(filter, ListFilter::Make(informer, options, "default"));
//   for (const ObjectPtr& object : filter.candidates()) {
//     KEELSON_TRY(chosen, filter.Matches(object.get()));
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "keelson/cache/shared_informer.h"
#include "keelson/client/options.h"
#include "keelson/codec/field_path.h"

namespace keelson::internal {

class ListFilter {
 public:
  // Of that namespace; empty: all. The options outlive it. An error when a field is neither one of the type nor the
  // name of an index.
  static Result<ListFilter> Make(const SharedInformer& informer, const ListOptions& options,
                                 std::string_view namespace_);

  // The fewest that an index allows.
  const Snapshot& candidates() const { return candidates_; }
  Result<bool> Matches(const void* object) const;

 private:
  // A field that is read in each object, or whose objects an index has named.
  struct Condition {
    const fields::Requirement* requirement;
    FieldPath path;
    bool by_index = false;
    std::unordered_set<std::string> indexed = {};  // "namespace/name"
  };

  ListFilter(const ObjectModel& model, const labels::Selector& labels, std::string_view namespace_)
      : model_(model), labels_(labels), namespace_(namespace_) {}

  const ObjectModel& model_;
  const labels::Selector& labels_;
  std::string_view namespace_;  // empty: not to be looked at
  Snapshot candidates_;
  std::vector<Condition> conditions_;
};

}  // namespace keelson::internal
