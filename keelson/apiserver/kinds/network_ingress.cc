// Ingress and IngressClass.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/networking/v1.h"
#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kClassAnnotation = "kubernetes.io/ingress.class";
constexpr std::string_view kNoIpAddress = "must be a DNS name, not an IP address";

// What older objects may keep that new ones may not have.
struct Leniency {
  bool secret_names = false;
  bool wildcard_rules = false;
};

// --- Ingress ---

// The newest class that is marked as the default one, as the admission plugin DefaultIngressClass chooses.
Result<void> PrepareIngressCreate(networkingv1::Ingress& ingress, WriteContext& context) {
  const bool annotated = ingress.metadata.annotations.contains(kClassAnnotation);
  if (annotated && !ingress.spec.ingressClassName) {
    context.warnings.push_back(
        fmt::format("annotation \"{}\" is deprecated, please use 'spec.ingressClassName' instead", kClassAnnotation));
  }
  if (annotated || ingress.spec.ingressClassName) return {};
  std::optional<networkingv1::IngressClass> chosen;
  for (networkingv1::IngressClass& one : context.lookup.FindAll<networkingv1::IngressClass>("")) {
    const String* mark = one.metadata.annotations.find("ingressclass.kubernetes.io/is-default-class");
    if (mark == nullptr || *mark != "true") continue;
    const auto age = [](const networkingv1::IngressClass& of) { return of.metadata.creationTimestamp.unix_seconds(); };
    if (!chosen || age(one) > age(*chosen) || (age(one) == age(*chosen) && one.metadata.name < chosen->metadata.name)) {
      chosen = std::move(one);
    }
  }
  if (chosen) ingress.spec.ingressClassName = chosen->metadata.name;
  return {};
}

void CheckObjectReference(const corev1::TypedLocalObjectReference& reference, const Path& path, FieldErrors& errors) {
  if (reference.apiGroup) CheckDnsSubdomain(*reference.apiGroup, path / "apiGroup", errors);
  const auto segment = [&](const String& text, const Path& field) {
    if (text.empty()) return errors.Required(field, "");
    errors.InvalidForEach(field, text, CheckPathSegment(text));
  };
  segment(reference.kind, path / "kind");
  segment(reference.name, path / "name");
}

void CheckBackend(const networkingv1::IngressBackend& backend, const Path& path, FieldErrors& errors) {
  if (backend.resource && backend.service) {
    return errors.Invalid(path, Json(""), "cannot set both resource and service backends");
  }
  if (backend.resource) return CheckObjectReference(*backend.resource, path / "resource", errors);
  if (!backend.service) return errors.Invalid(path, Json(""), "resource or service backend is required");
  const Path service = path / "service";
  if (backend.service->name.empty()) {
    errors.Required(service / "name", "");
  } else {
    CheckDnsLabel(backend.service->name, service / "name", errors);
  }
  const networkingv1::ServiceBackendPort& port = backend.service->port;
  const Path port_path = service / "port";
  if (!port.name.empty() && port.number != 0) {
    errors.Invalid(path, Json(""), "cannot set both port name & port number");
  } else if (!port.name.empty()) {
    CheckPortName(port.name, port_path / "name", errors);
  } else if (port.number != 0) {
    CheckPort(port.number, port_path / "number", errors);
  } else {
    errors.Required(path, "port name or number is required");
  }
}

void CheckHttpPath(const networkingv1::HTTPIngressPath& http, const Path& path, FieldErrors& errors) {
  if (!http.pathType) return errors.Required(path / "pathType", "pathType must be specified");
  const Path text_path = path / "path";
  const std::string_view text = http.path;
  if (*http.pathType == "Exact" || *http.pathType == "Prefix") {
    if (!text.starts_with('/')) errors.Invalid(text_path, Json(text), "must be an absolute path");
    for (const std::string_view part : {"//", "/./", "/../", "%2f", "%2F"}) {
      if (text.find(part) != std::string_view::npos) {
        errors.Invalid(text_path, Json(text), fmt::format("must not contain '{}'", part));
      }
    }
    for (const std::string_view end : {"/..", "/."}) {
      if (text.ends_with(end)) errors.Invalid(text_path, Json(text), fmt::format("cannot end with '{}'", end));
    }
  } else if (*http.pathType == "ImplementationSpecific") {
    if (!text.empty() && !text.starts_with('/')) errors.Invalid(text_path, Json(text), "must be an absolute path");
  } else {
    errors.NotSupported(path / "pathType", Json(*http.pathType), {"Exact", "ImplementationSpecific", "Prefix"});
  }
  CheckBackend(http.backend, path / "backend", errors);
}

