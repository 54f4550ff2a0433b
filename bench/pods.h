// The Pods of a large cluster: 1,000 Deployments of 100 replicas, as a kube-apiserver would list them.
#pragma once

#include <cstddef>

#include "keelson/api/core/v1.h"

namespace keelson::bench {

// The Pod of that number; the same number gives the same Pod. Numbers of one Deployment lie 1,000 apart, so that any
// stretch of them is a mixture, as a list ordered by namespace and name is not: sharing gets no help from neighbours.
corev1::Pod MakePod(size_t number);

}  // namespace keelson::bench
