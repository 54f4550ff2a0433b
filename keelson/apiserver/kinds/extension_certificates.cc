// CertificateSigningRequest.
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <memory>

#include "keelson/api/certificates/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/name_set.h"

namespace keelson::apiserver {

namespace {

using Request = certificatesv1::CertificateSigningRequest;
using Condition = certificatesv1::CertificateSigningRequestCondition;

// The first PEM block of a text: its type and its bytes.
struct PemBlock {
  std::string type;
  std::string data;
};

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

bool NextPemBlock(BIO* bio, PemBlock& block) {
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long length = 0;
  if (PEM_read_bio(bio, &name, &header, &data, &length) != 1) {
    ERR_clear_error();
    return false;
  }
  block.type = name;
  block.data.assign(reinterpret_cast<const char*>(data), static_cast<size_t>(length));
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_free(data);
  return true;
}

Bio OpenText(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free);
}

// Why a text is no signed request; empty when it is one.
std::string WhyNoRequest(std::string_view text) {
  const Bio bio = OpenText(text);
  PemBlock block;
  if (!NextPemBlock(bio.get(), block) || block.type != "CERTIFICATE REQUEST") {
    return "PEM block type must be CERTIFICATE REQUEST";
  }
  const auto* at = reinterpret_cast<const unsigned char*>(block.data.data());
  const std::unique_ptr<X509_REQ, decltype(&X509_REQ_free)> request(
      d2i_X509_REQ(nullptr, &at, static_cast<long>(block.data.size())), &X509_REQ_free);
  std::string why;
  if (request == nullptr) {
    why = "asn1: structure error: tags don't match";
  } else if (EVP_PKEY* key = X509_REQ_get0_pubkey(request.get());
             key == nullptr || X509_REQ_verify(request.get(), key) != 1) {
    why = "x509: signature verification failed";
  }
  ERR_clear_error();
  return why;
}

std::string WhyNoCertificates(std::string_view text) {
  if (text.empty()) return {};
  const Bio bio = OpenText(text);
  PemBlock block;
  int blocks = 0;
  while (NextPemBlock(bio.get(), block)) {
    if (block.type != "CERTIFICATE") {
      return fmt::format("only CERTIFICATE PEM blocks are allowed, found \"{}\"", block.type);
    }
    ++blocks;
    const auto* at = reinterpret_cast<const unsigned char*>(block.data.data());
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        d2i_X509(nullptr, &at, static_cast<long>(block.data.size())), &X509_free);
    if (certificate == nullptr) {
      ERR_clear_error();
      return "x509: malformed certificate";
    }
  }
  return blocks == 0 ? "must contain at least one CERTIFICATE PEM block" : "";
}

Result<void> PrepareCreate(Request& request, WriteContext& context) {
  request.spec.username = context.user_name;
  request.spec.uid = context.user_uid;
  request.spec.groups.clear();
  for (const std::string& group : context.user_groups) request.spec.groups.push_back(group);
  request.spec.extra.clear();
  request.status = {};
  return {};
}

Result<void> PrepareUpdate(Request& request, const Request& old, WriteContext&) {
  request.spec = old.spec;
  request.status = old.status;
  return {};
}

// Conditions of that type stay as they were, unless their number changes.
void KeepConditions(Request& request, const Request& old, std::string_view type) {
  const auto indexes = [&](const Request& of) {
    std::vector<size_t> found;
    for (size_t i = 0; i < of.status.conditions.size(); ++i) {
      if (of.status.conditions[i].type == type) found.push_back(i);
    }
    return found;
  };
  const std::vector<size_t> before = indexes(old);
  const std::vector<size_t> now = indexes(request);
  if (before.size() != now.size()) return;
  for (size_t i = 0; i < now.size(); ++i) request.status.conditions[now[i]] = old.status.conditions[before[i]];
}

void StampConditions(Request& request, const Request& old, metav1::Time now) {
  for (size_t i = 0; i < request.status.conditions.size(); ++i) {
    const Condition given = std::as_const(request).status.conditions[i];
    if (given.lastUpdateTime.IsZero()) request.status.conditions[i].lastUpdateTime = now;
    if (!given.lastTransitionTime.IsZero()) continue;
    metav1::Time changed = now;
    for (const Condition& before : old.status.conditions) {
      if (before.type == given.type && before.status == given.status && !before.lastTransitionTime.IsZero()) {
        changed = before.lastTransitionTime;
        break;
      }
    }
    request.status.conditions[i].lastTransitionTime = changed;
  }
}

