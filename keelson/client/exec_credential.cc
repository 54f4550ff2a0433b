#include "keelson/client/exec_credential.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "keelson/api/clientauthentication/v1beta1.h"
#include "keelson/client/internal/subprocess.h"
#include "keelson/client/request_metrics.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/clock.h"

namespace keelson {

namespace {

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1beta1 = "client.authentication.k8s.io/v1beta1";

// KUBERNETES_EXEC_INFO in the version of that ExecCredential.
template <class ExecCredential, class Cluster>
std::string ExecInfo(const ExecCredentialOptions& options, bool interactive) {
  ExecCredential credential;
  credential.spec.interactive = interactive;
  if (options.plugin.config.provideClusterInfo) {
    const clientauthenticationv1::Cluster& cluster = options.cluster;
    credential.spec.cluster = Cluster{.server = cluster.server,
                                      .tlsServerName = cluster.tlsServerName,
                                      .insecureSkipTlsVerify = cluster.insecureSkipTlsVerify,
                                      .certificateAuthorityData = cluster.certificateAuthorityData,
                                      .proxyUrl = cluster.proxyUrl,
                                      .disableCompression = cluster.disableCompression,
                                      .config = options.plugin.cluster_config};
  }
  return ToJson(credential);
}

// Text from a kubeconfig that is shown on a terminal: control characters other than white space become visible.
std::string Harmless(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && (byte < '\t' || byte > '\r')) || byte == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof(code), "U+%04X", byte);
      out += code;
    } else {
      out += c;
    }
  }
  return out;
}

Result<ExecPluginOutput> RunProgram(const ExecPluginCall& call, const StopToken& stop) {
  KEELSON_TRY(ended, internal::RunSubprocess({.command = call.command,
                                              .arguments = call.arguments,
                                              .environment = call.environment,
                                              .share_stdin = call.interactive,
                                              .timeout = call.timeout},
                                             stop));
  return ExecPluginOutput{.exit_code = ended.exit_code, .text = std::move(ended.output)};
}

}  // namespace

Result<std::shared_ptr<ExecCredentials>> ExecCredentials::Create(ExecCredentialOptions options) {
  const clientcmdv1::ExecConfig& config = options.plugin.config;
  if (config.command.empty()) return Error::InvalidArgument("the exec plugin of the kubeconfig names no command");
  if (config.apiVersion != kV1 && config.apiVersion != kV1beta1) {
    return Error::InvalidArgument("exec plugin " + config.command.str() + " has apiVersion \"" +
                                  config.apiVersion.str() + "\": expected " + std::string(kV1) + " or " +
                                  std::string(kV1beta1));
  }
  if (config.interactiveMode.empty() && config.apiVersion == kV1beta1) {
    options.plugin.config.interactiveMode = "IfAvailable";
  }
  const String mode = options.plugin.config.interactiveMode;
  if (mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    return Error::InvalidArgument("exec plugin " + config.command.str() + " has interactiveMode \"" + mode.str() +
                                  "\": expected Never, IfAvailable or Always");
  }
  if (!options.run) options.run = RunProgram;
  if (!options.stdin_is_terminal) options.stdin_is_terminal = [] { return ::isatty(STDIN_FILENO) == 1; };
  return std::shared_ptr<ExecCredentials>(new ExecCredentials(std::move(options)));
}

ExecCredentials::ExecCredentials(ExecCredentialOptions options) : options_(std::move(options)) {}
ExecCredentials::~ExecCredentials() = default;

Result<Credential> ExecCredentials::Get(const CallScope& scope) {
  MutexLock lock(mutex_);
  const bool expired = expires_ && Clock::WallNow() > *expires_;
  if (credential_.generation != 0 && !expired) return credential_;
  return AwaitRefresh(lock, scope);
}

