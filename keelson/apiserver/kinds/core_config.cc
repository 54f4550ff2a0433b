// ConfigMap and Secret.
#include <fmt/format.h>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMaxBytes = 1024 * 1024;
constexpr std::string_view kImmutableOnceSet = "field is immutable when `immutable` is set";

template <class Value>
size_t CheckData(const Map<Value>& data, const Path& path, FieldErrors& errors) {
  size_t bytes = 0;
  for (const auto& [key, value] : data) {
    CheckConfigKey(key, path.Key(key), errors);
    bytes += value.size();
  }
  return bytes;
}

template <class T>
void CheckSealed(const T& object, const T& old, FieldErrors& errors) {
  if (!old.immutable.value_or(false)) return;
  if (!object.immutable.value_or(false)) errors.Forbidden(Path("immutable"), kImmutableOnceSet);
  if (!Equal(object.data, old.data)) errors.Forbidden(Path("data"), kImmutableOnceSet);
}

void ValidateConfigMap(const corev1::ConfigMap& config, FieldErrors& errors) {
  const Path data("data");
  size_t bytes = 0;
  for (const auto& [key, value] : config.data) {
    CheckConfigKey(key, data.Key(key), errors);
    if (config.binaryData.contains(key)) {
      errors.Invalid(data.Key(key), Json(key), "duplicate of key present in binaryData");
    }
    bytes += value.size();
  }
  bytes += CheckData(config.binaryData, Path("binaryData"), errors);
  if (bytes > kMaxBytes) errors.TooLong(Path("[]"), kMaxBytes);
}

void ValidateConfigMapUpdate(const corev1::ConfigMap& config, const corev1::ConfigMap& old, FieldErrors& errors) {
  CheckSealed(config, old, errors);
  if (old.immutable.value_or(false) && !Equal(config.binaryData, old.binaryData)) {
    errors.Forbidden(Path("binaryData"), kImmutableOnceSet);
  }
  ValidateConfigMap(config, errors);
}

void SetSecretDefaults(corev1::Secret& secret) {
  for (const auto& [key, value] : secret.stringData) secret.data.Set(key, Bytes(value.view()));
  secret.stringData.clear();
  if (secret.type.empty()) secret.type = "Opaque";
}

// Why a text is no JSON object, in the words of Go's decoder.
std::string WhyNoJsonObject(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "unexpected end of JSON input";
  Result<Json> tree = ParseJson(text);
  if (tree) {
    if (tree->is_object() || tree->is_null()) return {};
    return fmt::format("json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                       tree->is_number() ? "number" : ToString(tree->kind()));
  }
  const char start = text[first];
  if (std::string_view("{[\"-0123456789tfn").find(start) == std::string_view::npos) {
    return fmt::format("invalid character '{}' looking for beginning of value", start);
  }
  return "unexpected end of JSON input";
}

void CheckDockerConfig(const corev1::Secret& secret, std::string_view key, const Path& data, FieldErrors& errors) {
  const Bytes* config = secret.data.find(key);
  if (config == nullptr) return errors.Required(data.Key(key), "");
  if (const std::string why = WhyNoJsonObject(config->view()); !why.empty()) {
    errors.Invalid(data.Key(key), Json("<secret contents redacted>"), why);
  }
}

void ValidateSecret(const corev1::Secret& secret, FieldErrors& errors) {
  const Path data("data");
  if (CheckData(secret.data, data, errors) > kMaxBytes) errors.TooLong(data, kMaxBytes);
  const auto require = [&](std::string_view key) {
    if (!secret.data.contains(key)) errors.Required(data.Key(key), "");
  };
  if (secret.type == "Opaque") return;
  if (secret.type == "kubernetes.io/service-account-token") {
    constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
    const String* account = secret.metadata.annotations.find(kAccount);
    if (account != nullptr && !account->empty()) return;
    const Path metadata("metadata");
    const Path annotations = metadata / "annotations";
    errors.Required(annotations.Key(kAccount), "");
  } else if (secret.type == "kubernetes.io/dockercfg") {
    CheckDockerConfig(secret, ".dockercfg", data, errors);
  } else if (secret.type == "kubernetes.io/dockerconfigjson") {
    CheckDockerConfig(secret, ".dockerconfigjson", data, errors);
  } else if (secret.type == "kubernetes.io/basic-auth") {
    if (secret.data.contains("username") || secret.data.contains("password")) return;
    require("username");
    require("password");
  } else if (secret.type == "kubernetes.io/ssh-auth") {
    const Bytes* key = secret.data.find("ssh-privatekey");
    if (key == nullptr || key->empty()) errors.Required(data.Key("ssh-privatekey"), "");
  } else if (secret.type == "kubernetes.io/tls") {
    require("tls.crt");
    require("tls.key");
  }
}

void ValidateSecretUpdate(const corev1::Secret& secret, const corev1::Secret& old, FieldErrors& errors) {
  CheckImmutable(secret.type, old.type, Path("type"), errors);
  CheckSealed(secret, old, errors);
  ValidateSecret(secret, errors);
}

void WarnOfSecret(const corev1::Secret& secret, std::vector<std::string>& warnings) {
  if (secret.type != "kubernetes.io/tls") return;
  const auto has_pem = [&](std::string_view key) {
    const Bytes* text = secret.data.find(key);
    return text != nullptr && text->view().find("-----BEGIN ") != std::string_view::npos;
  };
  if (!has_pem("tls.crt")) {
    warnings.emplace_back("tls: failed to find any PEM data in certificate input");
  } else if (!has_pem("tls.key")) {
    warnings.emplace_back("tls: failed to find any PEM data in key input");
  }
}

}  // namespace

void AddConfigRules(RulesTable& table) {
  table.Add<corev1::ConfigMap>(
      {.validate = ValidateConfigMap, .validate_update = ValidateConfigMapUpdate, .generation = false});
  table.Add<corev1::Secret>({.set_defaults = SetSecretDefaults,
                             .validate = ValidateSecret,
                             .validate_update = ValidateSecretUpdate,
                             .warn = WarnOfSecret,
                             .selectable_fields = {"type"},
                             .read_fields = [](const corev1::Secret& secret,
                                               std::vector<std::string>& values) { values.push_back(secret.type); },
                             .generation = false});
}

}  // namespace keelson::apiserver
