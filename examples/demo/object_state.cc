#include "object_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace demo {
namespace {

using keelson::Json;
using keelson::Unstructured;

constexpr std::array<std::string_view, 5> kDeletable = {"Deployment", "Ingress", "Service", "ConfigMap", "Pod"};

struct Condition {
  std::string status;
  std::string reason;
  std::string message;
  int64_t observed_generation = 0;
};

std::string TextOf(const Json& object, std::string_view member) {
  const Json* found = object.find(member);
  return found != nullptr && found->is_string() ? found->string().str() : std::string();
}

std::optional<Condition> ReadyOf(const Unstructured& object) {
  const Json* conditions = object.Nested({"status", "conditions"});
  if (conditions == nullptr || !conditions->is_list()) return std::nullopt;
  for (const Json& one : conditions->list()) {
    if (TextOf(one, "type") != "Ready") continue;
    const Json* generation = one.find("observedGeneration");
    return Condition{.status = TextOf(one, "status"),
                     .reason = TextOf(one, "reason"),
                     .message = TextOf(one, "message"),
                     .observed_generation = generation != nullptr && generation->is_int() ? generation->integer() : 0};
  }
  return std::nullopt;
}

bool AsksForIngress(const Unstructured& object) {
  const keelson::Map<keelson::String> annotations = object.GetAnnotations();
  const keelson::String* asked = annotations.find("ingress/http");
  return asked != nullptr && *asked == "true";
}

bool Has(const std::vector<Unstructured>& children, std::string_view kind) {
  for (const Unstructured& child : children) {
    if (child.GetKind() == kind) return true;
  }
  return false;
}

struct Replicas {
  int64_t available = 0;
  int64_t wanted = 0;

  std::string ToString() const { return fmt::format("{}/{}", available, wanted); }
};

Replicas ReplicasOf(const Unstructured& deployment) {
  Replicas replicas{.wanted = deployment.NestedInt({"spec", "replicas"}).value_or(1)};
  // What an older generation had counts for nothing.
  if (deployment.NestedInt({"status", "observedGeneration"}).value_or(0) >= deployment.GetGeneration()) {
    replicas.available = deployment.NestedInt({"status", "availableReplicas"}).value_or(0);
  }
  return replicas;
}

std::optional<std::string> WhyNotReady(const Unstructured& object) {
  const std::optional<Condition> ready = ReadyOf(object);
  if (!ready) return "it has no condition Ready";
  if (ready->status != "True") return fmt::format("Ready is {}: {}: {}", ready->status, ready->reason, ready->message);
  if (ready->observed_generation != object.GetGeneration()) {
    return fmt::format("Ready is True of generation {}, and it is at {}", ready->observed_generation,
                       object.GetGeneration());
  }
  return std::nullopt;
}

std::string PhaseOf(const ObjectState& state, bool converged) {
  if (!state.object) return "Missing";
  if (state.object->GetDeletionTimestamp()) return "Deleting";
  if (std::optional<std::string> phase = state.object->NestedString({"status", "phase"})) return *phase;
  if (state.applied.kind.kind == "Deployment") return ReplicasOf(*state.object).ToString();
  if (!state.applied.custom) return !converged ? "Waiting" : AsksForIngress(*state.object) ? "Ready" : "Present";
  const std::optional<Condition> ready = ReadyOf(*state.object);
  if (!ready) return "Waiting";
  if (ready->status == "True") return converged ? "Ready" : "Changing";
  return ready->reason.empty() ? "NotReady" : ready->reason;
}

// As people say it.
std::string ShortKind(const Unstructured& child) {
  const std::string kind = child.GetKind();
  if (kind == "PersistentVolume") return "PV";
  return kind == "PersistentVolumeClaim" ? "PVC" : kind;
}

// What is worth to be said of a child beside its name.
std::string DetailOf(const Unstructured& child) {
  if (child.GetKind() == "Deployment") return ReplicasOf(child).ToString();
  return child.NestedString({"status", "phase"}).value_or("");
}

// What all of them have in common beside their kind.
std::string Several(const std::string& kind, const std::vector<const Unstructured*>& children) {
  std::string detail = DetailOf(*children[0]);
  Replicas sum;
  for (const Unstructured* child : children) {
    const Replicas replicas = ReplicasOf(*child);
    sum.available += replicas.available;
    sum.wanted += replicas.wanted;
    if (DetailOf(*child) != detail) detail.clear();
  }
  if (kind == "Deployment") detail = sum.ToString();
  return fmt::format("{} {}{}{}{}", children.size(), kind, kind.ends_with('s') ? "es" : "s", detail.empty() ? "" : " ",
                     detail);
}

}  // namespace

std::optional<std::string> WhyNotConverged(const ObjectState& state) {
  if (!state.object) return "it is not there";
  if (state.object->GetDeletionTimestamp()) return "it is being deleted";
  if (state.applied.custom) return WhyNotReady(*state.object);
  if (state.applied.kind.kind == "Service" && AsksForIngress(*state.object) && !Has(state.children, "Ingress")) {
    return "it asks for an Ingress and has none";
  }
  if (state.applied.kind.kind == "Deployment") {
    const Replicas replicas = ReplicasOf(*state.object);
    if (replicas.available != replicas.wanted) {
      return fmt::format("{} of {} replicas are available", replicas.available, replicas.wanted);
    }
  }
  if (state.applied.kind.kind == "Pod" && DetailOf(*state.object) != "Running") return "it is not running";
  return std::nullopt;
}

std::string ChildrenText(const std::vector<Unstructured>& children) {
  std::map<std::string, std::vector<const Unstructured*>> by_kind;
  for (const Unstructured& child : children) by_kind[ShortKind(child)].push_back(&child);
  std::vector<std::string> parts;
  for (const auto& [kind, of_kind] : by_kind) {
    if (of_kind.size() > 1) {
      parts.push_back(Several(kind, of_kind));
      continue;
    }
    const std::string detail = DetailOf(*of_kind[0]);
    parts.push_back(fmt::format("{} {}{}{}", kind, of_kind[0]->GetName(), detail.empty() ? "" : " ", detail));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Row RowOf(const ObjectState& state) {
  const bool converged = !WhyNotConverged(state);
  Row row{.object = state.applied.ToString(),
          .phase = PhaseOf(state, converged),
          .tone = converged ? Tone::kGood : Tone::kWaiting,
          .children = ChildrenText(state.children)};
  if (state.event) {
    row.event = fmt::format("{}: {}", state.event->reason.view(), state.event->message.view());
    row.warning = state.event->type == "Warning";
  }
  if (!converged && row.warning) row.tone = Tone::kBad;
  return row;
}

const Unstructured* ChildToDelete(const ObjectState& state) {
  for (const std::string_view kind : kDeletable) {
    for (const Unstructured& child : state.children) {
      if (child.GetKind() == kind) return &child;
    }
  }
  return nullptr;
}

}  // namespace demo
