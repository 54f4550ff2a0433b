#include "keelson/client/owned.h"

#include <memory>
#include <string>

namespace keelson {
namespace {

class OwnerGoneDetail : public ErrorDetail {};
class NotOwnedDetail : public ErrorDetail {};

std::string NameOf(const GroupVersionKind& kind, const metav1::ObjectMeta& object) {
  return kind.kind + " " + ObjectKey{object.namespace_.str(), object.name.str()}.ToString();
}

}  // namespace

bool IsOwnerGone(const Error& error) { return error.detail<OwnerGoneDetail>() != nullptr; }
bool IsNotOwned(const Error& error) { return error.detail<NotOwnedDetail>() != nullptr; }

namespace internal {

Result<void> CheckOwnerLives(const ObjectClient& client, const Target& target, const Owner& owner,
                             const CallScope& scope) {
  metav1::PartialObjectMetadata live;
  // Of every client, what is read as a subresource comes from the server. Here it is the object itself.
  const Result<void> found = client.GetSubobject(target, {owner.metadata.namespace_.str(), owner.metadata.name.str()},
                                                 "", {.scope = scope}, TypeOf<metav1::PartialObjectMetadata>(), &live);
  if (!found && !IsNotFound(found.error())) return found;
  if (found && live.metadata.uid == owner.metadata.uid && !live.metadata.deletionTimestamp) return {};
  return Error::Conflict(NameOf(owner.kind, owner.metadata) +
                         " is gone, which the cache has not seen yet: nothing is made for it")
      .WithDetail(std::make_shared<OwnerGoneDetail>());
}

Error NotOwned(const GroupVersionKind& kind, const metav1::ObjectMeta& object, const Owner& owner) {
  return Error::AlreadyExists(NameOf(kind, object) + " is there already and does not belong to " +
                              NameOf(owner.kind, owner.metadata) + ": rename or delete one of them")
      .WithDetail(std::make_shared<NotOwnedDetail>());
}

}  // namespace internal
}  // namespace keelson
