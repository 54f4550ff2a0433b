// Which fields of an object a write changed, found over the type's tables: what every create, update and patch asks.
//
//   const Comparison changes = CompareObjects(shape, type, before, after, ignored);
//
// Gives what CompareDocuments gives for the objects' JSON, without making it.
#pragma once

#include "keelson/api/access.h"
#include "keelson/apiserver/apply/shape.h"
#include "keelson/apiserver/apply/values.h"

namespace keelson::apiserver {

// `shape` is that of the type. Fields that no manager ever owns are left out: apiVersion, kind, and of the object's
// metadata its name, namespace, uid, versions and times of creation. So is what is at or below a member of `ignored`.
Comparison CompareObjects(const Shape& shape, const AnyValue& before, const AnyValue& after, const FieldSet& ignored);

}  // namespace keelson::apiserver
