#include "keelson/cache/view.h"

#include "keelson/codec/convert.h"
#include "keelson/codec/unstructured.h"

namespace keelson::internal {

Result<void> ConvertObject(const Type& from_type, const void* from, const Type& to_type, void* to) {
  const bool dynamic = &from_type == &TypeOf<Unstructured>();
  const Unstructured document =
      dynamic ? *static_cast<const Unstructured*>(from) : Unstructured(ToJsonValue(from_type, from));
  if (&to_type == &TypeOf<Unstructured>()) {
    *static_cast<Unstructured*>(to) = document;
    return {};
  }
  return DecodeUnstructured(to_type, to, document);
}

}  // namespace keelson::internal
