#include "keelson/controllers/pod_addresses.h"

#include "keelson/controllers/kubelet_nodes.h"

namespace keelson::controllers {

std::string PodAddresses::Give(size_t node, std::string_view uid) {
  const auto found = pods_.find(std::string(uid));
  if (found != pods_.end()) return found->second.address;
  Range& range = ranges_[node];
  std::string address;
  for (size_t tries = 0; tries < kPodAddresses; ++tries) {
    address = PodAddressOf(node, range.next);
    range.next = (range.next + 1) % kPodAddresses;
    if (!range.owners.contains(address)) break;
  }
  Take(node, uid, address);
  return address;
}

void PodAddresses::Take(size_t node, std::string_view uid, std::string_view address) {
  const auto [owned, added] = pods_.try_emplace(std::string(uid), Owned{node, std::string(address)});
  if (added) ranges_[node].owners.insert_or_assign(owned->second.address, owned->first);
}

void PodAddresses::Release(std::string_view uid) {
  const auto found = pods_.find(std::string(uid));
  if (found == pods_.end()) return;
  Range& range = ranges_[found->second.node];
  const auto owner = range.owners.find(found->second.address);
  if (owner != range.owners.end() && owner->second == uid) range.owners.erase(owner);
  pods_.erase(found);
}

}  // namespace keelson::controllers
