#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/pod_checks.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

void CheckEnvName(std::string_view name, const Path& path, FieldErrors& errors) {
  if (std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~' && c != '='; })) return;
  errors.Invalid(path, Json(name),
                 "a valid environment variable name must consist only of printable ASCII characters other than '='");
}

// A name that may still be continued: a dash at its end is fine.
void CheckNamePrefix(const String& name, const Path& path, FieldErrors& errors) {
  if (name.empty()) return errors.Required(path, "");
  if (names::IsDns1123Subdomain(name)) return;
  std::string continued = name;
  if (continued.ends_with('-')) continued.back() = 'a';
  errors.InvalidForEach(path, name, names::CheckDns1123Subdomain(continued));
}

// A ConfigMapKeySelector or a SecretKeySelector.
template <class Selector>
void CheckKeyRef(const Selector& selector, const Path& path, FieldErrors& errors) {
  CheckDnsSubdomain(selector.name, path / "name", errors);
  if (selector.key.empty()) {
    errors.Required(path / "key", "");
  } else {
    CheckConfigKey(selector.key, path / "key", errors);
  }
}

void CheckFileKeyRef(const corev1::FileKeySelector& selector, const Path& path, FieldErrors& errors) {
  if (selector.key.empty()) {
    errors.Required(path / "key", "");
  } else {
    CheckEnvName(selector.key, path / "key", errors);
  }
  if (selector.volumeName.empty()) {
    errors.Required(path / "volumeName", "");
  } else {
    CheckDnsLabel(selector.volumeName, path / "volumeName", errors);
  }
  if (selector.path.empty()) {
    errors.Required(path / "path", "");
  } else {
    CheckNoBackstep(selector.path, path / "path", errors);
  }
}

void CheckValueFrom(const corev1::EnvVar& variable, const Path& path, FieldErrors& errors) {
  const corev1::EnvVarSource& source = *variable.valueFrom;
  int count = 0;
  if (source.fieldRef) {
    ++count;
    CheckFieldRef(*source.fieldRef, FieldRefPlace::kEnv, path / "fieldRef", errors);
  }
  if (source.resourceFieldRef) {
    ++count;
    CheckResourceFieldRef(*source.resourceFieldRef, FieldRefPlace::kEnv, path / "resourceFieldRef", errors);
  }
  if (source.configMapKeyRef) {
    ++count;
    CheckKeyRef(*source.configMapKeyRef, path / "configMapKeyRef", errors);
  }
  if (source.secretKeyRef) {
    ++count;
    CheckKeyRef(*source.secretKeyRef, path / "secretKeyRef", errors);
  }
  if (source.fileKeyRef) {
    ++count;
    CheckFileKeyRef(*source.fileKeyRef, path / "fileKeyRef", errors);
  }
  if (count == 0) {
    errors.Invalid(path, Json(""),
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
                   "`fileKeyRef`");
  } else if (!variable.value.empty()) {
    errors.Invalid(path, Json(""), "may not be specified when `value` is not empty");
  } else if (count > 1) {
    errors.Invalid(path, Json(""), "may not have more than one field specified at a time");
  }
}

bool IsSizeDivisor(std::string_view text) {
  return IsOneOf(text, {"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"});
}

bool IsHugePageField(std::string_view resource) {
  return resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
}

void CheckDivisor(const corev1::ResourceFieldSelector& selector, const Path& path, FieldErrors& errors) {
  if (selector.divisor.IsZero()) return;
  char buffer[Quantity::kMaxTextLength];
  const std::string_view divisor(buffer, selector.divisor.Print(buffer));
  const std::string_view resource = selector.resource;
  std::string_view kind;
  if (resource == "limits.cpu" || resource == "requests.cpu") {
    if (divisor == "1m" || divisor == "1") return;
    return errors.Invalid(path, Json(resource), "only divisor's values 1m and 1 are supported with the cpu resource");
  }
  if (resource == "limits.memory" || resource == "requests.memory") kind = "memory";
  if (resource == "limits.ephemeral-storage" || resource == "requests.ephemeral-storage") {
    kind = "local ephemeral storage";
  }
  if (IsHugePageField(resource)) kind = "hugepages";
  if (kind.empty() || IsSizeDivisor(divisor)) return;
  errors.Invalid(path, Json(resource),
                 fmt::format("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are "
                             "supported with the {} resource",
                             kind));
}

}  // namespace

