// Reads one page of a collection at one revision, in slices: the lock is held for one slice at a time, and the caller's
// filter runs without it. Writes between two slices are undone by the collection's log.
#pragma once

#include <atomic>

#include "keelson/apiserver/store/collection.h"
#include "keelson/apiserver/store/store.h"

namespace keelson::apiserver::internal {

// `revision` is the store's. kExpired, kTimeout as Store::List.
Result<ListPage> ReadList(const Collection& collection, const ListQuery& query, const std::atomic<Revision>& revision);

}  // namespace keelson::apiserver::internal
