// The subsets of an Endpoints object: which addresses serve which ports.
#pragma once

#include <cstddef>
#include <vector>

#include "keelson/api/core/v1.h"

namespace keelson::controllers {

// Those of the Service, from the pods that it selects.
List<corev1::EndpointSubset> SubsetsOf(const corev1::Service& service, const std::vector<corev1::Pod>& pods);

// In the one form that says the same: addresses that serve the same ports together, all in order. An address that is
// ready here and not there is not ready.
List<corev1::EndpointSubset> Repacked(const List<corev1::EndpointSubset>& subsets);

// An Endpoints object has no more addresses than that.
inline constexpr size_t kMaxAddresses = 1000;
// Leaves out what is too much, of each subset in proportion, and addresses that are not ready first. Says whether
// anything was.
bool Truncate(List<corev1::EndpointSubset>& subsets);

// But for versions of what addresses refer to.
bool SameSubsets(const List<corev1::EndpointSubset>& a, const List<corev1::EndpointSubset>& b);

}  // namespace keelson::controllers
