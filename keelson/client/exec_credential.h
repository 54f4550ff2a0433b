// Credentials from a program: what kubeconfigs of cloud providers name under `exec`.
//
//   KEELSON_TRY(credentials, ExecCredentials::Create({.plugin = *config.exec, .use_certificate = …}));
//   AuthTransport transport(inner, {.credentials = std::move(credentials)});
//
// The program finds an ExecCredential of client.authentication.k8s.io/v1 or v1beta1 in KUBERNETES_EXEC_INFO and prints
// one with a token, a client certificate, or both. What it gave is kept until its expirationTimestamp or until the
// server refuses it. However many threads need it, the program runs once at a time, on a thread of its own: a request
// that cannot wait longer leaves without ending it for the others.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/clientauthentication/v1.h"
#include "keelson/client/config.h"
#include "keelson/client/credentials.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"
#include "keelson/transport/tls.h"

namespace keelson {

class RequestMetrics;

// One run of a plugin.
struct ExecPluginCall {
  std::string command = {};
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // KUBERNETES_EXEC_INFO last
  bool interactive = false;                                           // it may ask the user
  Duration timeout{};
};

struct ExecPluginOutput {
  int exit_code = 0;  // -1: ended by a signal
  std::string text = {};
};

struct ExecCredentialOptions {
  ExecPlugin plugin = {};
  clientauthenticationv1::Cluster cluster = {};  // told to plugins that ask by provideClusterInfo
  // From now on connections show this certificate; both empty: none any more.
  std::function<Result<void>(PemSource certificate, PemSource key)> use_certificate = {};
  Duration timeout = std::chrono::minutes(5);  // then it is killed; long, because a user may have to log in
  std::shared_ptr<const RequestMetrics> metrics = nullptr;
  // For tests; null: run the program, look at standard input.
  std::function<Result<ExecPluginOutput>(const ExecPluginCall& call, const StopToken& stop)> run = {};
  std::function<bool()> stdin_is_terminal = {};
};

class ExecCredentials final : public CredentialSource {
 public:
  // Runs nothing yet. Errors: an apiVersion or interactiveMode that is not known, no command.
  static Result<std::shared_ptr<ExecCredentials>> Create(ExecCredentialOptions options);
  // Kills a plugin that runs.
  ~ExecCredentials() override;

  Result<Credential> Get(const CallScope& scope) override;
  bool CanRenew() const override { return true; }
  std::optional<Credential> Renew(const Credential& refused, const CallScope& scope) override;

 private:
  // What a plugin gave.
  struct Grant {
    std::string token = {};
    std::string certificate = {};
    std::string key = {};
    std::optional<WallTime> expires = {};
  };

  explicit ExecCredentials(ExecCredentialOptions options);

  // With mutex_ held by `lock`: waits for a run of the plugin, which is started unless one is under way.
  Result<Credential> AwaitRefresh(MutexLock& lock, const CallScope& scope);
  void Refresh(const StopToken& stop);
  Result<Grant> RunPlugin(const StopToken& stop);
  Result<Grant> ReadGrant(const std::string& text) const;
  Error ExplainFailure(Error error) const;
  void CountCall(int exit_code, std::string_view status) const;

  const ExecCredentialOptions options_;
  const Logger log_{"client"};

  Mutex mutex_{"exec credentials"};
  CondVar finished_{"exec credentials"};
  // Guarded by mutex_.
  Credential credential_;  // generation 0: none yet
  std::optional<WallTime> expires_;
  std::string certificate_;  // in use, for comparison with the next
  bool refreshing_ = false;
  uint64_t refreshes_ = 0;      // ended so far
  std::optional<Error> error_;  // of the last one
  Thread refresher_;            // last: ends first
};

}  // namespace keelson
