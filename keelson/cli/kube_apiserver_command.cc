// keelson under the name kube-apiserver
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>

#include "keelson/apiserver/serving_names.h"
#include "keelson/cli/drop_in.h"
#include "keelson/cli/input_files.h"
#include "keelson/cli/stop_signals.h"
#include "keelson/cli/token_file.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/log.h"
#include "keelson/transport/certificate_authority.h"

namespace keelson::cli {

namespace {

namespace fs = std::filesystem;

constexpr ForeignFlag kFlags[] = {
    {"bind-address", "ip", "Address to listen on (default 127.0.0.1)"},
    {"secure-port", "port", "Port to listen on, 0 for a free one (default 6443)"},
    {"cert-dir", "dir", "Has apiserver.crt and apiserver.key; they are made when they are not there"},
    {"tls-cert-file", "file", "Certificate to serve with, instead of the one in --cert-dir"},
    {"tls-private-key-file", "file", "Its key"},
    {"client-ca-file", "file", "Authorities that vouch for client certificates"},
    {"token-auth-file", "file", "Lines of token,user,uid[,\"group1,group2\"]"},
    {"authorization-mode", "modes", "AlwaysAllow lets everybody do everything; with all others system:masters may"},
    {"v", "level", "How much to log"},
    {"version", "", "Print the version and exit"},
    {"help", "", "Print this text and exit"},
    {"advertise-address", "ip"},
    {"allow-privileged"},
    {"anonymous-auth"},
    {"api-audiences", "strings"},
    {"disable-admission-plugins", "strings"},
    {"enable-admission-plugins", "strings"},
    {"enable-priority-and-fairness"},
    {"endpoint-reconciler-type", "string"},
    {"etcd-cafile", "file"},
    {"etcd-certfile", "file"},
    {"etcd-keyfile", "file"},
    {"etcd-prefix", "string"},
    {"etcd-servers", "urls"},
    {"event-ttl", "duration"},
    {"external-hostname", "string"},
    {"feature-gates", "map"},
    {"logging-format", "string"},
    {"max-mutating-requests-inflight", "int"},
    {"max-requests-inflight", "int"},
    {"min-request-timeout", "int"},
    {"profiling"},
    {"request-timeout", "duration"},
    {"runtime-config", "map"},
    {"service-account-extend-token-expiration"},
    {"service-account-issuer", "url"},
    {"service-account-jwks-uri", "url"},
    {"service-account-key-file", "file"},
    {"service-account-lookup"},
    {"service-account-max-token-expiration", "duration"},
    {"service-account-signing-key-file", "file"},
    {"service-cluster-ip-range", "cidrs"},
    {"service-node-port-range", "range"},
    {"shutdown-delay-duration", "duration"},
    {"storage-backend", "string"},
    {"storage-media-type", "string"},
    {"tls-cipher-suites", "strings"},
    {"tls-min-version", "string"},
    {"watch-cache"},
};

class AlwaysAllow final : public apiserver::Authorizer {
 public:
  apiserver::Decision Authorize(const apiserver::User&, const apiserver::RequestInfo&) const override {
    return {.allowed = true};
  }
};

bool HasMode(std::string_view modes, std::string_view mode) {
  while (true) {
    const size_t comma = modes.find(',');
    if (modes.substr(0, comma) == mode) return true;
    if (comma == std::string_view::npos) return false;
    modes.remove_prefix(comma + 1);
  }
}

template <class Number>
Result<Number> NumberOf(const ForeignFlags& flags, std::string_view name, Number otherwise) {
  const std::optional<std::string> text = flags.Get(name);
  if (!text) return otherwise;
  Number number = 0;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (problem != std::errc() || end != text->data() + text->size()) {
    return Error::InvalidArgument(fmt::format("--{} must be a number, not \"{}\"", name, *text));
  }
  return number;
}

Result<void> WriteFile(const fs::path& path, const std::string& text, fs::perms mode) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  std::error_code ignored;
  fs::permissions(path, mode, ignored);
  if (!(file << text << std::flush)) {
    return Error(ErrorCode::kUnavailable, fmt::format("cannot write '{}'; is --cert-dir right?", path.string()));
  }
  return {};
}

// Certificate and key to serve with. A folder without them gets new ones, whose issuer is in the certificate's file for
// clients to trust.
Result<TlsServerOptions> ServingCertificate(const ForeignFlags& flags, std::string_view address) {
  const std::optional<std::string> certificate = flags.Get("tls-cert-file");
  const std::optional<std::string> key = flags.Get("tls-private-key-file");
  if (certificate.has_value() != key.has_value()) {
    return Error::InvalidArgument("--tls-cert-file and --tls-private-key-file go together; one of them is missing");
  }
  TlsServerOptions tls;
  if (certificate) {
    tls.certificate.file = *certificate;
    tls.key.file = *key;
    return tls;
  }
  const fs::path folder = flags.Get("cert-dir").value_or("");
  if (!folder.empty()) {
    tls.certificate.file = folder / "apiserver.crt";
    tls.key.file = folder / "apiserver.key";
    if (fs::exists(tls.certificate.file) && fs::exists(tls.key.file)) return tls;
  }
  KEELSON_TRY(authority, CertificateAuthority::Make());
  KEELSON_TRY(made, authority.IssueServing("kube-apiserver", apiserver::ServingNames(address)));
  if (folder.empty()) {
    tls.certificate.text = made.certificate + authority.certificate();
    tls.key.text = made.key;
    return tls;
  }
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  KEELSON_RETURN_IF_ERROR(WriteFile(tls.key.file, made.key, fs::perms::owner_read | fs::perms::owner_write));
  KEELSON_RETURN_IF_ERROR(
      WriteFile(tls.certificate.file, made.certificate + authority.certificate(),
                fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read));
  return tls;
}

Result<ControlPlaneOptions> OptionsFrom(const ForeignFlags& flags) {
  ControlPlaneOptions options;
  ListenOptions listen;
  listen.address = flags.Get("bind-address").value_or(listen.address);
  KEELSON_TRY(port, NumberOf<uint16_t>(flags, "secure-port", 6443));
  listen.port = port;
  KEELSON_TRY(tls, ServingCertificate(flags, listen.address));
  tls.client_ca.file = flags.Get("client-ca-file").value_or("");
  listen.tls = std::move(tls);
  options.listen = std::move(listen);
  if (const std::optional<std::string> file = flags.Get("token-auth-file")) {
    KEELSON_TRY(text, ReadFile(*file));
    KEELSON_TRY(tokens, ParseTokenFile(text, *file));
    options.api_server.authentication.tokens = std::move(tokens);
  }
  if (HasMode(flags.Get("authorization-mode").value_or(""), "AlwaysAllow")) {
    options.api_server.authorizer = std::make_shared<AlwaysAllow>();
  }
  // What envtest starts has no controllers beside it either: its users make what they need themselves.
  options.api_server.tend_namespaces = false;
  return options;
}

Result<void> Serve(const ForeignFlags& flags) {
  KEELSON_TRY(verbosity, NumberOf<int>(flags, "v", 0));
  ConfigureLogging({.verbosity = verbosity});
  const Logger log("kube-apiserver");
  StopSignals signals;
  KEELSON_TRY(options, OptionsFrom(flags));
  KEELSON_TRY(control_plane, ControlPlane::Start(std::move(options)));
  log.Info("Serving securely", "url", control_plane->url());
  signals.Await();
  signals.Release();
  control_plane->Stop();
  return {};
}

}  // namespace

const DropIn kKubeApiserver = {
    .name = "kube-apiserver",
    .about =
        "A Kubernetes API server for tests: keelson in the place of kube-apiserver. Objects are in memory and new\n"
        "with each start; there is no etcd behind it.",
    .version = "Kubernetes v1.36.3",
    .flags = kFlags,
    .serve = Serve,
};

}  // namespace keelson::cli
