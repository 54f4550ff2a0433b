// The checks of a Service, and those of load balancers and endpoint addresses that other kinds share.
#pragma once

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"

namespace keelson::apiserver {

void ValidateService(const corev1::Service& service, FieldErrors& errors);
void ValidateServiceUpdate(const corev1::Service& service, const corev1::Service& old, FieldErrors& errors);
void ValidateServiceStatus(const corev1::Service& service, const corev1::Service& old, FieldErrors& errors);

// clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy; `old` is null on create.
void CheckClusterIpFields(const corev1::Service& service, const corev1::Service* old, FieldErrors& errors);
bool IsExternallyAccessible(const corev1::Service& service);

// An address that traffic can be sent to: not unspecified, loopback or link-local.
void CheckEndpointIp(std::string_view text, const Path& path, FieldErrors& errors);

}  // namespace keelson::apiserver
