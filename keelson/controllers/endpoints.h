// The Endpoints controller: of each Service with a selector, the addresses of its pods in an Endpoints object of its
// name.
//
//   KEELSON_RETURN_IF_ERROR(AddEndpointsController(manager));
//
// It does what kube-controller-manager's does, with its labels, annotations and events, and more in one respect: an
// object of a Service with a selector that somebody else changes is set right at once. What people make without a
// Service stays, also when the controller starts. EndpointSlices have a controller of their own (endpoint_slices.h).
#pragma once

#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

struct EndpointsOptions {
  int workers = 5;  // Services at a time
};

Result<void> AddEndpointsController(Manager& manager, EndpointsOptions options = {});

}  // namespace keelson::controllers
