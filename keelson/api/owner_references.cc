#include "keelson/api/owner_references.h"

#include <memory>
#include <string>
#include <utility>

#include "keelson/api/compare.h"

namespace keelson {

namespace {

std::string NameOf(const Owner& owner) { return owner.kind.kind + " \"" + KeyOf(owner.metadata).ToString() + "\""; }

// "object" alone is all that is known of the other side: its type is not.
std::string NameOf(const metav1::ObjectMeta& object) { return "object \"" + KeyOf(object).ToString() + "\""; }

Result<void> CheckOwner(const Owner& owner, const metav1::ObjectMeta& object) {
  if (owner.kind.version.empty() || owner.kind.kind.empty()) {
    return Error::InvalidArgument("cannot own " + NameOf(object) + ": the owner's apiVersion and kind are not known");
  }
  if (owner.metadata.name.empty() || owner.metadata.uid.empty()) {
    return Error::InvalidArgument("cannot own " + NameOf(object) + ": " + NameOf(owner) +
                                  " needs a name and a uid; read it from the server first");
  }
  const String& owner_namespace = owner.metadata.namespace_;
  if (owner_namespace.empty() || owner_namespace == object.namespace_) return {};
  if (object.namespace_.empty()) {
    return Error::InvalidArgument("cluster-scoped " + NameOf(object) + " must not have an owner in a namespace, but " +
                                  NameOf(owner) + " is in \"" + owner_namespace.str() + "\"");
  }
  return Error::InvalidArgument(NameOf(object) + " must not have an owner in another namespace: " + NameOf(owner) +
                                " is in \"" + owner_namespace.str() + "\"; only cluster-scoped owners reach across");
}

bool NamesSameOwner(const metav1::OwnerReference& reference, const Owner& owner) {
  if (reference.kind != owner.kind.kind || reference.name != owner.metadata.name) return false;
  const Result<GroupVersion> version = GroupVersion::Parse(reference.apiVersion);
  return version && version->group == owner.kind.group;
}

size_t IndexOf(const metav1::ObjectMeta& object, const Owner& owner) {
  size_t index = 0;
  while (index < object.ownerReferences.size() && !NamesSameOwner(object.ownerReferences[index], owner)) ++index;
  return index;
}

metav1::OwnerReference ReferenceTo(const Owner& owner) {
  return {.apiVersion = owner.kind.group_version().ToString(),
          .kind = owner.kind.kind,
          .name = owner.metadata.name,
          .uid = owner.metadata.uid};
}

// Writes nothing when the reference is there already, so that an unchanged object stays shared.
void Upsert(const Owner& owner, metav1::OwnerReference reference, metav1::ObjectMeta& object) {
  const size_t index = IndexOf(object, owner);
  if (index == object.ownerReferences.size()) {
    object.ownerReferences.push_back(std::move(reference));
  } else if (!Equal(std::as_const(object.ownerReferences)[index], reference)) {
    object.ownerReferences[index] = std::move(reference);
  }
}

}  // namespace

const metav1::OwnerReference* GetControllerOf(const metav1::ObjectMeta& object) {
  for (const metav1::OwnerReference& reference : object.ownerReferences) {
    if (reference.controller.value_or(false)) return &reference;
  }
  return nullptr;
}

bool IsControlledBy(const metav1::ObjectMeta& object, const metav1::ObjectMeta& owner) {
  const metav1::OwnerReference* controller = GetControllerOf(object);
  return controller != nullptr && controller->uid == owner.uid;
}

Result<void> SetControllerReference(const Owner& owner, metav1::ObjectMeta& object,
                                    const OwnerReferenceOptions& options) {
  KEELSON_RETURN_IF_ERROR(CheckOwner(owner, object));
  const metav1::OwnerReference* present = GetControllerOf(object);
  if (present != nullptr && !NamesSameOwner(*present, owner)) {
    return Error::AlreadyExists(NameOf(object) + " is already owned by controller " + present->kind.str() + " \"" +
                                present->name.str() + "\"; " + NameOf(owner) + " cannot control it too")
        .WithDetail(std::make_shared<AlreadyOwnedDetail>(*present));
  }
  metav1::OwnerReference reference = ReferenceTo(owner);
  reference.controller = true;
  reference.blockOwnerDeletion = options.block_owner_deletion;
  Upsert(owner, std::move(reference), object);
  return {};
}

Result<void> SetOwnerReference(const Owner& owner, metav1::ObjectMeta& object, const OwnerReferenceOptions& options) {
  KEELSON_RETURN_IF_ERROR(CheckOwner(owner, object));
  metav1::OwnerReference reference = ReferenceTo(owner);
  if (options.block_owner_deletion) reference.blockOwnerDeletion = true;
  Upsert(owner, std::move(reference), object);
  return {};
}

bool HasOwnerReference(const Owner& owner, const metav1::ObjectMeta& object) {
  return IndexOf(object, owner) < object.ownerReferences.size();
}

bool RemoveOwnerReference(const Owner& owner, metav1::ObjectMeta& object) {
  const size_t index = IndexOf(object, owner);
  if (index == object.ownerReferences.size()) return false;
  object.ownerReferences.erase(index);
  return true;
}

}  // namespace keelson
