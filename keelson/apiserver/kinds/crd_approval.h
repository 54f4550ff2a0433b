// Groups of the Kubernetes community (*.k8s.io, *.kubernetes.io) are for APIs that it has approved: an annotation of
// the definition says where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "keelson/api/apiextensions/v1.h"

namespace keelson::apiserver {

inline constexpr std::string_view kApprovalAnnotation = "api-approved.kubernetes.io";

struct Approval {
  enum class Kind : uint8_t { kInvalid, kApproved, kBypassed, kMissing };
  Kind kind;
  std::string text;  // in the words of upstream
};

bool NeedsApproval(const apiextensionsv1::CustomResourceDefinition& definition);
Approval ApprovalOf(const apiextensionsv1::CustomResourceDefinition& definition);

}  // namespace keelson::apiserver
