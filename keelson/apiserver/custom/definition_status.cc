#include "keelson/apiserver/custom/definition_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "keelson/apiserver/kinds/crd_approval.h"

namespace keelson::apiserver {

namespace {

using Definition = apiextensionsv1::CustomResourceDefinition;
using Condition = apiextensionsv1::CustomResourceDefinitionCondition;

const Condition* FindCondition(const Definition& definition, std::string_view type) {
  for (const Condition& condition : definition.status.conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

bool Contains(const List<String>& texts, const String& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::string InUse(const String& name) { return fmt::format("\"{}\" is already in use", name.view()); }

bool SaysTheSame(const Condition* condition, bool status, std::string_view reason, std::string_view message) {
  return condition != nullptr && (condition->status == "True") == status && condition->reason == reason &&
         condition->message == message;
}

bool SameNames(const apiextensionsv1::CustomResourceDefinitionNames& a,
               const apiextensionsv1::CustomResourceDefinitionNames& b) {
  return a.plural == b.plural && a.singular == b.singular && a.shortNames == b.shortNames && a.kind == b.kind &&
         a.listKind == b.listKind && a.categories == b.categories;
}

}  // namespace

bool HasCondition(const Definition& definition, std::string_view type) {
  const Condition* condition = FindCondition(definition, type);
  return condition != nullptr && condition->status == "True";
}

void SetCondition(Definition& definition, std::string_view type, bool status, std::string_view reason,
                  std::string_view message, metav1::Time now) {
  Condition condition;
  condition.type = type;
  condition.status = status ? "True" : "False";
  condition.lastTransitionTime = now;
  condition.reason = reason;
  condition.message = message;
  for (size_t i = 0; i < definition.status.conditions.size(); ++i) {
    const Condition& known = std::as_const(definition.status.conditions)[i];
    if (known.type != type) continue;
    if (known.status == condition.status && !known.lastTransitionTime.IsZero()) {
      condition.lastTransitionTime = known.lastTransitionTime;
    }
    definition.status.conditions[i] = std::move(condition);
    return;
  }
  definition.status.conditions.push_back(std::move(condition));
}

void NamesInUse::Add(const Definition& definition) {
  const apiextensionsv1::CustomResourceDefinitionNames& names = definition.status.acceptedNames;
  resources.insert(names.plural.str());
  resources.insert(names.singular.str());
  for (const String& name : names.shortNames) resources.insert(name.str());
  kinds.insert(names.kind.str());
  kinds.insert(names.listKind.str());
}

bool AcceptNames(Definition& definition, const NamesInUse& used, metav1::Time now) {
  const apiextensionsv1::CustomResourceDefinitionNames& wanted = definition.spec.names;
  apiextensionsv1::CustomResourceDefinitionNames accepted = definition.status.acceptedNames;
  if (SameNames(wanted, accepted)) return false;

  std::string reason = "NoConflicts";
  std::string message = "no conflicts found";
  bool good = true;
  const auto refuse = [&](std::string_view why, std::string text) {
    good = false;
    reason = why;
    message = std::move(text);
  };
  const auto take = [&](const String& name, String& mine, const std::set<std::string, std::less<>>& taken,
                        std::string_view why) {
    if (name == mine || !taken.contains(name.view())) {
      mine = name;
    } else {
      refuse(why, InUse(name));
    }
  };
  take(wanted.plural, accepted.plural, used.resources, "PluralConflict");
  take(wanted.singular, accepted.singular, used.resources, "SingularConflict");
  if (wanted.shortNames != accepted.shortNames) {
    std::vector<std::string> conflicts;
    for (const String& name : wanted.shortNames) {
      if (Contains(accepted.shortNames, name) || !used.resources.contains(name.view())) continue;
      const std::string conflict = InUse(name);
      if (std::find(conflicts.begin(), conflicts.end(), conflict) == conflicts.end()) conflicts.push_back(conflict);
    }
    if (conflicts.empty()) {
      accepted.shortNames = wanted.shortNames;
    } else {
      refuse("ShortNamesConflict",
             conflicts.size() == 1 ? conflicts[0] : fmt::format("[{}]", fmt::join(conflicts, ", ")));
    }
  }
  take(wanted.kind, accepted.kind, used.kinds, "KindConflict");
  take(wanted.listKind, accepted.listKind, used.kinds, "ListKindConflict");
  accepted.categories = wanted.categories;

  if (SameNames(accepted, definition.status.acceptedNames) &&
      SaysTheSame(FindCondition(definition, kNamesAccepted), good, reason, message)) {
    return false;
  }
  definition.status.acceptedNames = accepted;
  SetCondition(definition, kNamesAccepted, good, reason, message, now);
  if (!HasCondition(definition, kEstablished)) {
    if (good) {
      SetCondition(definition, kEstablished, false, "Installing", "the initial names have been accepted", now);
    } else if (FindCondition(definition, kEstablished) == nullptr) {
      SetCondition(definition, kEstablished, false, "NotAccepted", "not all names are accepted", now);
    }
  }
  return true;
}

bool Establish(Definition& definition, metav1::Time now) {
  if (!HasCondition(definition, kNamesAccepted) || HasCondition(definition, kEstablished)) return false;
  SetCondition(definition, kEstablished, true, "InitialNamesAccepted", "the initial names have been accepted", now);
  return true;
}

bool NoteApproval(Definition& definition, metav1::Time now) {
  if (!NeedsApproval(definition)) return false;
  const Approval approval = ApprovalOf(definition);
  const bool good = approval.kind == Approval::Kind::kApproved;
  std::string_view reason = "ApprovedAnnotation";
  if (approval.kind == Approval::Kind::kInvalid) reason = "InvalidAnnotation";
  if (approval.kind == Approval::Kind::kMissing) reason = "MissingAnnotation";
  if (approval.kind == Approval::Kind::kBypassed) reason = "UnapprovedAnnotation";
  if (SaysTheSame(FindCondition(definition, kApprovalConformant), good, reason, approval.text)) return false;
  SetCondition(definition, kApprovalConformant, good, reason, approval.text, now);
  return true;
}

void MarkForDeletion(Definition& definition, metav1::Time now) {
  SetCondition(definition, kTerminating, true, "InstanceDeletionPending",
               "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", now);
}

}  // namespace keelson::apiserver