void CheckSignerName(const String& name, const Path& path, FieldErrors& errors) {
  if (name.empty()) return errors.Required(path, "");
  const size_t slash = name.view().find('/');
  if (slash == std::string_view::npos || name.view().find('/', slash + 1) != std::string_view::npos) {
    return errors.Invalid(path, Json(name),
                          "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  const std::string_view domain = name.view().substr(0, slash);
  const std::string_view rest = name.view().substr(slash + 1);
  if (domain.size() > names::kMaxSubdomainLength) errors.TooLong(path, names::kMaxSubdomainLength);
  const auto each_label = [&](std::string_view text, auto check) {
    for (std::string_view left = text;;) {
      const size_t point = left.find('.');
      const std::string_view label = left.substr(0, point);
      for (const std::string& reason : check(label)) {
        errors.Invalid(path, Json(text), fmt::format("validating label \"{}\": {}", label, reason));
      }
      if (point == std::string_view::npos) return;
      left.remove_prefix(point + 1);
    }
  };
  each_label(domain, names::CheckDns1123Label);
  if (domain.find('.') == std::string_view::npos) {
    errors.Invalid(path, Json(domain), "should be a domain with at least two segments separated by dots");
  }
  each_label(rest, names::CheckDns1123Subdomain);
}

void CheckRequestConditions(const Request& request, FieldErrors& errors) {
  const Path status("status");
  const Path path = status / "conditions";
  bool approved = false;
  bool denied = false;
  NameSet seen;
  for (size_t i = 0; i < request.status.conditions.size(); ++i) {
    const Condition& condition = request.status.conditions[i];
    const Path here = path[i];
    if (condition.type.empty()) errors.Required(here / "type", "");
    const bool true_only = IsOneOf(condition.type, {"Approved", "Denied", "Failed"});
    if (condition.status.empty()) {
      errors.Required(here / "status", "");
    } else if (true_only) {
      CheckOneOf(condition.status, {"True"}, here / "status", errors);
    } else {
      CheckOneOf(condition.status, {"False", "True", "Unknown"}, here / "status", errors);
    }
    approved = approved || condition.type == "Approved";
    denied = denied || condition.type == "Denied";
    if (approved && denied && IsOneOf(condition.type, {"Approved", "Denied"})) {
      errors.Invalid(path, Json(condition.type), "Approved and Denied conditions are mutually exclusive");
    }
    if (!seen.Insert(condition.type)) errors.Duplicate(here / "type", Json(condition.type));
  }
}

// What a certificate may be for.
constexpr auto kUsages = std::to_array<std::string_view>({"any",
                                                          "cert sign",
                                                          "client auth",
                                                          "code signing",
                                                          "content commitment",
                                                          "crl sign",
                                                          "data encipherment",
                                                          "decipher only",
                                                          "digital signature",
                                                          "email protection",
                                                          "encipher only",
                                                          "ipsec end system",
                                                          "ipsec tunnel",
                                                          "ipsec user",
                                                          "key agreement",
                                                          "key encipherment",
                                                          "microsoft sgc",
                                                          "netscape sgc",
                                                          "ocsp signing",
                                                          "s/mime",
                                                          "server auth",
                                                          "signing",
                                                          "timestamping"});

void CheckRequest(const Request& request, const Request* old, FieldErrors& errors) {
  const Path spec("spec");
  if (const std::string why = WhyNoRequest(request.spec.request.view()); !why.empty()) {
    errors.InvalidShown(spec / "request", InternalForm(request.spec.request), why);
  }
  const Path usages = spec / "usages";
  if (request.spec.usages.empty()) errors.Required(usages, "");
  for (size_t i = 0; i < request.spec.usages.size(); ++i) {
    if (std::find(kUsages.begin(), kUsages.end(), request.spec.usages[i].view()) == kUsages.end()) {
      errors.NotSupported(usages[i], Json(request.spec.usages[i]), kUsages);
    }
  }
  NameSet seen;
  for (size_t i = 0; i < request.spec.usages.size(); ++i) {
    if (!seen.Insert(request.spec.usages[i])) errors.Duplicate(usages[i], Json(request.spec.usages[i]));
  }
  const Path signer = spec / "signerName";
  if (request.spec.signerName == "kubernetes.io/legacy-unknown") {
    errors.Invalid(signer, Json(request.spec.signerName), "the legacy signerName is not allowed via this API version");
  } else {
    CheckSignerName(request.spec.signerName, signer, errors);
  }
  if (request.spec.expirationSeconds && *request.spec.expirationSeconds < 600) {
    errors.Invalid(spec / "expirationSeconds", Json(*request.spec.expirationSeconds),
                   "may not specify a duration less than 600 seconds (10 minutes)");
  }
  CheckRequestConditions(request, errors);
  if (old == nullptr || request.status.certificate != old->status.certificate) {
    if (const std::string why = WhyNoCertificates(request.status.certificate.view()); !why.empty()) {
      const Path status("status");
      errors.Invalid(status / "certificate", Json("<certificate data>"), why);
    }
  }
}

void Validate(const Request& request, FieldErrors& errors) { CheckRequest(request, nullptr, errors); }

void CheckChange(const Request& request, const Request& old, bool may_approve, bool may_issue, FieldErrors& errors) {
  CheckRequest(request, &old, errors);
  const Path status("status");
  const Path conditions = status / "conditions";
  const auto of_type = [](const Request& of, std::string_view type) {
    List<Condition> found;
    for (const Condition& one : of.status.conditions) {
      if (one.type == type) found.push_back(one);
    }
    return found;
  };
  for (const std::string_view type : {"Approved", "Denied", "Failed"}) {
    if (of_type(request, type).size() < of_type(old, type).size()) {
      errors.Forbidden(conditions, fmt::format("updates may not remove a condition of type \"{}\"", type));
    }
  }
  for (const std::string_view type : {"Approved", "Denied"}) {
    if (may_approve) break;
    const List<Condition> now = of_type(request, type);
    const List<Condition> before = of_type(old, type);
    if (now.size() > before.size()) {
      errors.Forbidden(conditions, fmt::format("updates may not add a condition of type \"{}\"", type));
    } else if (now.size() == before.size() && !Equal(now, before)) {
      errors.Forbidden(conditions, fmt::format("updates may not modify a condition of type \"{}\"\n{}", type,
                                               InternalDiff(before, now)));
    }
  }
  if (request.status.certificate == old.status.certificate) return;
  if (!may_issue) {
    errors.Forbidden(status / "certificate", "updates may not set certificate content");
  } else if (!old.status.certificate.empty()) {
    errors.Forbidden(status / "certificate", "updates may not modify existing certificate content");
  }
}

void ValidateUpdate(const Request& request, const Request& old, FieldErrors& errors) {
  CheckChange(request, old, false, false, errors);
}

// Of /status and /approval; the latter changes conditions only.
Result<void> PrepareStatus(Request& request, const Request& old, WriteContext& context) {
  request.spec = old.spec;
  if (context.subresource == "approval") {
    StampConditions(request, old, context.now);
    request.status.certificate = old.status.certificate;
    return {};
  }
  KeepConditions(request, old, "Approved");
  KeepConditions(request, old, "Denied");
  StampConditions(request, old, context.now);
  // Here and not in the checks, which do not know which of the two it is.
  FieldErrors errors;
  CheckChange(request, old, false, true, errors);
  if (errors.empty()) return {};
  return apierrors::Invalid({"certificates.k8s.io", "CertificateSigningRequest"}, request.metadata.name,
                            errors.causes());
}

void ValidateStatus(const Request& request, const Request& old, FieldErrors& errors) {
  CheckChange(request, old, true, true, errors);
}

}  // namespace

void AddCertificateRules(RulesTable& table) {
  table.Add<Request>(
      {.prepare_create = PrepareCreate,
       .prepare_update = PrepareUpdate,
       .prepare_status = PrepareStatus,
       .validate = Validate,
       .validate_update = ValidateUpdate,
       .validate_status = ValidateStatus,
       .selectable_fields = {"spec.signerName"},
       .read_fields = [](const Request& request,
                         std::vector<std::string>& values) { values.push_back(request.spec.signerName); },
       .name = NameRule::kPathSegment,
       .generation = false});
}

}  // namespace keelson::apiserver
