// What a Service needs before its addresses and ports are allocated.
#pragma once

#include "keelson/api/core/v1.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// Whether the type takes a cluster IP (which may be "None"), and node ports.
bool NeedsClusterIp(const corev1::Service& service);
bool NeedsNodePort(const corev1::Service& service);
bool NeedsHealthCheckNodePort(const corev1::Service& service);
bool IsHeadless(const corev1::Service& service);

// Fills ipFamilyPolicy and ipFamilies of a cluster that has IPv4 only; `old` is null on create. The rules of Service do
// this in prepare_create and prepare_update; what is left to an allocator is clusterIP, clusterIPs, nodePort and
// healthCheckNodePort where they are empty.
Result<void> FillIpFamilies(corev1::Service& service, const corev1::Service* old);

}  // namespace keelson::apiserver
