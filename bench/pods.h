// The Pods of a large cluster: 1,000 Deployments of 100 replicas, as a kube-apiserver would list them.
#pragma once

#include <cstddef>

#include "keelson/api/core/v1.h"

namespace keelson::bench {

inline constexpr size_t kReplicas = 100;

// The Pod of that number; the same number gives the same Pod. The Pods of one Deployment follow each other, as in a
// list, which a server orders by namespace and name.
corev1::Pod MakePod(size_t number);

}  // namespace keelson::bench
