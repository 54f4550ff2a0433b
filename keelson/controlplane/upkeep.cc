#include "keelson/controlplane/upkeep.h"

#include "keelson/api/coordination/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/periodic.h"

namespace keelson {
namespace {

constexpr std::string_view kLeases = "kube-node-lease";
constexpr int32_t kLeaseSeconds = 40;

}  // namespace

Upkeep::Upkeep(UpkeepOptions options, Client client, apiserver::Store& store)
    : options_(std::move(options)),
      client_(std::move(client)),
      store_(store),
      thread_("upkeep", [this](const StopToken& stop) {
        Until(stop, options_.period, [this] {
          if (!options_.node.empty()) Beat();
          if (options_.history > Duration::zero()) Forget();
        });
      }) {}

void Upkeep::Beat() {
  coordinationv1::Lease lease;
  lease.metadata.name = options_.node;
  lease.metadata.namespace_ = kLeases;
  const Result<coordinationv1::Lease> found = client_.Get<coordinationv1::Lease>({std::string(kLeases), options_.node});
  if (found) lease = *found;
  lease.spec.holderIdentity = options_.node;
  lease.spec.leaseDurationSeconds = kLeaseSeconds;
  lease.spec.renewTime = metav1::MicroTime(Clock::WallNow());
  const Result<coordinationv1::Lease> written = found ? client_.Update(lease) : client_.Create(lease);
  // Somebody else's write or deletion in between is made good by the next beat.
  if (!written) Logger("upkeep").V(2).Info("The node's lease was not renewed", "error", written.error().message());
}

void Upkeep::Forget() {
  const TimePoint now = Clock::Now();
  apiserver::Revision before = 0;
  while (!past_.empty() && now - past_.front().first >= options_.history) {
    before = past_.front().second;
    past_.pop_front();
  }
  past_.emplace_back(now, store_.revision());
  if (before > 0) store_.Compact(before + 1);
}

}  // namespace keelson