void CheckRuleValue(const networkingv1::IngressRule& rule, const Path& path, FieldErrors& errors) {
  if (!rule.http) return;
  const Path http = path / "http";
  const Path paths = http / "paths";
  if (rule.http->paths.empty()) errors.Required(paths, "");
  for (size_t i = 0; i < rule.http->paths.size(); ++i) CheckHttpPath(rule.http->paths[i], paths[i], errors);
}

bool IsWildcard(std::string_view host) { return host.find('*') != std::string_view::npos; }

void CheckHost(std::string_view host, const Path& path, FieldErrors& errors) {
  if (IsWildcard(host)) {
    CheckWildcardDnsSubdomain(host, path, errors);
  } else {
    CheckDnsSubdomain(host, path, errors);
  }
}

void CheckIngressSpec(const networkingv1::IngressSpec& spec, Leniency lenient, FieldErrors& errors) {
  const Path path("spec");
  if (spec.rules.empty() && !spec.defaultBackend) {
    errors.InvalidShown(path, "null", "either `defaultBackend` or `rules` must be specified");
  }
  if (spec.defaultBackend) CheckBackend(*spec.defaultBackend, path / "defaultBackend", errors);
  const Path rules = path / "rules";
  for (size_t i = 0; i < spec.rules.size(); ++i) {
    const networkingv1::IngressRule& rule = spec.rules[i];
    const Path here = rules[i];
    const Path host = here / "host";
    if (!rule.host.empty()) {
      if (ParseIp(rule.host)) errors.Invalid(host, Json(rule.host), kNoIpAddress);
      CheckHost(rule.host, host, errors);
    }
    if (!lenient.wildcard_rules || !IsWildcard(rule.host)) CheckRuleValue(rule, here, errors);
  }
  const Path tls = path / "tls";
  for (size_t i = 0; i < spec.tls.size(); ++i) {
    const Path here = tls[i];
    const Path hosts = here / "hosts";
    for (size_t j = 0; j < spec.tls[i].hosts.size(); ++j) CheckHost(spec.tls[i].hosts[j], hosts[j], errors);
    const String& secret = spec.tls[i].secretName;
    if (!lenient.secret_names && !secret.empty()) CheckDnsSubdomain(secret, here / "secretName", errors);
  }
  if (spec.ingressClassName) CheckDnsSubdomain(*spec.ingressClassName, path / "ingressClassName", errors);
}

void ValidateIngress(const networkingv1::Ingress& ingress, FieldErrors& errors) {
  CheckIngressSpec(ingress.spec, {}, errors);
  const String* annotation = ingress.metadata.annotations.find(kClassAnnotation);
  if (annotation != nullptr && ingress.spec.ingressClassName && *annotation != *ingress.spec.ingressClassName) {
    const Path annotations("annotations");
    errors.Invalid(annotations / kClassAnnotation, Json(*annotation),
                   "must match `ingressClassName` when both are specified");
  }
}

void ValidateIngressUpdate(const networkingv1::Ingress& ingress, const networkingv1::Ingress& old,
                           FieldErrors& errors) {
  Leniency lenient;
  for (const networkingv1::IngressTLS& tls : old.spec.tls) {
    if (!tls.secretName.empty() && !names::IsDns1123Subdomain(tls.secretName)) lenient.secret_names = true;
  }
  for (const networkingv1::IngressRule& rule : old.spec.rules) {
    if (!IsWildcard(rule.host)) continue;
    FieldErrors found;
    CheckRuleValue(rule, Path("spec"), found);
    if (!found.empty()) lenient.wildcard_rules = true;
  }
  CheckIngressSpec(ingress.spec, lenient, errors);
}

