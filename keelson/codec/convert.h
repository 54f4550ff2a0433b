// Between typed values and their dynamic form.
//
//   Json tree = ToJsonValue(deployment);
//   Result<appsv1::Deployment> again = FromJsonValue<appsv1::Deployment>(tree);
#pragma once

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/codec/json_reader.h"
#include "keelson/core/result.h"

namespace keelson {

Json ToJsonValue(const Type& type, const void* value);
template <class T>
Json ToJsonValue(const T& value) {
  return ToJsonValue(TypeOf<T>(), &value);
}

// Fills `value`, which is a default one of that type and stays so on an error.
Result<void> DecodeJsonValue(const Type& type, void* value, const Json& tree, const JsonReadOptions& options = {});
template <class T>
Result<T> FromJsonValue(const Json& tree, const JsonReadOptions& options = {}) {
  T value{};
  KEELSON_RETURN_IF_ERROR(DecodeJsonValue(TypeOf<T>(), &value, tree, options));
  return value;
}

}  // namespace keelson
