// What is to be cleaned up before an object may go, by name: adds the finalizers, runs the functions, removes them.
//
//   AppReconciler(const ObjectClient& client) : client_(client) {
//     finalizers_.Register("example.com/bucket", [this](Context&, App& app) { return buckets_.Delete(app); }).OrExit();
//   }
//   Result<Outcome> Reconcile(Context& context, const Request& request) {
//     KEELSON_TRY(app, IgnoreNotFound(client_.Get<App>(request)));
//     if (!app) return Outcome::Done();
//     KEELSON_TRY(ended, finalizers_.Finalize(context, client_, *app));
//     if (ended) return *ended;          // it is being deleted
//     …                                  // it lives, and has all finalizers
//
// A function gives a Result<void>, or a Result<Outcome> when it cannot finish now: Outcome::After and Outcome::Retry
// leave its finalizer where it is, and are what the reconcile comes to. It may be called again for what it has done
// already, so it takes what is gone for done.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "keelson/api/finalizers.h"
#include "keelson/client/object_client.h"
#include "keelson/runtime/context.h"
#include "keelson/runtime/outcome.h"

namespace keelson {

namespace internal {

Result<void> CheckFinalizer(std::string_view name, const std::vector<std::string>& taken);
// Writes what makes `object` out of `before`: first the status, then the rest, which is a conflict when the object has
// changed since. `object` becomes what the server has. An object that is gone is left as it is.
Result<void> WriteFinalized(const ObjectClient& client, const Target& target, const ObjectKey& key, const void* before,
                            void* object);

}  // namespace internal

// Names are registered before it is used; then it is thread-safe.
template <ApiObject T>
class FinalizerRegistry {
 public:
  // The functions run in the order of registration, each when those before it have finished. kInvalidArgument when the
  // name is not "domain/name", kAlreadyExists when it is registered.
  template <class Function>
  Result<void> Register(std::string name, Function function) {
    KEELSON_RETURN_IF_ERROR(internal::CheckFinalizer(name, names_));
    names_.push_back(std::move(name));
    functions_.push_back([function = std::move(function)](Context& context, T& object) -> Result<Outcome> {
      if constexpr (std::is_same_v<std::invoke_result_t<const Function&, Context&, T&>, Result<void>>) {
        KEELSON_RETURN_IF_ERROR(function(context, object));
        return Outcome::Done();
      } else {
        return function(context, object);
      }
    });
    return {};
  }

  // Nothing when the object lives: it has all finalizers now, written where one was missing. Else it is being deleted
  // and this is what the reconcile comes to: functions were run, and what they finished and changed is written, also
  // when one failed. `object` is as the server has it then.
  Result<std::optional<Outcome>> Finalize(Context& context, const ObjectClient& client, T& object) const {
    const T before = object;
    Result<Outcome> outcome = Outcome::Done();
    const bool deleted = IsBeingDeleted(object);
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!deleted) {
        AddFinalizer(object, names_[i]);
        continue;
      }
      if (!HasFinalizer(object, names_[i])) continue;
      outcome = functions_[i](context, object);
      if (!outcome) {
        outcome = std::move(outcome).error().WithContext("finalizer " + names_[i]);
        break;
      }
      if (*outcome != Outcome::Done()) break;
      RemoveFinalizer(object, names_[i]);
    }
    Result<void> written = internal::WriteFinalized(client, Target::Typed<T>(), KeyOf(before), &before, &object);
    if (!outcome) return std::move(outcome).error();  // tells more than a failure to write
    if (!written) return std::move(written).error();
    if (!deleted) return std::optional<Outcome>();
    return std::optional<Outcome>(*outcome);
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::function<Result<Outcome>(Context& context, T& object)>> functions_;
};

}  // namespace keelson
