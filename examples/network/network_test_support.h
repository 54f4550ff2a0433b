// For the tests of the operator: the samples, the operator as one process, and what there is of networks.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/conditions.h"
#include "keelson/api/core/v1.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/core/thread.h"
#include "network_controller.h"
#include "simulated_backend.h"

namespace network {

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void WriteFile(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// An object as a file of config/samples has it, and the file's first line.
struct Sample {
  keelson::Unstructured object;
  std::string first_line;
};
inline Sample ReadSample(const std::string& name) {
  const std::string text = ReadFile(NETWORK_CONFIG "/samples/" + name);
  Sample sample{.object = keelson::FromYaml<keelson::Unstructured>(text).value(),
                .first_line = text.substr(0, text.find('\n'))};
  sample.object.SetNamespace("default");
  return sample;
}

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

// The program, until the end of its scope.
class Operator {
 public:
  Operator(const keelson::Client& client, NetworkBackend& backend)
      : informers_(client), controller_(client, v1::Clientset(client), v1::Informers(informers_).Networks(), backend) {
    thread_ = keelson::Thread("operator", [this](const keelson::StopToken& stop) {
      informers_.Start(stop);
      const keelson::Result<void> end = controller_.Run(stop);
      EXPECT_TRUE(end) << end.error().message();
    });
  }
  const NetworkController& controller() const { return controller_; }

 private:
  keelson::InformerFactory informers_;
  NetworkController controller_;
  keelson::Thread thread_;  // declared last: ends first
};

// A minute of virtual time, in which everything comes to rest and the backend is looked at.
inline void Settle() { (void)keelson::SleepFor(std::chrono::minutes(1), {}); }

inline v1::Network NetworkOf(const std::string& name, const std::string& cidr, const std::string& gateway) {
  return {.metadata = {.name = name, .namespace_ = "default"}, .spec = {.cidr = cidr, .gateway = gateway}};
}

// Changes the addresses as a user would.
inline void Change(const keelson::Client& client, const std::string& name, const v1::NetworkSpec& spec) {
  const keelson::Result<v1::Network> changed = keelson::RetryOnConflict([&]() -> keelson::Result<v1::Network> {
    KEELSON_TRY(network, client.Get<v1::Network>({"default", name}));
    network.spec = spec;
    return client.Update(network);
  });
  EXPECT_TRUE(changed) << changed.error().message();
}

// "Ready=True Provided: 192.168.0.0/16 with gateway 192.168.0.1", of the present generation.
inline std::string ReadyOf(const keelson::Client& client, const std::string& name) {
  const v1::Network network = client.Get<v1::Network>({"default", name}).value();
  const keelson::metav1::Condition* ready = keelson::FindStatusCondition(network.status.conditions, "Ready");
  if (ready == nullptr) return "nothing is said";
  if (ready->observedGeneration != network.metadata.generation) return "it speaks of an older generation";
  return fmt::format("Ready={} {}: {}", ready->status, ready->reason, ready->message);
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

// "Warning Refused network-controller": the events of a Network, each once.
inline std::vector<std::string> EventsOf(const keelson::Client& client, const std::string& name) {
  std::vector<std::string> events;
  const auto list = client.List<keelson::corev1::Event>({.namespace_ = "default"}).value();
  for (const keelson::corev1::Event& event : list) {
    if (event.involvedObject.kind != "Network" || event.involvedObject.name != name) continue;
    events.push_back(fmt::format("{} {} {}", event.type, event.reason, event.source.component));
  }
  return events;
}

}  // namespace network
