// How much of a node a pod asks for.
//
//   Amounts free = node.allocatable - node.requested;
//   if (!Covers(free, RequestsOf(pod))) …
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "keelson/api/core/v1.h"

namespace keelson::controllers {

struct Amounts {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  int64_t ephemeral_storage = 0;
  std::map<std::string, int64_t, std::less<>> others = {};  // extended resources, huge pages

  void Add(const Amounts& other);
  void Subtract(const Amounts& other);
  int64_t Other(std::string_view resource) const;
};

// "pods" is left out: it is a number of pods and no amount.
Amounts AmountsOf(const corev1::ResourceList& resources);

// Init containers run one after another, so the largest of them counts; those that stay (restartPolicy Always) and
// containers run together, so they add up. What the pod asks for as a whole goes before what its containers say.
Amounts RequestsOf(const corev1::Pod& pod);
// For scores, where a container that asks for nothing counts as 100m of CPU and 200Mi of memory: else all such pods
// would go to one node.
Amounts ScoredRequestsOf(const corev1::Pod& pod);

}  // namespace keelson::controllers
