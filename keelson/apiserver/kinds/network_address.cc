// IPAddress and ServiceCIDR.
#include <algorithm>

#include "keelson/api/networking/v1.h"
#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

namespace {

// The name of an IPAddress is the address, in its canonical form.
std::vector<std::string> CheckAddressName(std::string_view name, bool) {
  FieldErrors errors;
  CheckIp(name, Path(""), errors);
  std::vector<std::string> reasons;
  for (const metav1::StatusCause& cause : errors.causes()) {
    // Only the detail: what follows "Invalid value: "name": ".
    const std::string_view message = cause.message;
    const size_t start = std::string_view("Invalid value: \"\": ").size() + name.size();
    reasons.emplace_back(message.substr(std::min(start, message.size())));
  }
  return reasons;
}

void ValidateAddress(const networkingv1::IPAddress& address, FieldErrors& errors) {
  const Path spec("spec");
  const Path path = spec / "parentRef";
  if (!address.spec.parentRef) return errors.Required(path, "");
  const networkingv1::ParentReference& parent = *address.spec.parentRef;
  if (!parent.group.empty()) CheckDnsSubdomain(parent.group, path / "group", errors);
  const auto segment = [&](const String& text, const Path& field, bool required) {
    if (!text.empty()) {
      errors.InvalidForEach(field, text, CheckPathSegment(text));
    } else if (required) {
      errors.Required(field, "");
    }
  };
  segment(parent.resource, path / "resource", true);
  segment(parent.name, path / "name", true);
  segment(parent.namespace_, path / "namespace", false);
}

void ValidateAddressUpdate(const networkingv1::IPAddress& address, const networkingv1::IPAddress& old,
                           FieldErrors& errors) {
  ValidateAddress(address, errors);
  const Path spec("spec");
  CheckImmutable(address.spec.parentRef, old.spec.parentRef, spec / "parentRef", errors);
}

void CheckCidrs(const networkingv1::ServiceCIDRSpec& spec, const Path& path, FieldErrors& errors) {
  if (spec.cidrs.empty()) return errors.Required(path, "at least one CIDR required");
  if (spec.cidrs.size() > 2) {
    return errors.InvalidShown(path, InternalForm(spec), "may only hold up to 2 values");
  }
  for (size_t i = 0; i < spec.cidrs.size(); ++i) CheckCidr(spec.cidrs[i], path[i], errors);
  if (spec.cidrs.size() != 2) return;
  const std::optional<Cidr> first = ParseCidr(spec.cidrs[0]);
  const std::optional<Cidr> second = ParseCidr(spec.cidrs[1]);
  if (first && second && first->is_v4() == second->is_v4()) {
    errors.Invalid(path, Shown(spec.cidrs),
                   "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64");
  }
}

void ValidateServiceCidr(const networkingv1::ServiceCIDR& object, FieldErrors& errors) {
  const Path spec("spec");
  CheckCidrs(object.spec, spec / "cidrs", errors);
}

// A second family may be added; nothing else changes.
void ValidateServiceCidrUpdate(const networkingv1::ServiceCIDR& object, const networkingv1::ServiceCIDR& old,
                               FieldErrors& errors) {
  const Path spec("spec");
  const Path path = spec / "cidrs";
  const List<String>& now = object.spec.cidrs;
  const List<String>& before = old.spec.cidrs;
  if (now.size() == before.size()) {
    for (size_t i = 0; i < now.size(); ++i) CheckImmutable(now[i], before[i], path[i], errors);
  } else if (before.size() == 1 && now.size() == 2) {
    CheckImmutable(now[0], before[0], path[0], errors);
    CheckCidrs(object.spec, path, errors);
  } else {
    errors.InvalidShown(path, InternalForm(now), kFieldIsImmutable);
  }
}

}  // namespace

void AddAddressRules(RulesTable& table) {
  table.Add<networkingv1::IPAddress>({.validate = ValidateAddress,
                                      .validate_update = ValidateAddressUpdate,
                                      .name = NameRule::kPathSegment,
                                      .check_name = CheckAddressName,
                                      .generation = false});
  table.Add<networkingv1::ServiceCIDR>(
      {.validate = ValidateServiceCidr, .validate_update = ValidateServiceCidrUpdate, .generation = false});
}

}  // namespace keelson::apiserver
