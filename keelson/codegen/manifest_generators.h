// RBAC roles and webhook configurations from the markers in any source file of the project, the same that
// controller-gen makes.
//
//   // +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch
//   // +kubebuilder:webhook:path=/mutate,mutating=true,failurePolicy=fail,groups=apps,resources=deployments,…
#pragma once

#include <string>
#include <vector>

#include "keelson/codegen/comments.h"
#include "keelson/codegen/generated_file.h"
#include "keelson/codegen/source_position.h"

namespace keelson::codegen {

// `role.yaml`: a ClusterRole of that name and a Role for each namespace. No file when there is no marker.
std::vector<GeneratedFile> GenerateRbac(const std::vector<Marker>& markers, const std::string& role_name,
                                        Diagnostics& problems);

// `manifests.yaml`: MutatingWebhookConfiguration and ValidatingWebhookConfiguration.
std::vector<GeneratedFile> GenerateWebhooks(const std::vector<Marker>& markers, Diagnostics& problems);

}  // namespace keelson::codegen
