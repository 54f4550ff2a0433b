// Checks of resource names ("cpu", "hugepages-2Mi", "example.com/gpu") and of what containers and pods ask of them.
#pragma once

#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

// "hugepages-2Mi"
bool IsHugePageResource(std::string_view name);
// Without a domain, or of kubernetes.io.
bool IsNativeResource(std::string_view name);
// Of another domain: devices.
bool IsExtendedResource(std::string_view name);
// Requests may be lower than limits.
bool IsOvercommitAllowed(std::string_view name);
// Counted in whole numbers.
bool IsIntegerResource(std::string_view name);
// Known without a domain, anywhere.
bool IsStandardResource(std::string_view name);
// What pods as a whole may ask for.
bool IsPodLevelResource(std::string_view name);

// A qualified name that is standard or has a domain.
void CheckResourceName(std::string_view name, const Path& path, FieldErrors& errors);
// The same of those that containers can ask for.
void CheckContainerResourceName(std::string_view name, const Path& path, FieldErrors& errors);
// Not negative; whole where the resource is counted.
void CheckResourceQuantity(std::string_view name, const Quantity& quantity, const Path& path, FieldErrors& errors);

enum class ResourceOwner { kContainer, kPod };
// Limits, requests and claims; `claims` are the names in the pod's resourceClaims.
void CheckResourceRequirements(const corev1::ResourceRequirements& requirements, ResourceOwner owner,
                               const NameSet& claims, const List<corev1::PodResourceClaim>& pod_claims,
                               const Path& path, FieldErrors& errors);
void CheckOverhead(const corev1::ResourceList& overhead, const Path& path, FieldErrors& errors);

// What all containers together need: regular ones and sidecars added, init containers at their highest.
corev1::ResourceList SumOfRequests(const corev1::PodSpec& spec);
corev1::ResourceList SumOfLimits(const corev1::PodSpec& spec);

}  // namespace keelson::apiserver
