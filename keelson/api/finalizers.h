// Finalizers: names in metadata that hold an object's deletion back until whoever wrote them has cleaned up.
//
//   if (IsBeingDeleted(app)) {
//     KEELSON_RETURN_IF_ERROR(Cleanup(app));
//     if (RemoveFinalizer(app, kFinalizer)) return client_.Update(ctx, app);
//   } else if (AddFinalizer(app, kFinalizer)) {
//     return client_.Update(ctx, app);
//   }
#pragma once

#include <string_view>

#include "keelson/api/object.h"

namespace keelson {

bool HasFinalizer(const metav1::ObjectMeta& metadata, std::string_view finalizer);
// Whether it was not there before; a new one goes to the end.
bool AddFinalizer(metav1::ObjectMeta& metadata, std::string_view finalizer);
// Whether it was there; every occurrence goes.
bool RemoveFinalizer(metav1::ObjectMeta& metadata, std::string_view finalizer);

// Deletion has begun: the object stays only for as long as it has finalizers.
inline bool IsBeingDeleted(const metav1::ObjectMeta& metadata) { return metadata.deletionTimestamp.has_value(); }

template <ApiObject T>
bool HasFinalizer(const T& object, std::string_view finalizer) {
  return HasFinalizer(object.metadata, finalizer);
}
template <ApiObject T>
bool AddFinalizer(T& object, std::string_view finalizer) {
  return AddFinalizer(object.metadata, finalizer);
}
template <ApiObject T>
bool RemoveFinalizer(T& object, std::string_view finalizer) {
  return RemoveFinalizer(object.metadata, finalizer);
}
template <ApiObject T>
bool IsBeingDeleted(const T& object) {
  return IsBeingDeleted(object.metadata);
}

}  // namespace keelson
