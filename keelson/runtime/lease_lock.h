// Who leads, as a Lease of coordination.k8s.io/v1 says it: in client-go's format, so that programs in Go and in C++ can
// share one Lease.
//
//   LeaseLock lock(client, {"default", "my-operator"});
//   KEELSON_TRY(record, lock.Get(scope));                       // IsNotFound: nobody ever led
//   record.renew_time = metav1::MicroTime(Clock::WallNow());
//   KEELSON_RETURN_IF_ERROR(lock.Update(record, scope));        // IsConflict: somebody was faster
//
// When to write what is the business of LeaderElector (leader_election.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "keelson/api/coordination/v1.h"
#include "keelson/api/object_key.h"
#include "keelson/client/client.h"
#include "keelson/core/result.h"

namespace keelson {

struct LeaderRecord {
  std::string holder = {};  // empty: the last one has released it
  int32_t lease_seconds = 0;
  // By the holder's calendar: for people to read. Nobody decides by them.
  metav1::MicroTime acquire_time = {};
  metav1::MicroTime renew_time = {};
  int32_t transitions = 0;  // how often the holder changed

  friend bool operator==(const LeaderRecord&, const LeaderRecord&) = default;
};

LeaderRecord RecordOf(const coordinationv1::LeaseSpec& spec);
// All five fields are present, also an empty holder.
coordinationv1::LeaseSpec SpecOf(const LeaderRecord& record);

// Not thread-safe.
class LeaseLock {
 public:
  // The labels are set at every write; others that the Lease has stay.
  LeaseLock(Client client, ObjectKey key, std::map<std::string, std::string> labels = {});

  Result<LeaderRecord> Get(const CallScope& scope);
  Result<void> Create(const LeaderRecord& record, const CallScope& scope);
  // Of the Lease as Get, Create or Update saw it last, and only if it has not changed since: else kConflict. Get or
  // Create must have succeeded once.
  Result<void> Update(const LeaderRecord& record, const CallScope& scope);

  const ObjectKey& key() const { return key_; }
  // As seen last; before that only its name.
  coordinationv1::Lease lease() const;

 private:
  void SetLabels(coordinationv1::Lease& lease) const;

  const Client client_;
  const ObjectKey key_;
  const std::map<std::string, std::string> labels_;
  std::optional<coordinationv1::Lease> lease_;
};

}  // namespace keelson