std::optional<Credential> ExecCredentials::Renew(const Credential& refused, const CallScope& scope) {
  MutexLock lock(mutex_);
  if (credential_.generation != refused.generation) return credential_;
  Result<Credential> renewed = AwaitRefresh(lock, scope);
  if (!renewed) {
    log_.Error(renewed.error(), "No new credentials in place of those that the server refused");
    return std::nullopt;
  }
  if (renewed->generation == refused.generation) return std::nullopt;
  return *renewed;
}

Result<Credential> ExecCredentials::AwaitRefresh(MutexLock& lock, const CallScope& scope) {
  if (!refreshing_) {
    refreshing_ = true;
    // The thread before has given up the mutex for good, so this assignment joins it at once; the new one needs the
    // mutex before it can end, so it is in its place by then.
    refresher_ = Thread("exec-credentials", [this](const StopToken& stop) { Refresh(stop); });
  }
  const uint64_t before = refreshes_;
  switch (finished_.WaitUntil(lock, scope.deadline, scope.stop, [&] { return refreshes_ != before; })) {
    case Wake::kReady: break;
    case Wake::kTimeout:
      return Error(ErrorCode::kTimeout, "exec plugin " + options_.plugin.config.command.str() +
                                            " gave no credentials within the request's deadline");
    case Wake::kStopped:
      return Error::Cancelled("the request was cancelled while exec plugin " + options_.plugin.config.command.str() +
                              " ran");
  }
  if (error_) return *error_;
  return credential_;
}

void ExecCredentials::Refresh(const StopToken& stop) {
  Result<Grant> grant = RunPlugin(stop);
  std::string authorization;
  if (grant && !grant->token.empty()) {
    Result<std::string> header = BearerHeader(grant->token);
    if (header) {
      authorization = std::move(*header);
    } else {
      grant = ExplainFailure(std::move(header).error());
    }
  }
  std::string certificate = grant ? grant->certificate + grant->key : std::string();
  bool certificate_changed = false;
  if (grant) {
    MutexLock lock(mutex_);
    certificate_changed = certificate != certificate_;
  }
  if (certificate_changed) {
    // Before anybody sees the new credential: its requests need the new certificate.
    Result<void> used = Error::Unsupported("it gave a client certificate, which this transport cannot use");
    if (options_.use_certificate) {
      used = options_.use_certificate({.text = std::move(grant->certificate)}, {.text = std::move(grant->key)});
    }
    if (!used) grant = ExplainFailure(std::move(used).error());
  }

  const MutexLock lock(mutex_);
  if (grant) {
    if (credential_.generation == 0 || certificate_changed || authorization != credential_.authorization) {
      credential_ = {.authorization = std::move(authorization), .generation = credential_.generation + 1};
    }
    expires_ = grant->expires;
    certificate_ = std::move(certificate);
    error_.reset();
  } else {
    error_ = std::move(grant).error();
  }
  refreshing_ = false;
  ++refreshes_;
  finished_.NotifyAll();
}

Result<ExecCredentials::Grant> ExecCredentials::RunPlugin(const StopToken& stop) {
  const clientcmdv1::ExecConfig& config = options_.plugin.config;
  bool interactive = false;
  if (config.interactiveMode != "Never") {
    interactive = options_.stdin_is_terminal();
    if (!interactive && config.interactiveMode == "Always") {
      CountCall(1, "client_internal_error");
      return ExplainFailure(Error::Unsupported("its interactiveMode is Always, and standard input is not a terminal"));
    }
  }

  ExecPluginCall call{.command = config.command.str(), .interactive = interactive, .timeout = options_.timeout};
  for (const String& argument : config.args) call.arguments.push_back(argument.str());
  for (const clientcmdv1::ExecEnvVar& variable : config.env) {
    call.environment.emplace_back(variable.name.str(), variable.value.str());
  }
  call.environment.emplace_back(
      "KUBERNETES_EXEC_INFO",
      config.apiVersion == kV1
          ? ExecInfo<clientauthenticationv1::ExecCredential, clientauthenticationv1::Cluster>(options_, interactive)
          : ExecInfo<clientauthenticationv1beta1::ExecCredential, clientauthenticationv1beta1::Cluster>(options_,
                                                                                                        interactive));

  Result<ExecPluginOutput> output = options_.run(call, stop);
  if (!output) {
    const bool missing = output.error().code() == ErrorCode::kNotFound;
    CountCall(1, missing ? "plugin_not_found_error" : "client_internal_error");
    return ExplainFailure(std::move(output).error());
  }
  if (output->exit_code != 0) {
    CountCall(output->exit_code, "plugin_execution_error");
    return ExplainFailure(Error(ErrorCode::kUnauthorized, output->exit_code < 0
                                                              ? std::string("it was ended by a signal")
                                                              : "it failed with exit code " +
                                                                    std::to_string(output->exit_code) +
                                                                    "; what it wrote to standard error may say why"));
  }
  CountCall(0, "no_error");
  return ReadGrant(output->text).transform_error([&](Error error) { return ExplainFailure(std::move(error)); });
}

