#include "feature.h"

#include <fstream>

#include "keelson/api/authentication/v1.h"
#include "keelson/core/clock.h"

namespace keelson::e2e {

Result<Client> Cluster::Connect(const ClientConfig& other, ClientOptions options) const {
  KEELSON_TRY(transport, MakeTransport(other));
  return Client(std::move(transport), std::move(options)).With(scope);
}

std::string Unmet(std::string_view condition, std::string_view file, int line, std::string_view found) {
  return std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line) + ": expected " +
         std::string(condition) + ", found: " + std::string(found);
}

Result<void> Eventually(std::string_view what, const CallScope& scope, const std::function<Result<bool>()>& holds) {
  while (true) {
    KEELSON_TRY(held, holds());
    if (held) return {};
    if (Clock::Now() + 50ms > scope.deadline) {
      return Error(ErrorCode::kTimeout, std::string(what) + ": not within the feature's time");
    }
    SleepFor(50ms, scope.stop);
  }
}

Result<std::string> UserNameOf(const Client& client) {
  KEELSON_TRY(review, client.Create(authenticationv1::SelfSubjectReview{}));
  return review.status.userInfo.username.str();
}

Result<void> WriteFile(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? Result<void>() : Error::Internal("cannot write " + path);
}

appsv1::Deployment SampleDeployment(const std::string& name, int32_t replicas) {
  const Map<String> app = {{"app", name}};
  return {
      .metadata = {.name = name, .labels = app},
      .spec =
          {
              .replicas = replicas,
              .selector = {{.matchLabels = app}},
              .template_ = {.metadata = {.labels = app},
                            .spec = {.containers = {{.name = "app", .image = "example.invalid/app:1"}}}},
          },
  };
}

corev1::Pod SamplePod(const std::string& name) {
  return {.metadata = {.name = name, .labels = {{"app", name}}},
          .spec = {.containers = {{.name = "app", .image = "example.invalid/app:1"}}}};
}

}  // namespace keelson::e2e
