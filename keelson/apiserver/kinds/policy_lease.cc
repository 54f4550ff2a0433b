// Lease.
#include "keelson/api/coordination/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

namespace {

// Coordinated leader election is off unless a server is told otherwise.
Result<void> PrepareLeaseCreate(coordinationv1::Lease& lease, WriteContext&) {
  lease.spec.strategy.reset();
  lease.spec.preferredHolder.reset();
  return {};
}

Result<void> PrepareLeaseUpdate(coordinationv1::Lease& lease, const coordinationv1::Lease& old, WriteContext&) {
  if (!old.spec.strategy) lease.spec.strategy.reset();
  if (!old.spec.preferredHolder) lease.spec.preferredHolder.reset();
  return {};
}

void ValidateLease(const coordinationv1::Lease& lease, FieldErrors& errors) {
  const Path spec("spec");
  if (lease.spec.leaseDurationSeconds) {
    CheckPositive(*lease.spec.leaseDurationSeconds, spec / "leaseDurationSeconds", errors);
  }
  if (lease.spec.leaseTransitions) CheckNonNegative(*lease.spec.leaseTransitions, spec / "leaseTransitions", errors);
}

void ValidateLeaseUpdate(const coordinationv1::Lease& lease, const coordinationv1::Lease&, FieldErrors& errors) {
  ValidateLease(lease, errors);
}

}  // namespace

void AddLeaseRules(RulesTable& table) {
  table.Add<coordinationv1::Lease>({.prepare_create = PrepareLeaseCreate,
                                    .prepare_update = PrepareLeaseUpdate,
                                    .validate = ValidateLease,
                                    .validate_update = ValidateLeaseUpdate,
                                    .generation = false,
                                    .create_on_update = true,
                                    .unconditional_update = false});
}

}  // namespace keelson::apiserver
