// What goes on in a control plane although nobody asks: the node's heartbeat, and history that is forgotten.
//
// A Lease in kube-node-lease says every ten seconds that the node is there, as a kubelet's does. Revisions older than
// `history` can no longer be listed or watched from, as after etcd's compaction: a client that holds on to an old
// version learns what it would learn from a cluster.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "keelson/apiserver/store/store.h"
#include "keelson/client/client.h"
#include "keelson/core/thread.h"
#include "keelson/core/time.h"

namespace keelson {

struct UpkeepOptions {
  std::string node = {};  // empty: no heartbeat
  Duration history = {};  // zero: only the store's own bounds count
  Duration period = std::chrono::seconds(10);
};

class Upkeep {
 public:
  // Both outlive it. The client is an administrator's.
  Upkeep(UpkeepOptions options, Client client, apiserver::Store& store);

 private:
  void Beat();
  void Forget();

  const UpkeepOptions options_;
  const Client client_;
  apiserver::Store& store_;
  // When the store was at which revision, the oldest first. The thread's own.
  std::deque<std::pair<TimePoint, apiserver::Revision>> past_;
  Thread thread_;
};

}  // namespace keelson
