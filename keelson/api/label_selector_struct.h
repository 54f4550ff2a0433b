// From the label selector that API objects carry to the one that matches.
//
//   KEELSON_TRY(selector, labels::FromStruct(deployment.spec.selector));
//   if (selector.Matches(pod.metadata.labels)) …
#pragma once

#include <string>

#include "keelson/api/label_selector.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/optional.h"

namespace keelson::labels {

// Empty matches everything. Fails, in Kubernetes' words, on invalid labels and on operators other than In, NotIn,
// Exists and DoesNotExist.
Result<Selector> FromStruct(const metav1::LabelSelector& selector);
// Absent matches nothing.
Result<Selector> FromStruct(const Optional<metav1::LabelSelector>& selector);

// For people: the selector's text, "<none>" when there is none, "<error>" when it is invalid.
std::string Format(const metav1::LabelSelector& selector);

}  // namespace keelson::labels
