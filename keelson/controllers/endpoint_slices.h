// The EndpointSlice controller: of each Service with a selector, its pods as endpoints, a hundred to a slice.
//
//   KEELSON_RETURN_IF_ERROR(AddEndpointSlicesController(manager));
//
// It does what kube-controller-manager's does, with its labels, annotations, owner references and events. Hints follow
// spec.trafficDistribution; the annotation service.kubernetes.io/topology-mode does nothing. A pod on a node that is
// not there is left out until the node comes, unless the Service publishes addresses that are not ready. Slices that
// others make for a Service, without the label of this controller, are left alone.
#pragma once

#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

struct EndpointSlicesOptions {
  int workers = 5;  // Services at a time
  int max_endpoints_per_slice = 100;
};

Result<void> AddEndpointSlicesController(Manager& manager, EndpointSlicesOptions options = {});

}  // namespace keelson::controllers
