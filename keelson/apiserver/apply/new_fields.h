// The fields of an object that is being created, as the text of a set: what each create asks, so it is written straight
// from the object and its tables.
#pragma once

#include <string>

#include "keelson/api/access.h"
#include "keelson/apiserver/apply/field_set.h"
#include "keelson/apiserver/apply/shape.h"

namespace keelson::apiserver {

// What CompareObjects finds added and modified between a default object and this one. "{}" when there is nothing.
// `ignored` has fields of the outermost level only.
std::string FieldsOfNewObject(const Shape& shape, const AnyValue& object, const FieldSet& ignored);

}  // namespace keelson::apiserver
