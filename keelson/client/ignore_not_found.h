// When "it is not there" is an answer and not a failure.
//
//   KEELSON_TRY(pod, IgnoreNotFound(client.Get<corev1::Pod>(key)));    // std::optional<corev1::Pod>
//   if (!pod) return Outcome::Done();
//   KEELSON_RETURN_IF_ERROR(IgnoreNotFound(client.Delete<corev1::Pod>(key)));
#pragma once

#include <optional>
#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/core/result.h"

namespace keelson {

template <class T>
Result<std::optional<T>> IgnoreNotFound(Result<T> result) {
  if (result) return std::optional<T>(*std::move(result));
  if (IsNotFound(result.error())) return std::optional<T>();
  return std::move(result).error();
}

inline Result<void> IgnoreNotFound(Result<void> result) {
  if (!result && IsNotFound(result.error())) return {};
  return result;
}

inline Result<void> IgnoreAlreadyExists(Result<void> result) {
  if (!result && IsAlreadyExists(result.error())) return {};
  return result;
}

}  // namespace keelson
