// What extends or guards the server itself: admission, aggregated APIs, certificates, flow control, devices.
#include <fmt/format.h>

#include "keelson/api/admissionregistration/v1.h"
#include "keelson/api/apiregistration/v1.h"
#include "keelson/api/certificates/v1.h"
#include "keelson/api/flowcontrol/v1.h"
#include "keelson/api/resource/v1.h"
#include "keelson/apiserver/tables/cells.h"

namespace keelson::apiserver::tables {
namespace {

template <class Configuration>
Cells WebhookCells(const Configuration& configuration, const PrintContext& context) {
  return {configuration.metadata.name, static_cast<int64_t>(configuration.webhooks.size()),
          AgeOf(configuration.metadata, context)};
}

std::string ParamKindText(const Optional<admissionregistrationv1::ParamKind>& kind) {
  return kind ? kind->apiVersion.str() + "/" + kind->kind.str() : std::string(kUnset);
}

Cells ValidatingPolicyCells(const admissionregistrationv1::ValidatingAdmissionPolicy& policy,
                            const PrintContext& context) {
  return {policy.metadata.name, static_cast<int64_t>(policy.spec.validations.size()),
          ParamKindText(policy.spec.paramKind), AgeOf(policy.metadata, context)};
}

Cells MutatingPolicyCells(const admissionregistrationv1::MutatingAdmissionPolicy& policy, const PrintContext& context) {
  return {policy.metadata.name, static_cast<int64_t>(policy.spec.mutations.size()),
          ParamKindText(policy.spec.paramKind), AgeOf(policy.metadata, context)};
}

// A selector where upstream shows Go's form of the struct.
std::string GoText(const metav1::LabelSelector& selector) {
  std::string text = "&LabelSelector{MatchLabels:map[string]string{";
  for (const auto& [key, value] : selector.matchLabels) text += fmt::format("{}: {},", key.view(), value.view());
  text += "},MatchExpressions:[]LabelSelectorRequirement{";
  for (const metav1::LabelSelectorRequirement& requirement : selector.matchExpressions) {
    text += fmt::format("LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},", requirement.key.view(),
                        requirement.operator_.view(), Join(requirement.values, " "));
  }
  return text + "},}";
}

template <class Binding>
Cells PolicyBindingCells(const Binding& binding, const PrintContext& context) {
  std::string parameters(kUnset);
  if (const auto& reference = binding.spec.paramRef) {
    if (!reference->name.empty()) {
      parameters = std::string(Or(reference->namespace_, "*")) + "/" + reference->name.str();
    } else if (reference->selector) {
      parameters = GoText(*reference->selector);
    }
  }
  return {binding.metadata.name, binding.spec.policyName, parameters, AgeOf(binding.metadata, context)};
}

Cells APIServiceCells(const apiregistrationv1::APIService& service, const PrintContext& context) {
  const auto& backend = service.spec.service;
  std::string available = "Unknown";
  if (const auto* condition = FindConditionOf(service.status.conditions, "Available")) {
    available = condition->status.str();
    if (available != "True" && !condition->reason.empty()) {
      available += fmt::format(" ({})", condition->reason.view());
    }
  }
  return {service.metadata.name, backend ? backend->namespace_.str() + "/" + backend->name.str() : "Local", available,
          AgeOf(service.metadata, context)};
}

Cells CertificateSigningRequestCells(const certificatesv1::CertificateSigningRequest& request,
                                     const PrintContext& context) {
  const auto has = [&](std::string_view type) { return FindConditionOf(request.status.conditions, type) != nullptr; };
  std::string condition = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  if (has("Failed")) condition += ",Failed";
  if (!request.status.certificate.empty()) condition += ",Issued";
  const Optional<int32_t>& seconds = request.spec.expirationSeconds;
  return {request.metadata.name,
          AgeOf(request.metadata, context),
          Or(request.spec.signerName, kNone),
          request.spec.username,
          seconds ? HumanDuration(std::chrono::seconds(*seconds)) : std::string(kNone),
          condition};
}

Cells FlowSchemaCells(const flowcontrolv1::FlowSchema& schema, const PrintContext& context) {
  const auto* dangling = FindConditionOf(schema.status.conditions, "Dangling");
  const auto& method = schema.spec.distinguisherMethod;
  return {schema.metadata.name,
          schema.spec.priorityLevelConfiguration.name,
          schema.spec.matchingPrecedence,
          method ? method->type.view() : kNone,
          AgeOf(schema.metadata, context),
          dangling != nullptr ? dangling->status.view() : "?"};
}

// In the order in which they are tried.
bool FlowSchemaBefore(const void* a, const void* b) {
  const auto& left = *static_cast<const flowcontrolv1::FlowSchema*>(a);
  const auto& right = *static_cast<const flowcontrolv1::FlowSchema*>(b);
  return std::pair(left.spec.matchingPrecedence, left.metadata.name.view()) <
         std::pair(right.spec.matchingPrecedence, right.metadata.name.view());
}

Cells PriorityLevelCells(const flowcontrolv1::PriorityLevelConfiguration& level, const PrintContext& context) {
  Json shares = kNone;
  Json queues = kNone;
  Json hand_size = kNone;
  Json queue_length = kNone;
  if (const auto& limited = level.spec.limited) {
    shares = limited->nominalConcurrencyShares.value_or(0);
    if (const auto& queuing = limited->limitResponse.queuing) {
      queues = queuing->queues;
      hand_size = queuing->handSize;
      queue_length = queuing->queueLengthLimit;
    }
  }
  return {level.metadata.name,           level.spec.type, shares, queues, hand_size, queue_length,
          AgeOf(level.metadata, context)};
}

Cells DeviceClassCells(const resourcev1::DeviceClass& device, const PrintContext& context) {
  return {device.metadata.name, AgeOf(device.metadata, context)};
}

Cells ResourceClaimCells(const resourcev1::ResourceClaim& claim, const PrintContext& context) {
  std::vector<std::string_view> states;
  if (claim.metadata.deletionTimestamp) states.push_back("deleted");
  if (claim.status.allocation) {
    states.push_back("allocated");
    if (!claim.status.reservedFor.empty()) states.push_back("reserved");
  } else if (states.empty()) {
    states.push_back("pending");
  }
  return {claim.metadata.name, Join(states, ","), AgeOf(claim.metadata, context)};
}

Cells ResourceClaimTemplateCells(const resourcev1::ResourceClaimTemplate& claim, const PrintContext& context) {
  return {claim.metadata.name, AgeOf(claim.metadata, context)};
}

Cells ResourceSliceCells(const resourcev1::ResourceSlice& slice, const PrintContext& context) {
  return {slice.metadata.name, Or(slice.spec.nodeName, ""), slice.spec.driver, slice.spec.pool.name,
          AgeOf(slice.metadata, context)};
}

}  // namespace

void AddExtensionPrinters(Printers& printers) {
  namespace admission = admissionregistrationv1;
  AddPrinter<admission::MutatingWebhookConfiguration, WebhookCells<admission::MutatingWebhookConfiguration>>(printers);
  AddPrinter<admission::ValidatingWebhookConfiguration, WebhookCells<admission::ValidatingWebhookConfiguration>>(
      printers);
  AddPrinter<admission::ValidatingAdmissionPolicy, ValidatingPolicyCells>(printers);
  AddPrinter<admission::MutatingAdmissionPolicy, MutatingPolicyCells>(printers);
  AddPrinter<admission::ValidatingAdmissionPolicyBinding,
             PolicyBindingCells<admission::ValidatingAdmissionPolicyBinding>>(printers);
  AddPrinter<admission::MutatingAdmissionPolicyBinding, PolicyBindingCells<admission::MutatingAdmissionPolicyBinding>>(
      printers);
  AddPrinter<apiregistrationv1::APIService, APIServiceCells>(printers);
  AddPrinter<certificatesv1::CertificateSigningRequest, CertificateSigningRequestCells>(printers);
  AddPrinter<flowcontrolv1::FlowSchema, FlowSchemaCells>(printers);
  printers[&Describe<flowcontrolv1::FlowSchema>::type].before = FlowSchemaBefore;
  AddPrinter<flowcontrolv1::PriorityLevelConfiguration, PriorityLevelCells>(printers);
  AddPrinter<resourcev1::DeviceClass, DeviceClassCells>(printers);
  AddPrinter<resourcev1::ResourceClaim, ResourceClaimCells>(printers);
  AddPrinter<resourcev1::ResourceClaimTemplate, ResourceClaimTemplateCells>(printers);
  AddPrinter<resourcev1::ResourceSlice, ResourceSliceCells>(printers);
}

}  // namespace keelson::apiserver::tables
