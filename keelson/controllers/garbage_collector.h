// Deletes what belongs to objects that are no more: the garbage collector, as kube-controller-manager has it.
//
//   KEELSON_RETURN_IF_ERROR(AddGarbageCollectorController(manager));
//
// An object goes when all owners that its metadata names are gone; references to some that are gone are taken away.
// Deleted in the background, an owner goes first; in the foreground it waits (finalizer foregroundDeletion) for those
// dependents that block it; with orphan (finalizer of that name) they are let go before it. Owners are found by uid,
// place and kind together: one of another namespace is none, and the dependent gets the event OwnerRefInvalidNamespace.
//
// It works on all kinds that the server can list, watch and delete, those of CustomResourceDefinitions included, as
// soon as they are there. A dependent whose owner is of a kind that the server does not have stays.
#pragma once

#include <chrono>
#include <set>

#include "keelson/api/gvk.h"
#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

struct GarbageCollectorOptions {
  int workers = 4;
  // Kinds that neither own nor are owned. Events belong to nobody, and there are many.
  std::set<GroupResource> ignored = {{"", "events"}, {"events.k8s.io", "events"}};
  // After which it begins although some kind cannot be listed.
  Duration patience = std::chrono::seconds(30);
};

Result<void> AddGarbageCollectorController(Manager& manager, GarbageCollectorOptions options = {});

}  // namespace keelson::controllers