void CheckEnv(const List<corev1::EnvVar>& variables, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < variables.size(); ++i) {
    const corev1::EnvVar& variable = variables[i];
    const Path at = path[i];
    if (variable.name.empty()) {
      errors.Required(at / "name", "");
    } else {
      CheckEnvName(variable.name, at / "name", errors);
    }
    if (variable.valueFrom) CheckValueFrom(variable, at / "valueFrom", errors);
  }
}

void CheckEnvFrom(const List<corev1::EnvFromSource>& sources, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < sources.size(); ++i) {
    const corev1::EnvFromSource& source = sources[i];
    const Path at = path[i];
    const Path config_map = at / "configMapRef";
    const Path secret = at / "secretRef";
    CheckEnvName(source.prefix, at / "prefix", errors);
    if (source.configMapRef) CheckNamePrefix(source.configMapRef->name, config_map / "name", errors);
    if (source.secretRef) CheckNamePrefix(source.secretRef->name, secret / "name", errors);
    if (!source.configMapRef && !source.secretRef) {
      errors.Invalid(path, Json(""), "must specify one of: `configMapRef` or `secretRef`");
    } else if (source.configMapRef && source.secretRef) {
      errors.Invalid(path, Json(""), "may not have more than one field specified at a time");
    }
  }
}

void CheckFieldRef(const corev1::ObjectFieldSelector& selector, FieldRefPlace place, const Path& path,
                   FieldErrors& errors) {
  const Path field_path = path / "fieldPath";
  const std::string_view field = selector.fieldPath;
  if (selector.apiVersion.empty()) return errors.Required(path / "apiVersion", "");
  if (field.empty()) return errors.Required(field_path, "");
  if (selector.apiVersion != "v1") {
    return errors.Invalid(
        field_path, Json(field),
        fmt::format("error converting fieldPath: unsupported pod version: {}", selector.apiVersion.view()));
  }

  // metadata.labels['key']
  const size_t bracket = field.find("['");
  if (field.ends_with("']") && bracket != std::string_view::npos && bracket > 0 && bracket + 2 <= field.size() - 2) {
    const std::string_view map = field.substr(0, bracket);
    const std::string_view key = field.substr(bracket + 2, field.size() - bracket - 4);
    if (map == "metadata.annotations") {
      CheckQualifiedName(AsciiLower(key), path, errors);
    } else if (map == "metadata.labels") {
      CheckQualifiedName(key, path, errors);
    } else {
      errors.Invalid(field_path, Json(field),
                     fmt::format("error converting fieldPath: field label does not support subscript: {}", field));
    }
    return;
  }
  if (!IsOneOf(field,
               {"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid",
                "spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName", "spec.schedulerName", "status.phase",
                "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs", "spec.host"})) {
    return errors.Invalid(field_path, Json(field),
                          fmt::format("error converting fieldPath: field label not supported: {}", field));
  }
  const std::string_view known = field == "spec.host" ? "spec.nodeName" : field;
  if (place == FieldRefPlace::kEnv) {
    CheckOneOf(known,
               {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
                "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"},
               field_path, errors);
  } else {
    CheckOneOf(known,
               {"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"},
               field_path, errors);
  }
}

void CheckResourceFieldRef(const corev1::ResourceFieldSelector& selector, FieldRefPlace place, const Path& path,
                           FieldErrors& errors) {
  if (place == FieldRefPlace::kVolume && selector.containerName.empty()) {
    errors.Required(path / "containerName", "");
  } else if (selector.resource.empty()) {
    errors.Required(path / "resource", "");
  } else if (!IsHugePageField(selector.resource)) {
    CheckOneOf(selector.resource,
               {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage",
                "requests.memory"},
               path / "resource", errors);
  }
  CheckDivisor(selector, path / "divisor", errors);
}

}  // namespace keelson::apiserver
