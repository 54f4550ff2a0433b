// Checks of resource names ("cpu", "example.com/gpu") and of the amounts asked of them.
#pragma once

#include <string_view>

#include "keelson/api/quantity.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

bool IsHugePagesResource(std::string_view name);
// Of Kubernetes itself: without a domain, or one of kubernetes.io.
bool IsNativeResource(std::string_view name);
bool IsExtendedResource(std::string_view name);
bool IsStandardResource(std::string_view name);
bool IsStandardContainerResource(std::string_view name);
bool IsStandardQuotaResource(std::string_view name);
// Counted in whole numbers.
bool IsIntegerResource(std::string_view name);

// A qualified name, and a known one when it has no domain.
void CheckResourceName(std::string_view name, const Path& path, FieldErrors& errors);
void CheckContainerResourceName(std::string_view name, const Path& path, FieldErrors& errors);
void CheckQuotaResourceName(std::string_view name, const Path& path, FieldErrors& errors);
// Not negative, and whole where the resource is.
void CheckResourceQuantity(std::string_view name, const Quantity& amount, const Path& path, FieldErrors& errors);

}  // namespace keelson::apiserver