// Messages of this name fields and never show their content.
Result<ExecCredentials::Grant> ExecCredentials::ReadGrant(const std::string& text) const {
  const String& version = options_.plugin.config.apiVersion;
  const Result<Json> document = ParseJson(text);
  if (!document) return Error::InvalidArgument("it printed something that is not JSON: expected an ExecCredential");
  const auto text_of = [&](std::string_view name) {
    const Json* value = document->find(name);
    return value != nullptr && value->is_string() ? value->string().str() : std::string();
  };
  if (text_of("kind") != "ExecCredential" || text_of("apiVersion") != version.view()) {
    return Error::InvalidArgument("it printed an object of kind \"" + text_of("kind") + "\" and apiVersion \"" +
                                  text_of("apiVersion") + "\": expected ExecCredential of " + version.str());
  }
  const Json* status = document->find("status");
  if (status == nullptr || status->is_null()) {
    return Error::InvalidArgument("it printed an ExecCredential without a status");
  }
  // Both versions have the same status.
  const Result<clientauthenticationv1::ExecCredentialStatus> read =
      FromJson<clientauthenticationv1::ExecCredentialStatus>(ToJson(*status));
  if (!read) {
    return Error::InvalidArgument("it printed an ExecCredential whose status has fields of a wrong type or form");
  }

  Grant grant{
      .token = read->token.str(), .certificate = read->clientCertificateData.str(), .key = read->clientKeyData.str()};
  if (grant.token.empty() && grant.certificate.empty() && grant.key.empty()) {
    return Error::InvalidArgument("it gave neither a token nor a client certificate with its key");
  }
  if (grant.certificate.empty() != grant.key.empty()) {
    return Error::InvalidArgument("it gave only one of clientCertificateData and clientKeyData: expected both");
  }
  if (read->expirationTimestamp) grant.expires = WallTime(read->expirationTimestamp->ToTimePoint());
  return grant;
}

Error ExecCredentials::ExplainFailure(Error error) const {
  const clientcmdv1::ExecConfig& config = options_.plugin.config;
  const bool missing = error.code() == ErrorCode::kNotFound;
  std::string message = "exec plugin " + config.command.str() + ": " + error.message();
  if (missing) {
    message += "; this cluster's kubeconfig takes its credentials from that program, which must be installed";
    if (!config.installHint.empty()) message += "\n\n" + Harmless(config.installHint);
  }
  // Not kNotFound or kInvalidArgument: that would say something of the request.
  const bool passed_on = error.code() == ErrorCode::kTimeout || error.code() == ErrorCode::kCancelled;
  return Error(passed_on ? error.code() : ErrorCode::kUnauthorized, std::move(message));
}

void ExecCredentials::CountCall(int exit_code, std::string_view status) const {
  if (options_.metrics != nullptr) options_.metrics->CountExecPluginCall(exit_code, status);
}

}  // namespace keelson
