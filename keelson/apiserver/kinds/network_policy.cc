// NetworkPolicy.
#include <algorithm>
#include <set>

#include "keelson/api/networking/v1.h"
#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

namespace {

// What an older version of the object may keep.
struct Known {
  bool any_label_value = false;
  std::set<std::string_view> cidrs = {};
};

template <class Rule>
void SetPortDefaults(List<Rule>& rules) {
  for (size_t i = 0; i < rules.size(); ++i) {
    for (size_t j = 0; j < std::as_const(rules)[i].ports.size(); ++j) {
      if (!std::as_const(rules)[i].ports[j].protocol) rules[i].ports[j].protocol = "TCP";
    }
  }
}

void SetPolicyDefaults(networkingv1::NetworkPolicy& policy) {
  networkingv1::NetworkPolicySpec& spec = policy.spec;
  SetPortDefaults(spec.ingress);
  SetPortDefaults(spec.egress);
  if (!spec.policyTypes.empty()) return;
  spec.policyTypes.push_back("Ingress");
  if (!spec.egress.empty()) spec.policyTypes.push_back("Egress");
}

void CheckPolicyPort(const networkingv1::NetworkPolicyPort& port, const Path& path, FieldErrors& errors) {
  if (port.protocol && !IsOneOf(*port.protocol, {"TCP", "UDP", "SCTP"})) {
    errors.NotSupportedAsListed(path / "protocol", Json(*port.protocol), {"TCP", "UDP", "SCTP"});
  }
  const Path number = path / "port";
  const Path end = path / "endPort";
  if (!port.port) {
    if (port.endPort) errors.Invalid(end, Json(*port.endPort), "may not be specified when `port` is not specified");
    return;
  }
  if (port.port->is_string()) {
    if (port.endPort) errors.Invalid(end, Json(*port.endPort), "may not be specified when `port` is non-numeric");
    return CheckPortName(port.port->text(), number, errors);
  }
  CheckPort(port.port->number(), number, errors);
  if (!port.endPort) return;
  if (*port.endPort < port.port->number()) {
    errors.Invalid(end, Json(port.port->number()), "must be greater than or equal to `port`");
  }
  CheckPort(*port.endPort, end, errors);
}

void CheckIpBlock(const networkingv1::IPBlock& block, const Known& known, const Path& path, FieldErrors& errors) {
  const Path cidr_path = path / "cidr";
  if (block.cidr.empty()) return errors.Required(cidr_path, "");
  if (!known.cidrs.contains(block.cidr)) CheckLegacyCidr(block.cidr, cidr_path, errors);
  const std::optional<Cidr> cidr = ParseCidr(block.cidr);
  if (!cidr) return;
  const Path except = path / "except";
  for (size_t i = 0; i < block.except.size(); ++i) {
    if (!known.cidrs.contains(block.except[i])) CheckLegacyCidr(block.except[i], except[i], errors);
    const std::optional<Cidr> hole = ParseCidr(block.except[i]);
    if (hole && (!cidr->Contains(*hole) || hole->prefix == cidr->prefix)) {
      errors.Invalid(except[i], Json(block.except[i]), "must be a strict subset of `cidr`");
    }
  }
}

void CheckPeer(const networkingv1::NetworkPolicyPeer& peer, const Known& known, const Path& path, FieldErrors& errors) {
  const LabelSelectorOptions options{.any_value = known.any_label_value};
  CheckLabelSelector(peer.podSelector, path / "podSelector", errors, options);
  CheckLabelSelector(peer.namespaceSelector, path / "namespaceSelector", errors, options);
  if (peer.ipBlock) CheckIpBlock(*peer.ipBlock, known, path / "ipBlock", errors);
  const bool selects = peer.podSelector || peer.namespaceSelector;
  if (!selects && !peer.ipBlock) errors.Required(path, "must specify a peer");
  if (selects && peer.ipBlock) errors.Forbidden(path, "may not specify both ipBlock and another peer");
}

void CheckRule(const List<networkingv1::NetworkPolicyPort>& ports, const List<networkingv1::NetworkPolicyPeer>& peers,
               std::string_view peers_name, const Known& known, const Path& path, FieldErrors& errors) {
  const Path ports_path = path / "ports";
  for (size_t i = 0; i < ports.size(); ++i) CheckPolicyPort(ports[i], ports_path[i], errors);
  const Path peers_path = path / peers_name;
  for (size_t i = 0; i < peers.size(); ++i) CheckPeer(peers[i], known, peers_path[i], errors);
}

void CheckPolicy(const networkingv1::NetworkPolicySpec& spec, const Known& known, FieldErrors& errors) {
  const Path path("spec");
  CheckLabelSelector(spec.podSelector, path / "podSelector", errors, {.any_value = known.any_label_value});
  const Path ingress = path / "ingress";
  for (size_t i = 0; i < spec.ingress.size(); ++i) {
    CheckRule(spec.ingress[i].ports, spec.ingress[i].from, "from", known, ingress[i], errors);
  }
  const Path egress = path / "egress";
  for (size_t i = 0; i < spec.egress.size(); ++i) {
    CheckRule(spec.egress[i].ports, spec.egress[i].to, "to", known, egress[i], errors);
  }
  const Path types = path / "policyTypes";
  if (spec.policyTypes.size() > 2) {
    return errors.Invalid(types, Shown(spec.policyTypes), "may not specify more than two policyTypes");
  }
  for (size_t i = 0; i < spec.policyTypes.size(); ++i) {
    if (!IsOneOf(spec.policyTypes[i], {"Ingress", "Egress"})) {
      errors.NotSupportedAsListed(types[i], Json(spec.policyTypes[i]), {"Ingress", "Egress"});
    }
  }
}

void ValidatePolicy(const networkingv1::NetworkPolicy& policy, FieldErrors& errors) {
  CheckPolicy(policy.spec, {}, errors);
}

void ValidatePolicyUpdate(const networkingv1::NetworkPolicy& policy, const networkingv1::NetworkPolicy& old,
                          FieldErrors& errors) {
  Known known;
  const auto remember = [&](const List<networkingv1::NetworkPolicyPeer>& peers) {
    for (const networkingv1::NetworkPolicyPeer& peer : peers) {
      if (!peer.ipBlock) continue;
      known.cidrs.insert(peer.ipBlock->cidr.view());
      for (const String& cidr : peer.ipBlock->except) known.cidrs.insert(cidr.view());
    }
  };
  for (const networkingv1::NetworkPolicyIngressRule& rule : old.spec.ingress) remember(rule.from);
  for (const networkingv1::NetworkPolicyEgressRule& rule : old.spec.egress) remember(rule.to);
  FieldErrors old_errors;
  CheckLabelSelector(old.spec.podSelector, Path("spec"), old_errors);
  known.any_label_value = !old_errors.empty();
  CheckPolicy(policy.spec, known, errors);
}

void WarnOfPolicy(const networkingv1::NetworkPolicy& policy, std::vector<std::string>& warnings) {
  const Path spec("spec");
  const auto warn = [&](const List<networkingv1::NetworkPolicyPeer>& peers, const Path& path) {
    for (size_t i = 0; i < peers.size(); ++i) {
      if (!peers[i].ipBlock) continue;
      const Path peer = path[i];
      const Path block = peer / "ipBlock";
      WarnOfCidr(peers[i].ipBlock->cidr, block / "cidr", warnings);
      const Path except = block / "except";
      for (size_t j = 0; j < peers[i].ipBlock->except.size(); ++j) {
        WarnOfCidr(peers[i].ipBlock->except[j], except[j], warnings);
      }
    }
  };
  const Path ingress = spec / "ingress";
  for (size_t i = 0; i < policy.spec.ingress.size(); ++i) {
    const Path rule = ingress[i];
    warn(policy.spec.ingress[i].from, rule / "from");
  }
  const Path egress = spec / "egress";
  for (size_t i = 0; i < policy.spec.egress.size(); ++i) {
    const Path rule = egress[i];
    warn(policy.spec.egress[i].to, rule / "to");
  }
}

}  // namespace

void AddNetworkPolicyRules(RulesTable& table) {
  table.Add<networkingv1::NetworkPolicy>({.set_defaults = SetPolicyDefaults,
                                          .validate = ValidatePolicy,
                                          .validate_update = ValidatePolicyUpdate,
                                          .warn = WarnOfPolicy});
}

}  // namespace keelson::apiserver
