// Checks that the kinds of storage share.
#pragma once

#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"

namespace keelson::apiserver {

// "driver.example.com", at most 63 bytes, in any case.
void CheckCsiDriverName(std::string_view name, const Path& path, FieldErrors& errors);

struct VolumeSpecOptions {
  bool is_inline = false;        // in a VolumeAttachment
  bool any_label_value = false;  // in its node affinity
};
// The spec of a PersistentVolume of that name.
void CheckVolumeSpec(const corev1::PersistentVolumeSpec& spec, std::string_view name, const Path& path,
                     VolumeSpecOptions options, FieldErrors& errors);

// A finalizer that keeps an object while it is used, as the admission plugin StorageObjectInUseProtection adds it.
void AddFinalizer(metav1::ObjectMeta& metadata, std::string_view finalizer);

}  // namespace keelson::apiserver
