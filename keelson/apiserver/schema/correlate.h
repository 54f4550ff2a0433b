// Which part of the old object a part of the new one was before: members by name, elements of list-maps by their keys.
// Elements of other lists have no past of their own.
#pragma once

#include <vector>

#include "keelson/api/json.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

// The elements of a list-map as it was. The list outlives this.
class OldElements {
 public:
  // `schema` is that of the list; `old` may be of any kind.
  OldElements(const Schema& schema, const Json& old);

  // The first element with the keys of `element`; null when there is none or the list is no list-map.
  const Json* Find(const Json& element) const;

 private:
  const Schema& schema_;
  const JsonList* list_ = nullptr;
  std::vector<const Json*> by_keys_;  // ordered, when the list is not a short one
};

// Whether nothing changed, as far as upstream can tell: a member that the schema does not specify counts as changed.
bool IsUnchanged(const Schema& schema, const Json& value, const Json& old);

}  // namespace keelson::apiserver
