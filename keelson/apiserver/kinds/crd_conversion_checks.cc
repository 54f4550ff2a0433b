// How a custom resource is converted between its versions: strategy and webhook.
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_webhook.h"
#include "keelson/apiserver/kinds/crd_checks.h"
#include "keelson/apiserver/kinds/name_set.h"

namespace keelson::apiserver {

namespace {

void CheckReviewVersions(const List<String>& versions, bool recognized, const Path& path, FieldErrors& errors) {
  if (versions.empty()) return errors.Required(path, "");
  NameSet seen;
  bool known = false;
  for (size_t i = 0; i < versions.size(); ++i) {
    const String& version = versions[i];
    if (!seen.Insert(version)) {
      errors.Invalid(path[i], Json(version), "duplicate version");
      continue;
    }
    if (!names::IsDns1035Label(version)) errors.InvalidForEach(path[i], version, names::CheckDns1035Label(version));
    known = known || IsReviewVersion(version);
  }
  if (recognized && !known) errors.Invalid(path, Shown(versions), "must include at least one of v1, v1beta1");
}

void CheckClient(const apiextensionsv1::WebhookClientConfig& client, bool valid_bundle, const Path& path,
                 FieldErrors& errors) {
  if (client.url.has_value() == client.service.has_value()) {
    errors.Required(path, "exactly one of url or service is required");
  } else if (client.url) {
    CheckWebhookUrl(*client.url, path / "url", errors);
  } else {
    const apiextensionsv1::ServiceReference& service = *client.service;
    CheckWebhookService(service.namespace_, service.name, service.port.value_or(0), service.path, path / "service",
                        errors);
  }
  if (client.caBundle.empty() || !valid_bundle) return;
  if (const std::string reason = WhyNoAuthority(client.caBundle.view()); !reason.empty()) {
    errors.Invalid(path / "caBundle", Shown(client.caBundle), reason);
  }
}

}  // namespace

bool IsReviewVersion(std::string_view version) { return version == "v1" || version == "v1beta1"; }

std::string WhyNoAuthority(std::string_view bundle) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(bundle.data(), static_cast<int>(bundle.size())),
                                                      &BIO_free);
  std::string problem = "unable to parse bytes as PEM block";
  for (;;) {
    char* name = nullptr;
    char* header = nullptr;
    unsigned char* data = nullptr;
    long length = 0;
    if (PEM_read_bio(bio.get(), &name, &header, &data, &length) != 1) break;
    problem = "no valid certificate authority data seen";
    const unsigned char* at = data;
    X509* certificate = nullptr;
    const bool is_certificate = std::string_view(name) == "CERTIFICATE" && *header == '\0';
    if (is_certificate) {
      certificate = d2i_X509(nullptr, &at, length);
      if (certificate == nullptr) problem = "failed to parse certificate: x509: malformed certificate";
    }
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_free(data);
    if (certificate != nullptr) {
      X509_free(certificate);
      ERR_clear_error();
      return {};
    }
    if (is_certificate) break;
  }
  ERR_clear_error();
  return "unable to load root certificates: " + problem;
}

void CheckConversion(const apiextensionsv1::CustomResourceConversion& conversion, const DefinitionOptions& options,
                     const Path& path, FieldErrors& errors) {
  const Path strategy = path / "strategy";
  if (conversion.strategy.empty()) {
    errors.Required(strategy, "");
  } else if (!IsOneOf(conversion.strategy, {"None", "Webhook"})) {
    errors.NotSupportedAsListed(strategy, Json(conversion.strategy), {"None", "Webhook"});
  }
  const apiextensionsv1::WebhookConversion& webhook = conversion.webhook.OrDefault();
  const Path client = path / "webhookClientConfig";
  const Path versions = path / "conversionReviewVersions";
  if (conversion.strategy == "Webhook") {
    if (!webhook.clientConfig) {
      errors.Required(client, "required when strategy is set to Webhook");
    } else {
      CheckClient(*webhook.clientConfig, options.valid_ca_bundle, client, errors);
    }
    CheckReviewVersions(webhook.conversionReviewVersions, options.recognized_review_version, versions, errors);
    return;
  }
  constexpr std::string_view kNotSet = "should not be set when strategy is not set to Webhook";
  if (webhook.clientConfig) errors.Forbidden(client, kNotSet);
  if (!webhook.conversionReviewVersions.empty()) errors.Forbidden(versions, kNotSet);
}

}  // namespace keelson::apiserver
