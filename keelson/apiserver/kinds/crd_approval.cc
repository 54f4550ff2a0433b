#include "keelson/apiserver/kinds/crd_approval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace keelson::apiserver {

namespace {

bool IsAbsoluteUrl(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || !std::isalpha(static_cast<unsigned char>(text[0]))) return false;
  for (const char c : text.substr(0, colon)) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '+' && c != '-' && c != '.') return false;
  }
  const std::string_view rest = text.substr(colon + 1);
  if (!rest.starts_with("//")) return false;
  const std::string_view host = rest.substr(2, rest.find_first_of("/?", 2) - 2);
  return !host.empty() && host.find_first_of(" \"<>\\^`{|}") == std::string_view::npos &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

bool NeedsApproval(const apiextensionsv1::CustomResourceDefinition& definition) {
  const std::string_view group = definition.spec.group;
  return group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io");
}

Approval ApprovalOf(const apiextensionsv1::CustomResourceDefinition& definition) {
  using Kind = Approval::Kind;
  constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";
  const String* value = definition.metadata.annotations.find(kApprovalAnnotation);
  if (value == nullptr || value->empty()) {
    return {Kind::kMissing,
            fmt::format("protected groups must have approval annotation \"{}\", {}", kApprovalAnnotation, kSee)};
  }
  if (value->view().starts_with("unapproved")) {
    return {Kind::kBypassed, fmt::format("not approved: \"{}\"", value->view())};
  }
  if (IsAbsoluteUrl(*value)) return {Kind::kApproved, fmt::format("approved in {}", value->view())};
  return {Kind::kInvalid, fmt::format("protected groups must have approval annotation \"{}\" with either a URL or a "
                                      "reason starting with \"unapproved\", {}",
                                      kApprovalAnnotation, kSee)};
}

}  // namespace keelson::apiserver
