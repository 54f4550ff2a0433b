// The ReplicationController controller: as many pods of a template as were asked for, by the older kind.
//
//   KEELSON_RETURN_IF_ERROR(AddReplicationControllerController(manager));
//
// All that is said of ReplicaSets (replica_set.h) holds here.
#pragma once

#include "keelson/controllers/replica_set.h"
#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

Result<void> AddReplicationControllerController(Manager& manager, ReplicaSetOptions options = {});

}  // namespace keelson::controllers
