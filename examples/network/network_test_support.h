// For the tests of the operator: the program, and what there is of networks.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "keelson/client/modify.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/observations.h"
#include "keelson/controlplane/operator_process.h"
#include "keelson/controlplane/run_seeds.h"
#include "keelson/core/random.h"
#include "network_controller.h"
#include "simulated_backend.h"

namespace network {

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void WriteFile(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// A folder of one's own, which is not there yet, and is not any more at the end. What a simulation draws is the same in
// every process, so its id is part of the name.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(fmt::format("{}/networks-{}-{:016x}", testing::TempDir(), ::getpid(),
                          keelson::Random::FromEntropy().Next())) {}
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string path(const std::string& file = {}) const { return file.empty() ? path_ : path_ + "/" + file; }

 private:
  const std::string path_;
};

// What main does, without flags. The backend outlives it.
inline keelson::OperatorProcess::Main OperatorOf(NetworkBackend& backend) {
  return [&backend](const keelson::Client& client, const keelson::StopToken& stop) {
    keelson::InformerFactory informers(client);
    NetworkController controller(client, v1::Clientset(client), v1::Informers(informers).Networks(), backend);
    informers.Start(stop);
    return controller.Run(stop);
  };
}

inline v1::Network NetworkOf(const std::string& name, const std::string& cidr, const std::string& gateway) {
  return {.metadata = {.name = name, .namespace_ = "default"}, .spec = {.cidr = cidr, .gateway = gateway}};
}

// Changes the addresses as a user would.
inline void Change(const keelson::Client& client, const std::string& name, const v1::NetworkSpec& spec) {
  keelson::Modify<v1::Network>(client, {"default", name}, [&](v1::Network& network) { network.spec = spec; }).value();
}

// "Ready=True Provided: 192.168.0.0/16 with gateway 192.168.0.1", of the present generation.
inline std::string ReadyOf(const keelson::Client& client, const std::string& name) {
  return keelson::ConditionOf<v1::Network>(client, {"default", name});
}

// "default/example-network: 192.168.0.0/16 192.168.0.1"
inline std::vector<std::string> Provided(NetworkBackend& backend) {
  std::vector<std::string> provided;
  const ProvidedNetworks networks = backend.List().value();
  for (const auto& [name, network] : networks) {
    provided.push_back(fmt::format("{}: {} {}", name.ToString(), network.cidr, network.gateway));
  }
  return provided;
}

}  // namespace network
