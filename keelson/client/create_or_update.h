// Bringing an object into a state, whether it is there or not.
//
//   KEELSON_TRY(outcome, CreateOrUpdate(client, corev1::ConfigMap{.metadata = {.name = "web", .namespace_ =
//   "default"}},
//                                       [&](corev1::ConfigMap& map) { map.data = {{"color", "red"}}; }));
//   if (outcome.change != Change::kNone) log.Info("Reconciled", "change", ToString(outcome.change));
//
// The function gets the object as the server has it, or the one given when the server has none, and makes it as it
// should be; it may give a Result<void>. Nothing is sent when it changes nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "keelson/api/compare.h"
#include "keelson/api/object.h"
#include "keelson/api/status_error.h"
#include "keelson/client/object_client.h"
#include "keelson/client/patch.h"
#include "keelson/core/result.h"

namespace keelson {

enum class Change : uint8_t { kNone, kCreated, kUpdated, kUpdatedStatus, kUpdatedBoth };
std::string_view ToString(Change change);  // "created"

template <class T>
struct Reconciled {
  Change change = Change::kNone;
  T object = {};  // as the server has it now
};

namespace internal {

template <class T, class Mutate>
Result<void> Mutated(T& object, Mutate& mutate) {
  const ObjectKey key = KeyOf(object);
  if constexpr (std::is_void_v<std::invoke_result_t<Mutate&, T&>>) {
    mutate(object);
  } else {
    KEELSON_RETURN_IF_ERROR(mutate(object));
  }
  if (KeyOf(object) == key) return {};
  return Error::InvalidArgument("the function changed the object's key from " + key.ToString() + " to " +
                                KeyOf(object).ToString() + ": it may change anything else");
}

// A patch of /status, and one of all the rest. Either may be empty.
struct SplitPatch {
  Patch main;
  Patch status;
};
Result<SplitPatch> SplitChange(const Type& type, const void* before, const void* after);

}  // namespace internal

// Sends the whole object; a conflict when it changed since it was read (retry_on_conflict.h).
template <ApiObject T, class Mutate>
Result<Reconciled<T>> CreateOrUpdate(const ObjectClient& client, T object, Mutate mutate,
                                     const WriteOptions& options = {}) {
  Result<T> found = client.Get<T>(KeyOf(object), {.scope = options.scope});
  if (!found) {
    if (!IsNotFound(found.error())) return std::move(found).error();
    KEELSON_RETURN_IF_ERROR(internal::Mutated(object, mutate));
    KEELSON_TRY(created, client.Create(object, options));
    return Reconciled<T>{Change::kCreated, std::move(created)};
  }
  T wanted = *found;
  KEELSON_RETURN_IF_ERROR(internal::Mutated(wanted, mutate));
  if (Equal(*found, wanted)) return Reconciled<T>{Change::kNone, *std::move(found)};
  KEELSON_TRY(updated, client.Update(wanted, options));
  return Reconciled<T>{Change::kUpdated, std::move(updated)};
}

// Sends only what changed, the status to /status where the resource has one, so that other writers' changes stay.
template <ApiObject T, class Mutate>
Result<Reconciled<T>> CreateOrPatch(const ObjectClient& client, T object, Mutate mutate,
                                    const PatchOptions& options = {}) {
  const ObjectKey key = KeyOf(object);
  const WriteOptions writing{.dry_run = options.dry_run,
                             .field_manager = options.field_manager,
                             .field_validation = options.field_validation,
                             .scope = options.scope};
  Result<T> found = client.Get<T>(key, {.scope = options.scope});
  if (!found && !IsNotFound(found.error())) return std::move(found).error();
  Reconciled<T> reconciled{Change::kNone, found ? *found : T{}};
  T wanted = found ? *found : std::move(object);
  KEELSON_RETURN_IF_ERROR(internal::Mutated(wanted, mutate));
  if (!found) {
    KEELSON_TRY(created, client.Create(wanted, writing));
    return Reconciled<T>{Change::kCreated, std::move(created)};
  }
  KEELSON_TRY(change, internal::SplitChange(TypeOf<T>(), &*found, &wanted));
  if (!change.main.empty()) {
    KEELSON_TRY(patched, client.Patch<T>(key, change.main, options));
    reconciled = {Change::kUpdated, std::move(patched)};
  }
  if (!change.status.empty()) {
    KEELSON_TRY(patched, client.Status().Patch<T>(key, change.status, options));
    const bool both = reconciled.change == Change::kUpdated;
    reconciled = {both ? Change::kUpdatedBoth : Change::kUpdatedStatus, std::move(patched)};
  }
  return reconciled;
}

}  // namespace keelson
