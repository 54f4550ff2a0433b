// Which EndpointSlices a Service is to have, given those that it has: as few writes as will do.
//
// Endpoints stay in the slice that they are in. New ones go to slices that are written anyway, the fullest first; what
// is left then goes into the one unchanged slice that it fills best, or into new slices. Slices are never merged.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/discovery/v1.h"

namespace keelson::controllers {

inline constexpr std::string_view kServiceName = "kubernetes.io/service-name";
inline constexpr std::string_view kSliceManagedBy = "endpointslice.kubernetes.io/managed-by";
inline constexpr std::string_view kSliceManager = "endpointslice-controller.k8s.io";

// A pod, and the zone of its node, where that is known.
struct PodInZone {
  corev1::Pod pod = {};
  std::string zone = {};
};

struct SlicePlan {
  std::vector<discoveryv1::EndpointSlice> create = {};
  std::vector<discoveryv1::EndpointSlice> update = {};
  std::vector<discoveryv1::EndpointSlice> remove = {};

  bool empty() const { return create.empty() && update.empty() && remove.empty(); }
};

// `existing` are those that are managed by this controller in the name of the Service. Those of an earlier Service of
// that name are removed.
SlicePlan PlanSlices(const corev1::Service& service, const std::vector<PodInZone>& pods,
                     const std::vector<discoveryv1::EndpointSlice>& existing, size_t max_endpoints);

// Parts of it.
discoveryv1::Endpoint EndpointOf(const corev1::Service& service, const PodInZone& pod, std::string_view family);
// In the order that kube-controller-manager writes them in.
List<discoveryv1::EndpointPort> EndpointPortsOf(const corev1::Service& service, const corev1::Pod& pod);
Map<String> SliceLabels(const corev1::Service& service);

}  // namespace keelson::controllers
