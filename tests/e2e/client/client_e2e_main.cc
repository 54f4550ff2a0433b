// Tries every feature of the client against a real API server, and says of each whether it holds.
//
//   client-e2e --folder DIR --user-kubeconfig FILE --repository DIR [AREA…]
//
// The administrator's kubeconfig comes from --kubeconfig or KUBECONFIG. Prints `PASS what` or `FAIL what` with the
// reason below it, as tests/e2e/run expects; exits with 1 if something failed. Leaves nothing in the cluster.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "feature.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/core/clock.h"

namespace keelson::e2e {
namespace {

constexpr Duration kFeatureTime = 60s;

// Takes `--name value` out of the arguments.
std::string TakeFlag(std::vector<std::string>& arguments, const std::string& name) {
  const auto found = std::find(arguments.begin(), arguments.end(), name);
  if (found == arguments.end() || found + 1 == arguments.end()) return {};
  std::string value = *(found + 1);
  arguments.erase(found, found + 2);
  return value;
}

bool Report(const std::string& what, const Result<void>& outcome) {
  if (outcome) {
    std::printf("PASS %s\n", what.c_str());
  } else {
    std::printf("FAIL %s\n     %s: %s\n", what.c_str(), std::string(ToString(outcome.error().code())).c_str(),
                outcome.error().message().c_str());
  }
  std::fflush(stdout);
  return outcome.has_value();
}

Cluster WithTime(Cluster cluster, const Client& client) {
  cluster.scope = {.deadline = Clock::Now() + kFeatureTime};
  cluster.admin = client.With(cluster.scope);
  cluster.client = cluster.admin.Scope(cluster.namespace_);
  return cluster;
}

Result<void> RemoveNamespace(const Cluster& cluster) {
  const ObjectKey key = {"", cluster.namespace_};
  KEELSON_RETURN_IF_ERROR(IgnoreNotFound(cluster.admin.Delete<corev1::Namespace>(key)));
  return Eventually("the end of " + cluster.namespace_, cluster.scope, [&]() -> Result<bool> {
    KEELSON_TRY(found, IgnoreNotFound(cluster.admin.Get<corev1::Namespace>(key)));
    return !found;
  });
}

Result<void> MakeNamespace(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(RemoveNamespace(cluster));  // what an interrupted run left
  KEELSON_RETURN_IF_ERROR(cluster.admin.Create(corev1::Namespace{.metadata = {.name = cluster.namespace_}}));
  // Without its service account no Pod can be made there.
  return Eventually("the service account of " + cluster.namespace_, cluster.scope, [&]() -> Result<bool> {
    KEELSON_TRY(found, IgnoreNotFound(cluster.client.Get<corev1::ServiceAccount>(cluster.Key("default"))));
    return found.has_value();
  });
}

int RunArea(const Area& area, Cluster cluster, const Client& client) {
  cluster.namespace_ = std::string("client-e2e-") + area.name;
  if (const Result<void> made = MakeNamespace(WithTime(cluster, client)); !made) {
    Report(cluster.namespace_ + " can be made", made);
    return 1;
  }
  int failed = 0;
  for (const Feature& feature : area.features) {
    const TimePoint start = Clock::Now();
    const Result<void> outcome = feature.run(WithTime(cluster, client));
    failed += Report(std::string(area.name) + ": " + feature.what, outcome) ? 0 : 1;
    if (const Duration took = Clock::Now() - start; took > 5s) {
      std::printf("     (took %lld s)\n",
                  static_cast<long long>(std::chrono::duration_cast<std::chrono::seconds>(took).count()));
    }
  }
  const Result<void> removed = RemoveNamespace(WithTime(cluster, client));
  if (!removed) failed += Report(cluster.namespace_ + " goes with all that is in it", removed) ? 0 : 1;
  return failed;
}

Result<int> Run(std::vector<std::string> arguments) {
  KEELSON_TRY(flags, TakeClientFlags(arguments));
  KEELSON_TRY(config, LoadClientConfig(flags));
  KEELSON_TRY(transport, MakeTransport(config));
  const Client client(transport);
  Cluster cluster = {.config = config,
                     .admin = client,
                     .client = client,
                     .namespace_ = {},
                     .scope = {},
                     .folder = TakeFlag(arguments, "--folder"),
                     .user_kubeconfig = TakeFlag(arguments, "--user-kubeconfig"),
                     .repository = TakeFlag(arguments, "--repository")};
  if (cluster.folder.empty() || cluster.user_kubeconfig.empty() || cluster.repository.empty()) {
    return Error::InvalidArgument("usage: client-e2e --folder DIR --user-kubeconfig FILE --repository DIR [AREA…]");
  }
  const std::vector<Area> areas = {
      CredentialFeatures(), ObjectFeatures(),   ConvenienceFeatures(), ListFeatures(), WatchFeatures(),
      PatchFeatures(),      DeletionFeatures(), SubresourceFeatures(), KindFeatures(), ConnectionFeatures()};
  int failed = 0;
  int ran = 0;
  for (const Area& area : areas) {
    if (!arguments.empty() && std::find(arguments.begin(), arguments.end(), area.name) == arguments.end()) continue;
    failed += RunArea(area, cluster, client);
    ++ran;
  }
  if (ran == 0) return Error::InvalidArgument("no area is called " + arguments[0]);
  return failed;
}

}  // namespace
}  // namespace keelson::e2e

int main(int argc, char** argv) {
  const keelson::Result<int> failed = keelson::e2e::Run(std::vector<std::string>(argv + 1, argv + argc));
  if (failed) return *failed == 0 ? 0 : 1;
  std::printf("FAIL client-e2e can run\n     %s\n", failed.error().message().c_str());
  return 1;
}
