#include "keelson/runtime/lease_lock.h"

#include <utility>

namespace keelson {

LeaderRecord RecordOf(const coordinationv1::LeaseSpec& spec) {
  return {.holder = spec.holderIdentity ? spec.holderIdentity->str() : "",
          .lease_seconds = spec.leaseDurationSeconds.value_or(0),
          .acquire_time = spec.acquireTime.value_or(metav1::MicroTime()),
          .renew_time = spec.renewTime.value_or(metav1::MicroTime()),
          .transitions = spec.leaseTransitions.value_or(0)};
}

coordinationv1::LeaseSpec SpecOf(const LeaderRecord& record) {
  return {.holderIdentity = String(record.holder),
          .leaseDurationSeconds = record.lease_seconds,
          .acquireTime = record.acquire_time,
          .renewTime = record.renew_time,
          .leaseTransitions = record.transitions};
}

LeaseLock::LeaseLock(Client client, ObjectKey key, std::map<std::string, std::string> labels)
    : client_(std::move(client)), key_(std::move(key)), labels_(std::move(labels)) {}

Result<LeaderRecord> LeaseLock::Get(const CallScope& scope) {
  KEELSON_TRY(lease, client_.Get<coordinationv1::Lease>(key_, {.scope = scope}));
  lease_ = std::move(lease);
  return RecordOf(lease_->spec);
}

Result<void> LeaseLock::Create(const LeaderRecord& record, const CallScope& scope) {
  coordinationv1::Lease lease{.metadata = {.name = key_.name, .namespace_ = key_.namespace_}, .spec = SpecOf(record)};
  SetLabels(lease);
  KEELSON_TRY(created, client_.Create(lease, {.scope = scope}));
  lease_ = std::move(created);
  return {};
}

Result<void> LeaseLock::Update(const LeaderRecord& record, const CallScope& scope) {
  if (!lease_) return Error::Internal("lease " + key_.ToString() + " is to be updated before it was read");
  coordinationv1::Lease lease = *lease_;
  lease.spec = SpecOf(record);
  SetLabels(lease);
  KEELSON_TRY(updated, client_.Update(lease, {.scope = scope}));
  lease_ = std::move(updated);
  return {};
}

coordinationv1::Lease LeaseLock::lease() const {
  if (lease_) return *lease_;
  return {.metadata = {.name = key_.name, .namespace_ = key_.namespace_}};
}

void LeaseLock::SetLabels(coordinationv1::Lease& lease) const {
  for (const auto& [key, value] : labels_) lease.metadata.labels[key] = value;
}

}  // namespace keelson
