// Objects that belong to another one, made only for an owner that lives.
//
//   const auto made = CreateOrUpdateOwned(client, app, appsv1::Deployment{.metadata = {.name = …, .namespace_ = …}},
//                                         [&](appsv1::Deployment& deployment) { Fill(app, deployment); });
//   if (!made && IsOwnerGone(made.error())) return Outcome::Done();      // the cache will hear of it
//   if (!made && IsNotOwned(made.error())) return Report(made.error());  // another's object has that name
//
// Before an object is created, and only then, the server is asked for the owner's metadata, past any cache. A cache
// whose watch is down goes on having an owner that was deleted: what is made for that one is deleted by the garbage
// collector at once, and would be made again and again, as fast as both can. An owner of the same name with another uid
// counts as gone, and so does one that is being deleted. Nothing is left to do for such a one: what the cache has not
// seen yet is a change, and leads to the reconciler again.
#pragma once

#include <type_traits>
#include <utility>

#include "keelson/api/owner_references.h"
#include "keelson/client/create_or_update.h"
#include "keelson/client/object_client.h"
#include "keelson/core/result.h"

namespace keelson {

// Whether the owner is not there any more (code kConflict).
bool IsOwnerGone(const Error& error);
// Whether the object is there, and the owner does not control it (code kAlreadyExists).
bool IsNotOwned(const Error& error);

namespace internal {
Result<void> CheckOwnerLives(const ObjectClient& client, const Target& target, const Owner& owner,
                             const CallScope& scope);
Error NotOwned(const GroupVersionKind& kind, const metav1::ObjectMeta& object, const Owner& owner);
}  // namespace internal

// One request. Nothing, or an error for which IsOwnerGone holds. For those who create several objects at once by hand.
template <ApiObject O>
Result<void> CheckOwnerLives(const ObjectClient& client, const O& owner, const CallScope& scope = {}) {
  return internal::CheckOwnerLives(client, Target::Metadata<O>(), OwnerOf(owner), scope);
}

// Creates the object with the owner as its controller.
template <ApiObject O, ApiObject T>
Result<T> CreateOwned(const ObjectClient& client, const O& owner, T object, const WriteOptions& options = {}) {
  KEELSON_RETURN_IF_ERROR(SetControllerReference(owner, object));
  KEELSON_RETURN_IF_ERROR(CheckOwnerLives(client, owner, options.scope));
  return client.Create(object, options);
}

// CreateOrUpdate for an object that the owner controls. What is there and is not the owner's stays as it is, and the
// function is not called.
template <ApiObject O, ApiObject T, class Mutate>
Result<Reconciled<T>> CreateOrUpdateOwned(const ObjectClient& client, const O& owner, T object, Mutate mutate,
                                          const WriteOptions& options = {}) {
  const auto own = [&](T& part) -> Result<void> {
    if (part.metadata.uid.empty()) {
      KEELSON_RETURN_IF_ERROR(CheckOwnerLives(client, owner, options.scope));
    } else if (!IsControlledBy(part, owner)) {
      return internal::NotOwned(GvkOf<T>(), part.metadata, OwnerOf(owner));
    }
    if constexpr (std::is_void_v<std::invoke_result_t<Mutate&, T&>>) {
      mutate(part);
    } else {
      KEELSON_RETURN_IF_ERROR(mutate(part));
    }
    return SetControllerReference(owner, part);
  };
  return CreateOrUpdate(client, std::move(object), own, options);
}

}  // namespace keelson
