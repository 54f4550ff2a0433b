// ConfigMap, Secret, Namespace, Node, Event and the other small kinds of core.
#include <fmt/format.h>

#include "keelson/apiserver/tables/cells.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver::tables {
namespace {

Cells ConfigMapCells(const corev1::ConfigMap& map, const PrintContext& context) {
  return {map.metadata.name, static_cast<int64_t>(map.data.size() + map.binaryData.size()),
          AgeOf(map.metadata, context)};
}

Cells SecretCells(const corev1::Secret& secret, const PrintContext& context) {
  return {secret.metadata.name, secret.type, static_cast<int64_t>(secret.data.size()), AgeOf(secret.metadata, context)};
}

Cells ServiceAccountCells(const corev1::ServiceAccount& account, const PrintContext& context) {
  return {account.metadata.name, AgeOf(account.metadata, context)};
}

Cells NamespaceCells(const corev1::Namespace& space, const PrintContext& context) {
  return {space.metadata.name, space.status.phase, AgeOf(space.metadata, context)};
}

Cells ComponentStatusCells(const corev1::ComponentStatus& status, const PrintContext&) {
  const corev1::ComponentCondition* healthy = FindConditionOf(status.conditions, "Healthy");
  if (healthy == nullptr) return {status.metadata.name, "Unknown", "", ""};
  return {status.metadata.name, healthy->status == "True" ? "Healthy" : "Unhealthy", healthy->message, healthy->error};
}

Cells ResourceQuotaCells(const corev1::ResourceQuota& quota, const PrintContext& context) {
  std::string requests;
  std::string limits;
  for (const auto& [resource, hard] : quota.status.hard) {
    std::string& cell = resource.view().starts_with("limits.") ? limits : requests;
    const Quantity* used = quota.status.used.find(resource);
    if (!cell.empty()) cell += ", ";
    cell +=
        fmt::format("{}: {}/{}", resource.view(), (used != nullptr ? *used : Quantity()).ToString(), hard.ToString());
  }
  return {quota.metadata.name, requests, limits, AgeOf(quota.metadata, context)};
}

// Of the labels node-role.kubernetes.io/<role> and kubernetes.io/role=<role>.
std::string NodeRoles(const corev1::Node& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string_view> roles;
  for (const auto& [key, value] : node.metadata.labels) {
    if (key.view().starts_with(kPrefix)) {
      if (key.size() > kPrefix.size()) roles.push_back(key.view().substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && !value.empty()) {
      roles.push_back(value);
    }
  }
  return roles.empty() ? std::string(kNone) : SortedSet(std::move(roles));
}

std::string_view NodeAddressCell(const corev1::Node& node, std::string_view type) {
  for (const corev1::NodeAddress& address : node.status.addresses) {
    if (address.type == type) return address.address;
  }
  return kNone;
}

Cells NodeCells(const corev1::Node& node, const PrintContext& context) {
  // Of conditions that repeat a type the last one counts.
  std::string status = "Unknown";
  for (const corev1::NodeCondition& condition : node.status.conditions) {
    if (condition.type == "Ready") status = condition.status == "True" ? "Ready" : "NotReady";
  }
  if (node.spec.unschedulable) status += ",SchedulingDisabled";

  const corev1::NodeSystemInfo& info = node.status.nodeInfo;
  std::string kernel(Or(info.kernelVersion, kUnknown));
  if (!info.architecture.empty()) kernel += fmt::format(" ({})", info.architecture.view());
  return {node.metadata.name,
          status,
          NodeRoles(node),
          AgeOf(node.metadata, context),
          info.kubeletVersion,
          NodeAddressCell(node, "InternalIP"),
          NodeAddressCell(node, "ExternalIP"),
          Or(info.osImage, kUnknown),
          kernel,
          Or(info.containerRuntimeVersion, kUnknown)};
}

Cells EventCells(const corev1::Event& event, const PrintContext& context) {
  // The older API sets first and last times, the newer one eventTime and series.
  const std::string first =
      event.firstTimestamp.IsZero() ? Age(event.eventTime, context.now) : Age(event.firstTimestamp, context.now);
  std::string last = event.lastTimestamp.IsZero() ? first : Age(event.lastTimestamp, context.now);
  int32_t count = event.count;
  if (event.series) {
    last = Age(event.series->lastObservedTime, context.now);
    count = event.series->count;
  } else if (count == 0) {
    count = 1;
  }

  std::string object = AsciiLower(event.involvedObject.kind.view());
  if (!event.involvedObject.name.empty()) object += "/" + event.involvedObject.name.str();
  std::string source(Or(event.source.component, event.reportingComponent));
  const std::string_view host = Or(event.source.host, event.reportingInstance);
  if (!host.empty()) source.append(", ").append(host);
  return {last,   event.type,          event.reason, object, event.involvedObject.fieldPath,
          source, Trim(event.message), first,        count,  event.metadata.name};
}

}  // namespace

void AddCorePrinters(Printers& printers) {
  AddPrinter<corev1::ConfigMap, ConfigMapCells>(printers);
  AddPrinter<corev1::Secret, SecretCells>(printers);
  AddPrinter<corev1::ServiceAccount, ServiceAccountCells>(printers);
  AddPrinter<corev1::Namespace, NamespaceCells>(printers);
  AddPrinter<corev1::ComponentStatus, ComponentStatusCells>(printers);
  AddPrinter<corev1::ResourceQuota, ResourceQuotaCells>(printers);
  AddPrinter<corev1::Node, NodeCells>(printers);
  AddPrinter<corev1::Event, EventCells>(printers);
}

}  // namespace keelson::apiserver::tables
