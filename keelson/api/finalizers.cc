#include "keelson/api/finalizers.h"

#include <algorithm>

namespace keelson {

bool HasFinalizer(const metav1::ObjectMeta& metadata, std::string_view finalizer) {
  return std::find(metadata.finalizers.begin(), metadata.finalizers.end(), finalizer) != metadata.finalizers.end();
}

bool AddFinalizer(metav1::ObjectMeta& metadata, std::string_view finalizer) {
  if (HasFinalizer(metadata, finalizer)) return false;
  metadata.finalizers.push_back(finalizer);
  return true;
}

bool RemoveFinalizer(metav1::ObjectMeta& metadata, std::string_view finalizer) {
  const String wanted(finalizer);  // `finalizer` may point into the list
  return metadata.finalizers.EraseIf([&](const String& present) { return present == wanted; }) != 0;
}

}  // namespace keelson
