// A backend that provides networks on paper: in a folder that everybody can look into, and tamper with.
//
//   $ cat networks/default_example-network.json
//   {
//     "cidr": "192.168.0.0/16",
//     "gateway": "192.168.0.1"
//   }
#pragma once

#include <string>

#include "keelson/core/mutex.h"
#include "network_backend.h"

namespace network {

// One process at a time uses a folder. A file that cannot be read is a network without addresses.
class SimulatedBackend final : public NetworkBackend {
 public:
  // The folder is made when it is needed. Empty: in memory, until the end of the process.
  explicit SimulatedBackend(std::string folder = {}) : folder_(std::move(folder)) {}

  keelson::Result<ProvidedNetworks> List() override;
  keelson::Result<std::optional<v1::NetworkSpec>> Get(const keelson::ObjectKey& name) override;
  keelson::Result<void> Create(const keelson::ObjectKey& name, const v1::NetworkSpec& network) override;
  keelson::Result<void> Update(const keelson::ObjectKey& name, const v1::NetworkSpec& network) override;
  keelson::Result<void> Delete(const keelson::ObjectKey& name) override;

 private:
  // These are called under mutex_.
  keelson::Result<ProvidedNetworks> Load() const;
  keelson::Result<void> Save(const keelson::ObjectKey& name, const v1::NetworkSpec& network);
  keelson::Result<void> Remove(const keelson::ObjectKey& name);

  const std::string folder_;

  keelson::Mutex mutex_{"network backend"};
  ProvidedNetworks memory_;  // guarded by mutex_; where there is no folder
};

}  // namespace network
