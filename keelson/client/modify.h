// Changing an object that is there: read, change, write, and again when somebody else wrote in between.
//
//   KEELSON_TRY(scaled, Modify<appsv1::Deployment>(client, key, [](appsv1::Deployment& web) { web.spec.replicas = 5;
//   }));
//
// The function gets the object as it was read, each time anew; it may give a Result<void>. Nothing is sent when it
// changes nothing. For an object that may not be there yet see create_or_update.h; other rules for trying again are in
// retry_on_conflict.h.
#pragma once

#include <utility>

#include "keelson/client/create_or_update.h"
#include "keelson/client/object_client.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/core/result.h"

namespace keelson {

namespace internal {

template <ApiObject T, class Mutate, class Write>
Result<T> ModifyBy(const ObjectClient& client, const ObjectKey& key, Mutate& mutate, const CallScope& scope,
                   Write write) {
  const auto attempt = [&]() -> Result<T> {
    KEELSON_TRY(before, client.Get<T>(key, {.scope = scope}));
    T wanted = before;
    KEELSON_RETURN_IF_ERROR(Mutated(wanted, mutate));
    if (Equal(before, wanted)) return before;
    return write(wanted);
  };
  return RetryOnConflict(attempt, {.scope = scope});
}

}  // namespace internal

// Gives the object as the server has it then. A client that reads from a cache sees what others write only after a
// moment: with one, another attempt helps less often.
template <ApiObject T, class Mutate>
Result<T> Modify(const ObjectClient& client, const ObjectKey& key, Mutate mutate, const UpdateOptions& options = {}) {
  return internal::ModifyBy<T>(client, key, mutate, options.scope,
                               [&](const T& wanted) { return client.Update(wanted, options); });
}

// The same for what stands under /status: only the status that the function leaves is written.
template <ApiObject T, class Mutate>
Result<T> ModifyStatus(const ObjectClient& client, const ObjectKey& key, Mutate mutate,
                       const UpdateOptions& options = {}) {
  return internal::ModifyBy<T>(client, key, mutate, options.scope,
                               [&](const T& wanted) { return client.Status().Update(wanted, options); });
}

}  // namespace keelson
