// What the demo makes of an object: whether it has converged, why not, and how it is shown. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/gvk.h"
#include "keelson/api/object_key.h"
#include "keelson/codec/unstructured.h"
#include "table.h"

namespace demo {

// An object that was applied.
struct Applied {
  keelson::GroupVersionKind kind;
  keelson::ObjectKey key;
  bool custom = false;  // of a CustomResourceDefinition, so that an operator owes it a condition Ready

  std::string ToString() const { return kind.kind + "/" + key.name; }
};

// What there is of it at one moment.
struct ObjectState {
  Applied applied;
  std::optional<keelson::Unstructured> object = {};
  std::vector<keelson::Unstructured> children = {};  // by owner reference
  std::optional<keelson::corev1::Event> event = {};  // the last one
};

// Nothing when it has converged, else the reason:
// - a custom object's condition Ready is True for its generation;
// - a Service that asks for an Ingress (annotation ingress/http: "true") has one;
// - all replicas of a Deployment are available, a Pod runs.
// Of other objects it is enough that they are there.
std::optional<std::string> WhyNotConverged(const ObjectState& state);

// "Deployment example 2/2, Service example"; several of a kind: "2 Deployments 3/4, 3 Pods Running".
std::string ChildrenText(const std::vector<keelson::Unstructured>& children);

Row RowOf(const ObjectState& state);

// The child whose loss shows the operator at work: a Deployment, else an Ingress, a Service, a ConfigMap, a Pod. Null
// when it has none of these.
const keelson::Unstructured* ChildToDelete(const ObjectState& state);

}  // namespace demo
