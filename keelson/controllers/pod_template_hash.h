// The value of the label pod-template-hash, and the end of the name of a Deployment's ReplicaSet.
//
//   PodTemplateHash(deployment.spec.template_, deployment.status.collisionCount)      // "6b64798cf9"
//
// It is the one that kube-controller-manager v1.36 has for the same template: FNV-1a over the text that Go's spew
// prints of it. Another, and as good, where the template's own metadata has times, or a quantity is 2^63 or more.
#pragma once

#include <cstdint>
#include <string>

#include "keelson/api/core/v1.h"
#include "keelson/api/optional.h"

namespace keelson::controllers {

std::string PodTemplateHash(const corev1::PodTemplateSpec& pod_template, const Optional<int32_t>& collisions);

namespace internal {
// What is hashed: "(v1.PodTemplateSpec){ObjectMeta:(v1.ObjectMeta){Name:(string) …".
std::string GoTextOf(const corev1::PodTemplateSpec& pod_template);
}  // namespace internal

}  // namespace keelson::controllers
