// What the end-to-end test of the client is made of: features, each a function that tries one against a real cluster.
//
//   Result<void> StaleUpdateIsAConflict(const Cluster& cluster) {
//     KEELSON_TRY(made, cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "stale"}}));
//     KEELSON_RETURN_IF_ERROR(cluster.client.Update(made));
//     const Error error = FailureOf(cluster.client.Update(made));
//     REQUIRE(IsConflict(error), error.message());
//     return {};
//   }
//
// A feature that returns an error has failed. Each area has a namespace of its own, so that names need be unique within
// a file only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/client/client.h"
#include "keelson/client/config.h"
#include "keelson/core/result.h"

namespace keelson::e2e {

using namespace std::chrono_literals;

// What a feature works with. All calls of the clients end by the feature's deadline.
struct Cluster {
  ClientConfig config;          // the administrator's
  Client admin;                 // of no namespace
  Client client;                // of the area's namespace
  std::string namespace_;       // of the area
  CallScope scope;              // of the feature, for clients that it makes itself
  std::string folder;           // for files, gone afterwards
  std::string user_kubeconfig;  // of a user with a certificate and no rights
  std::string repository;       // where examples/ lies

  ObjectKey Key(std::string name) const { return {namespace_, std::move(name)}; }
  // Another client, of another configuration, that ends with the feature as well.
  Result<Client> Connect(const ClientConfig& other, ClientOptions options = {}) const;
};

struct Feature {
  const char* what;  // a sentence: what holds
  Result<void> (*run)(const Cluster& cluster);
};

struct Area {
  const char* name;
  std::vector<Feature> features;
};

// One for each file of this folder.
Area CredentialFeatures();
Area ObjectFeatures();
Area ConvenienceFeatures();
Area ListFeatures();
Area WatchFeatures();
Area PatchFeatures();
Area DeletionFeatures();
Area SubresourceFeatures();
Area KindFeatures();
Area ConnectionFeatures();

// Ends the feature with what was expected and what was found instead.
#define REQUIRE(condition, found) \
  if (!(condition)) return Error::Internal(::keelson::e2e::Unmet(#condition, __FILE__, __LINE__, found))

std::string Unmet(std::string_view condition, std::string_view file, int line, std::string_view found);
inline std::string Unmet(std::string_view condition, std::string_view file, int line, int64_t found) {
  return Unmet(condition, file, line, std::to_string(found));
}

// The error of something that must fail.
template <class T>
Error FailureOf(const Result<T>& result) {
  return result ? Error::Internal("it succeeded") : result.error();
}

// Asks until it holds, as long as the scope lets it. An error of `holds` ends it.
Result<void> Eventually(std::string_view what, const CallScope& scope, const std::function<Result<bool>()>& holds);

// Who the server thinks that the client is.
Result<std::string> UserNameOf(const Client& client);

Result<void> WriteFile(const std::string& path, std::string_view text);

// A Deployment and a Pod that the server accepts and nobody runs.
appsv1::Deployment SampleDeployment(const std::string& name, int32_t replicas);
corev1::Pod SamplePod(const std::string& name);

}  // namespace keelson::e2e
