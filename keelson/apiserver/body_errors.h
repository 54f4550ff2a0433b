// What is wrong with a request's body, in the words of a Kubernetes API server; and the reading that tells oddities
// (fields that are not known, fields that come twice) from errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/type.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

inline constexpr std::string_view kStrictPrefix = "strict decoding error: ";
inline constexpr int kMaxBodyDepth = 500;

// 400: the body has a kind, and is not what that should be.
Error CannotBeHandled(const Type& type, std::string_view json, std::string_view why);
// 400: the body is no document that tells its kind.
Error NoDocument(const Type& type, std::string_view body, std::string_view why);

// With kWarn each oddity becomes a warning; with kStrict they are an error whose message begins with kStrictPrefix.
// What is wrong goes to `failure`.
Result<void> ReadJson(const Type& type, void* value, std::string_view json, FieldValidation validation,
                      std::vector<std::string>& warnings, std::string* failure);

}  // namespace keelson::apiserver
