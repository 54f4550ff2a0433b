// What a PersistentVolumeClaim may ask for, also where its spec stands in a volume of a pod or in a StatefulSet.
#pragma once

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

void CheckClaimSpec(const corev1::PersistentVolumeClaimSpec& spec, const Path& path, FieldErrors& errors);

}  // namespace keelson::apiserver