void ValidateIngressStatus(const networkingv1::Ingress& ingress, const networkingv1::Ingress& old,
                           FieldErrors& errors) {
  const Path status("status");
  const Path balancer = status / "loadBalancer";
  const Path list = balancer / "ingress";
  const auto& before = old.status.loadBalancer.ingress;
  for (size_t i = 0; i < ingress.status.loadBalancer.ingress.size(); ++i) {
    const networkingv1::IngressLoadBalancerIngress& one = ingress.status.loadBalancer.ingress[i];
    const Path here = list[i];
    const bool known = std::any_of(before.begin(), before.end(), [&](const auto& other) { return other.ip == one.ip; });
    if (!one.ip.empty() && !known) CheckLegacyIp(one.ip, here / "ip", errors);
    if (one.hostname.empty()) continue;
    CheckDnsSubdomain(one.hostname, here / "hostname", errors);
    if (ParseIp(one.hostname)) errors.Invalid(here / "hostname", Json(one.hostname), kNoIpAddress);
  }
}

// --- IngressClass ---

void SetClassDefaults(networkingv1::IngressClass& object) {
  if (object.spec.parameters && !std::as_const(object).spec.parameters->scope) {
    object.spec.parameters->scope = String("Cluster");
  }
}

void CheckParameters(const networkingv1::IngressClassParametersReference& parameters, const Path& path,
                     FieldErrors& errors) {
  if (parameters.apiGroup) CheckDnsSubdomain(*parameters.apiGroup, path / "apiGroup", errors);
  const auto segment = [&](const String& text, const Path& field) {
    if (text.empty()) return errors.Required(field, "");
    errors.InvalidForEach(field, text, CheckPathSegment(text));
  };
  segment(parameters.kind, path / "kind");
  segment(parameters.name, path / "name");
  if (!parameters.scope) return errors.Required(path / "scope", "");
  const Path namespace_path = path / "namespace";
  if (*parameters.scope == "Namespace") {
    if (!parameters.namespace_) {
      errors.Required(namespace_path, "`parameters.scope` is set to 'Namespace'");
    } else {
      CheckDnsLabel(*parameters.namespace_, namespace_path, errors);
    }
  } else if (*parameters.scope == "Cluster") {
    if (parameters.namespace_) errors.Forbidden(namespace_path, "`parameters.scope` is set to 'Cluster'");
  } else {
    errors.NotSupported(path / "scope", Json(*parameters.scope), {"Cluster", "Namespace"});
  }
}

void ValidateClass(const networkingv1::IngressClass& object, FieldErrors& errors) {
  constexpr size_t kMaxController = 250;
  const Path spec("spec");
  const Path controller = spec / "controller";
  if (object.spec.controller.size() > kMaxController) errors.TooLong(controller, kMaxController);
  CheckDomainPrefixedPath(object.spec.controller, controller, errors);
  if (object.spec.parameters) CheckParameters(*object.spec.parameters, spec / "parameters", errors);
}

void ValidateClassUpdate(const networkingv1::IngressClass& object, const networkingv1::IngressClass& old,
                         FieldErrors& errors) {
  const Path spec("spec");
  CheckImmutable(object.spec.controller, old.spec.controller, spec / "controller", errors);
  ValidateClass(object, errors);
}

}  // namespace

void AddIngressRules(RulesTable& table) {
  table.Add<networkingv1::Ingress>({.prepare_create = PrepareIngressCreate,
                                    .validate = ValidateIngress,
                                    .validate_update = ValidateIngressUpdate,
                                    .validate_status = ValidateIngressStatus});
  table.Add<networkingv1::IngressClass>(
      {.set_defaults = SetClassDefaults, .validate = ValidateClass, .validate_update = ValidateClassUpdate});
}

}  // namespace keelson::apiserver
