// Which objects a controller's object has: those that name it as their controller, and orphans that its selector takes.
//
//   KEELSON_RETURN_IF_ERROR(IndexByController<corev1::Pod>(manager.cache()));     // once the controller is complete
//   KEELSON_TRY(pods, ListOwnedAndOrphans<corev1::Pod>(manager.client(), set.metadata));
//   KEELSON_TRY(mine, Claim(manager.client(), manager.live(), set, selector, std::move(pods)));
//
// An orphan that matches is adopted, and an object that no longer matches is released; nothing is done for an owner
// that is being deleted, which a read from the server tells before the first adoption.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/finalizers.h"
#include "keelson/api/label_selector.h"
#include "keelson/api/label_selector_struct.h"
#include "keelson/api/owner_references.h"
#include "keelson/api/status_error.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/client/client.h"
#include "keelson/client/object_client.h"
#include "keelson/runtime/enqueuer.h"

namespace keelson::controllers {

// Index of objects by the uid of their controller.
inline constexpr std::string_view kControllerIndex = "keelson.controller-uid";
// The index's value for objects that nobody controls.
inline constexpr std::string_view kOrphan = "none";

namespace internal {

enum class Claim : uint8_t { kMine, kNotMine, kAdopt, kRelease };

// What the owner is to do about the object.
Claim ClaimOn(const metav1::ObjectMeta& object, const metav1::ObjectMeta& owner, const labels::Selector& selector);
// They name the object's uid, so that no other object of that name is changed.
Patch AdoptionPatch(const metav1::ObjectMeta& object, const Owner& owner);
Patch ReleasePatch(const metav1::ObjectMeta& object, const metav1::ObjectMeta& owner);
// Whether the owner, as the server has it now, is still the one and is to stay.
Result<void> CheckAdopter(const metav1::ObjectMeta& owner, const metav1::ObjectMeta& now, std::string_view kind);

std::string ControllerUidOf(const metav1::ObjectMeta& object);
// Adds the requests of an event of an owned kind. `matching` gives the owners whose selectors take an orphan.
using OwnersMatching = std::function<std::vector<Request>(const metav1::ObjectMeta& orphan)>;
void EnqueueOwners(const ObjectEvent& event, const GroupKind& owner, const OwnersMatching& matching,
                   RequestSink<Request>& sink);

}  // namespace internal

// Several controllers may ask for it. Of a kind that is watched already: an index is gone with its informer, and an
// informer with the last who holds it.
template <ApiObject T>
Result<void> IndexByController(InformerFactory& cache) {
  for (const Informer<T>& informer : cache.AllOf<T>()) {
    const Result<void> added = informer.AddIndex(std::string(kControllerIndex), [](const T& object) {
      return std::vector<std::string>{internal::ControllerUidOf(object.metadata)};
    });
    if (!added && !IsAlreadyExists(added.error())) return added;
  }
  return {};
}

template <ApiObject T>
Result<std::vector<T>> ListControlledBy(const ObjectClient& client, const std::string& namespace_,
                                        std::string_view uid) {
  KEELSON_TRY(list, client.List<T>({.namespace_ = namespace_,
                                    .fields = fields::Equal(std::string(kControllerIndex), std::string(uid))}));
  return std::vector<T>(std::make_move_iterator(list.items.begin()), std::make_move_iterator(list.items.end()));
}

template <ApiObject T>
Result<std::vector<T>> ListOwnedAndOrphans(const ObjectClient& client, const metav1::ObjectMeta& owner) {
  KEELSON_TRY(objects, ListControlledBy<T>(client, owner.namespace_.str(), owner.uid.view()));
  KEELSON_TRY(orphans, ListControlledBy<T>(client, owner.namespace_.str(), kOrphan));
  objects.insert(objects.end(), std::make_move_iterator(orphans.begin()), std::make_move_iterator(orphans.end()));
  return objects;
}

// Those of the objects that the owner has when it returns. All are tried; then the first error counts.
template <ApiObject T, ApiObject O>
Result<std::vector<T>> Claim(const ObjectClient& client, const Client& live, const O& owner,
                             const labels::Selector& selector, std::vector<T> objects) {
  std::vector<T> mine;
  std::optional<Error> failed;
  std::optional<Result<void>> may_adopt;
  const auto note = [&failed](Error error) {
    // What is gone needs neither.
    if (!IsNotFound(error) && !failed) failed = std::move(error);
  };
  for (T& object : objects) {
    switch (internal::ClaimOn(object.metadata, owner.metadata, selector)) {
      case internal::Claim::kMine: mine.push_back(std::move(object)); break;
      case internal::Claim::kNotMine: break;
      case internal::Claim::kRelease: {
        const Patch patch = internal::ReleasePatch(object.metadata, owner.metadata);
        Result<T> released = client.Patch<T>(KeyOf(object), patch);
        // Refused as invalid: it is another object by now, or has no owners any more.
        if (!released && !IsInvalid(released.error())) note(std::move(released).error());
        break;
      }
      case internal::Claim::kAdopt: {
        if (!may_adopt) {
          const Result<O> now = live.Get<O>(KeyOf(owner));
          may_adopt = now ? internal::CheckAdopter(owner.metadata, now->metadata, TypeOf<O>().object_kind)
                          : Result<void>(now.error());
        }
        if (!*may_adopt) {
          if (!failed) failed = may_adopt->error();
          break;
        }
        Result<T> adopted = client.Patch<T>(KeyOf(object), internal::AdoptionPatch(object.metadata, OwnerOf(owner)));
        if (adopted) {
          mine.push_back(*std::move(adopted));
        } else {
          note(std::move(adopted).error());
        }
        break;
      }
    }
  }
  if (failed) return *std::move(failed);
  return mine;
}

// For watching an owned kind: the object's controller of kind O, or, of an orphan that is new or whose labels or owners
// have changed, all whose selectors (`selector_of`) take it.
template <ApiObject O, class SelectorOf>
Enqueuer<Request> EnqueueOwnerOrMatching(InformerFactory& cache, SelectorOf selector_of) {
  std::vector<Lister<O>> listers;
  for (const Informer<O>& informer : cache.AllOf<O>()) listers.push_back(informer.lister());
  internal::OwnersMatching matching = [listers = std::move(listers),
                                       selector_of](const metav1::ObjectMeta& orphan) -> std::vector<Request> {
    std::vector<Request> owners;
    if (orphan.labels.empty()) return owners;
    for (const Lister<O>& lister : listers) {
      const Objects<O> all = lister.In(orphan.namespace_.str()).List();
      for (const O& owner : all) {
        const Result<labels::Selector> selector = labels::FromStruct(selector_of(owner));
        if (selector && !selector->empty() && selector->Matches(orphan.labels)) owners.push_back(KeyOf(owner));
      }
    }
    return owners;
  };
  return [kind = GvkOf<O>().group_kind(), matching = std::move(matching)](const ObjectEvent& event,
                                                                          RequestSink<Request>& sink) {
    internal::EnqueueOwners(event, kind, matching, sink);
  };
}

}  // namespace keelson::controllers
