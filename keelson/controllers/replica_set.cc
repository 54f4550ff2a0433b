#include "keelson/controllers/replica_set.h"

#include "keelson/controllers/replica_reconciler.h"
#include "keelson/controllers/selection.h"

namespace keelson::controllers {

Result<void> AddReplicaSetController(Manager& manager, ReplicaSetOptions options) {
  return AddReplicaController<appsv1::ReplicaSet>(manager, options, kReplicaSet, kReplicaSet);
}

}  // namespace keelson::controllers
