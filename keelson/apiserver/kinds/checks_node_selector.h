// Checks of selectors of nodes, and the node labels that are going away.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"

namespace keelson::apiserver {

// `any_value`: values that are no label values are let through.
void CheckNodeSelector(const corev1::NodeSelector& selector, bool any_value, const Path& path, FieldErrors& errors);
bool HasOnlyLabelValues(const corev1::NodeSelector& selector);

// Why a node label should not be used any more; empty when it may be.
std::string_view WhyNodeLabelIsDeprecated(std::string_view label);
void WarnOfNodeLabel(std::string_view label, const Path& path, std::vector<std::string>& warnings);

}  // namespace keelson::apiserver
