#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/apiserver/kinds/pod_checks.h"

namespace keelson::apiserver {

namespace {

constexpr int64_t kMaxId = 2147483647;
constexpr size_t kMaxProfileName = 4095;
constexpr size_t kMaxSysctlName = 253;
constexpr size_t kMaxCredentialSpecKib = 64;
constexpr size_t kMaxWindowsDomain = 256;
constexpr size_t kMaxWindowsUser = 104;
constexpr std::string_view kNotOnWindows = "cannot be set for a windows pod";

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

void CheckSeccompProfile(const Optional<corev1::SeccompProfile>& profile, const Path& path, FieldErrors& errors) {
  if (!profile) return;
  const Path type = path / "type";
  const Path name = path / "localhostProfile";
  if (profile->type.empty()) {
    errors.Required(type, "type is required when seccompProfile is set");
  } else if (!IsOneOf(profile->type, {"Localhost", "RuntimeDefault", "Unconfined"})) {
    errors.NotSupportedAsListed(type, Json(profile->type), {"Localhost", "RuntimeDefault", "Unconfined"});
  }
  if (profile->type == "Localhost") {
    if (!profile->localhostProfile) {
      errors.Required(name, "must be set when seccomp type is Localhost");
    } else {
      CheckDescendingPath(*profile->localhostProfile, name, errors);
    }
  } else if (profile->localhostProfile) {
    errors.InvalidShown(name, InternalForm(*profile), "can only be set when seccomp type is Localhost");
  }
}

bool IsNetBiosName(std::string_view domain) {
  constexpr std::string_view kRefused = "\\/:*?\"<>|";
  return !domain.empty() && domain.size() <= 15 && domain[0] != '.' &&
         domain.find_first_of(kRefused) == std::string_view::npos;
}

bool IsWindowsDnsName(std::string_view domain) {
  while (true) {
    const size_t dot = domain.find('.');
    const std::string_view label = domain.substr(0, dot);
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return IsAlphanumeric(c) || c == '-'; })) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

void CheckWindowsUserName(std::string_view name, const Path& path, FieldErrors& errors) {
  const auto invalid = [&](std::string_view detail) { errors.Invalid(path, Json(name), detail); };
  if (name.empty()) return invalid("runAsUserName cannot be an empty string");
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; })) {
    return invalid("runAsUserName cannot contain control characters");
  }
  if (std::count(name.begin(), name.end(), '\\') > 1) {
    return invalid("runAsUserName cannot contain more than one backslash");
  }
  const size_t backslash = name.find('\\');
  const bool has_domain = backslash != std::string_view::npos;
  const std::string_view domain = has_domain ? name.substr(0, backslash) : std::string_view();
  const std::string_view user = has_domain ? name.substr(backslash + 1) : name;
  if (domain.size() >= kMaxWindowsDomain) {
    invalid(fmt::format("runAsUserName's Domain length must be under {} characters", kMaxWindowsDomain));
  }
  if (has_domain && !IsNetBiosName(domain) && !IsWindowsDnsName(domain)) {
    invalid("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user.empty()) {
    invalid("runAsUserName's User cannot be empty");
  } else if (user.size() > kMaxWindowsUser) {
    invalid(fmt::format("runAsUserName's User length must not be longer than {} characters", kMaxWindowsUser));
  }
  if (!user.empty() && user.find_first_not_of(". ") == std::string_view::npos) {
    invalid("runAsUserName's User cannot contain only periods or spaces");
  }
  if (user.find_first_of("\"/\\:;|=,+*?<>@[]") != std::string_view::npos) {
    invalid("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
}

void CheckWindowsOptions(const Optional<corev1::WindowsSecurityContextOptions>& options, const Path& path,
                         FieldErrors& errors) {
  if (!options) return;
  if (options->gmsaCredentialSpecName) {
    CheckDnsSubdomain(*options->gmsaCredentialSpecName, path / "gmsaCredentialSpecName", errors);
  }
  if (options->gmsaCredentialSpec) {
    const String& spec = *options->gmsaCredentialSpec;
    const Path at = path / "gmsaCredentialSpec";
    if (spec.empty()) {
      errors.Invalid(at, Json(spec), "gmsaCredentialSpec cannot be an empty string");
    } else if (spec.size() > kMaxCredentialSpecKib * 1024) {
      errors.Invalid(at, Json(spec),
                     fmt::format("gmsaCredentialSpec size must be under {} KiB", kMaxCredentialSpecKib));
    }
  }
  if (options->runAsUserName) CheckWindowsUserName(*options->runAsUserName, path / "runAsUserName", errors);
}

// "net.ipv4.ip_forward", also with slashes.
bool IsSysctlName(std::string_view name) {
  if (name.size() > kMaxSysctlName) return false;
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  while (true) {
    const size_t end = name.find_first_of("./");
    const std::string_view part = name.substr(0, end);
    if (part.empty() || !plain(part.front()) || !plain(part.back())) return false;
    if (!std::all_of(part.begin(), part.end(), [&](char c) { return plain(c) || c == '-' || c == '_'; })) return false;
    if (end == std::string_view::npos) return true;
    name.remove_prefix(end + 1);
  }
}

bool IsNetworkSysctl(std::string_view name) { return name.starts_with("net.") || name.starts_with("net/"); }
bool IsIpcSysctl(std::string_view name) {
  return IsOneOf(name, {"kernel.sem", "kernel/sem"}) || name.starts_with("kernel.shm") ||
         name.starts_with("kernel/shm") || name.starts_with("kernel.msg") || name.starts_with("kernel/msg") ||
         name.starts_with("fs.mqueue.") || name.starts_with("fs/mqueue/");
}

// A sysctl of a namespace that the pod shares with its host.
bool IsHostSysctl(const corev1::PodSpec& spec, std::string_view name) {
  return (spec.hostNetwork && IsNetworkSysctl(name)) || (spec.hostIPC && IsIpcSysctl(name));
}

bool HasHostSysctl(const corev1::PodSpec* spec) {
  if (spec == nullptr || !spec->securityContext) return false;
  const List<corev1::Sysctl>& sysctls = spec->securityContext->sysctls;
  return std::any_of(sysctls.begin(), sysctls.end(),
                     [spec](const corev1::Sysctl& sysctl) { return IsHostSysctl(*spec, sysctl.name); });
}

void CheckSysctls(const corev1::PodSpec& spec, const List<corev1::Sysctl>& sysctls, const Path& path,
                  FieldErrors& errors, const PodCheckOptions& options) {
  if (sysctls.empty()) return;
  const bool host_allowed = HasHostSysctl(options.old);
  NameSet names;
  for (size_t i = 0; i < sysctls.size(); ++i) {
    const std::string_view name = sysctls[i].name;
    const Path at = path[i];
    const Path where = at / "name";
    if (name.empty()) {
      errors.Required(where, "");
    } else if (!IsSysctlName(name)) {
      errors.Invalid(where, Json(name),
                     fmt::format("must have at most {} characters and match regex "
                                 "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
                                 kMaxSysctlName));
    } else if (names.Has(name)) {
      errors.Duplicate(where, Json(name));
    }
    if (!host_allowed && spec.hostNetwork && IsNetworkSysctl(name)) {
      errors.Invalid(where, Json(name), "may not be specified when 'hostNetwork' is true");
    } else if (!host_allowed && spec.hostIPC && IsIpcSysctl(name)) {
      errors.Invalid(where, Json(name), "may not be specified when 'hostIPC' is true");
    }
    names.Insert(name);
  }
}

void ForbidLinuxFields(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors) {
  const Path context_path = path / "securityContext";
  const corev1::PodSecurityContext& context = spec.securityContext.OrDefault();
  const auto forbid = [&](bool set, const Path& where, std::string_view name) {
    if (set) errors.Forbidden(where / name, kNotOnWindows);
  };
  forbid(context.appArmorProfile.has_value(), context_path, "appArmorProfile");
  forbid(context.seLinuxOptions.has_value(), context_path, "seLinuxOptions");
  forbid(spec.hostUsers.has_value(), path, "hostUsers");
  forbid(spec.hostPID, path, "hostPID");
  forbid(spec.hostIPC, path, "hostIPC");
  forbid(context.seccompProfile.has_value(), context_path, "seccompProfile");
  forbid(context.fsGroup.has_value(), context_path, "fsGroup");
  forbid(context.fsGroupChangePolicy.has_value(), context_path, "fsGroupChangePolicy");
  forbid(!context.sysctls.empty(), context_path, "sysctls");
  forbid(spec.shareProcessNamespace.has_value(), path, "shareProcessNamespace");
  forbid(context.runAsUser.has_value(), context_path, "runAsUser");
  forbid(context.runAsGroup.has_value(), context_path, "runAsGroup");
  forbid(!context.supplementalGroups.empty(), context_path, "supplementalGroups");
  forbid(context.supplementalGroupsPolicy.has_value(), context_path, "supplementalGroupsPolicy");
  forbid(context.seLinuxChangePolicy.has_value(), context_path, "seLinuxChangePolicy");
  VisitContainers(spec, path, [&](const corev1::Container& container, const Path& at) {
    if (!container.securityContext) return;
    const Path where = at / "securityContext";
    const corev1::SecurityContext& own = *container.securityContext;
    forbid(own.appArmorProfile.has_value(), where, "appArmorProfile");
    forbid(own.seLinuxOptions.has_value(), where, "seLinuxOptions");
    forbid(own.seccompProfile.has_value(), where, "seccompProfile");
    forbid(own.capabilities.has_value(), where, "capabilities");
    forbid(own.readOnlyRootFilesystem.has_value(), where, "readOnlyRootFilesystem");
    forbid(own.privileged.has_value(), where, "privileged");
    forbid(own.allowPrivilegeEscalation.has_value(), where, "allowPrivilegeEscalation");
    forbid(own.procMount.has_value(), where, "procMount");
    forbid(own.runAsUser.has_value(), where, "runAsUser");
    forbid(own.runAsGroup.has_value(), where, "runAsGroup");
  });
}

void ForbidWindowsFields(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kNotOnLinux = "windows options cannot be set for a linux pod";
  const Path context = path / "securityContext";
  if (spec.securityContext.OrDefault().windowsOptions) errors.Forbidden(context / "windowsOptions", kNotOnLinux);
  VisitContainers(spec, path, [&](const corev1::Container& container, const Path& at) {
    const Path where = at / "securityContext";
    if (container.securityContext.OrDefault().windowsOptions) errors.Forbidden(where / "windowsOptions", kNotOnLinux);
  });
}

}  // namespace

void CheckUserId(int64_t id, const Path& path, FieldErrors& errors) { CheckInRange(id, 0, kMaxId, path, errors); }
void CheckGroupId(int64_t id, const Path& path, FieldErrors& errors) { CheckInRange(id, 0, kMaxId, path, errors); }

void CheckAppArmorProfile(const corev1::AppArmorProfile& profile, const Path& path, FieldErrors& errors) {
  const Path type = path / "type";
  const Path name = path / "localhostProfile";
  if (profile.type == "Localhost") {
    if (!profile.localhostProfile) return errors.Required(name, "must be set when AppArmor type is Localhost");
    const std::string_view text = *profile.localhostProfile;
    constexpr std::string_view kSpaces = " \t\n\v\f\r";
    if (text.empty()) {
      errors.Required(name, "must be set when AppArmor type is Localhost");
    } else if (kSpaces.find(text.front()) != std::string_view::npos ||
               kSpaces.find(text.back()) != std::string_view::npos) {
      errors.Invalid(name, Json(text), "must not be padded with whitespace");
    }
    if (text.size() > kMaxProfileName) errors.TooLong(name, kMaxProfileName);
  } else if (profile.type == "RuntimeDefault" || profile.type == "Unconfined") {
    if (profile.localhostProfile) {
      errors.Invalid(name, Json(*profile.localhostProfile), "can only be set when AppArmor type is Localhost");
    }
  } else if (profile.type.empty()) {
    errors.Required(type, "type is required when appArmorProfile is set");
  } else {
    errors.NotSupportedAsListed(type, Json(profile.type), {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

void CheckContainerSecurity(const corev1::SecurityContext& context, bool host_users, const Path& path,
                            FieldErrors& errors) {
  if (context.runAsUser) CheckUserId(*context.runAsUser, path / "runAsUser", errors);
  if (context.runAsGroup) CheckGroupId(*context.runAsGroup, path / "runAsGroup", errors);
  if (context.procMount) {
    const Path mount = path / "procMount";
    if (!IsOneOf(*context.procMount, {"Default", "Unmasked"})) {
      errors.NotSupportedAsListed(mount, Json(*context.procMount), {"Default", "Unmasked"});
    }
    if (host_users && *context.procMount == "Unmasked") {
      errors.Invalid(mount, Json(*context.procMount), "`hostUsers` must be false to use `Unmasked`");
    }
  }
  CheckSeccompProfile(context.seccompProfile, path / "seccompProfile", errors);
  if (context.allowPrivilegeEscalation && !*context.allowPrivilegeEscalation) {
    if (context.privileged.value_or(false)) {
      errors.InvalidShown(path, InternalForm(context),
                          "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    for (const String& capability : context.capabilities.OrDefault().add) {
      if (capability != "CAP_SYS_ADMIN") continue;
      errors.InvalidShown(path, InternalForm(context),
                          "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    }
  }
  CheckWindowsOptions(context.windowsOptions, path / "windowsOptions", errors);
  if (context.appArmorProfile) CheckAppArmorProfile(*context.appArmorProfile, path / "appArmorProfile", errors);
}

void CheckPodSecurity(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors,
                      const PodCheckOptions& options) {
  if (!spec.securityContext) return;
  const corev1::PodSecurityContext& context = *spec.securityContext;
  if (context.fsGroup) CheckGroupId(*context.fsGroup, path / "fsGroup", errors);
  if (context.runAsUser) CheckUserId(*context.runAsUser, path / "runAsUser", errors);
  if (context.runAsGroup) CheckGroupId(*context.runAsGroup, path / "runAsGroup", errors);
  const Path groups = path / "supplementalGroups";
  for (size_t i = 0; i < context.supplementalGroups.size(); ++i) {
    CheckGroupId(context.supplementalGroups[i], groups[i], errors);
  }
  if (spec.hostPID && spec.shareProcessNamespace.value_or(false)) {
    errors.Invalid(path / "shareProcessNamespace", Json(true),
                   "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  CheckSysctls(spec, context.sysctls, path / "sysctls", errors, options);
  if (context.fsGroupChangePolicy) {
    CheckOneOf(*context.fsGroupChangePolicy, {"Always", "OnRootMismatch"}, path / "fsGroupChangePolicy", errors);
  }
  CheckSeccompProfile(context.seccompProfile, path / "seccompProfile", errors);
  CheckWindowsOptions(context.windowsOptions, path / "windowsOptions", errors);
  if (context.appArmorProfile) CheckAppArmorProfile(*context.appArmorProfile, path / "appArmorProfile", errors);
  if (context.supplementalGroupsPolicy) {
    CheckOneOf(*context.supplementalGroupsPolicy, {"Merge", "Strict"}, path / "supplementalGroupsPolicy", errors);
  }
  if (context.seLinuxChangePolicy) {
    CheckOneOf(*context.seLinuxChangePolicy, {"Recursive"}, path / "seLinuxChangePolicy", errors);
  }
}

void CheckOs(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors) {
  if (!spec.os) return;
  const Path os = path / "os";
  if (spec.os->name.empty()) {
    errors.Required(os / "name", "");
  } else if (spec.os->name == "linux") {
    ForbidWindowsFields(spec, path, errors);
  } else if (spec.os->name == "windows") {
    ForbidLinuxFields(spec, path, errors);
  } else {
    errors.NotSupported(os, Json(spec.os->name), {"linux", "windows"});
  }
}

void CheckWindowsHostProcess(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors) {
  const auto host_process = [](const Optional<corev1::WindowsSecurityContextOptions>& options) {
    return options ? options->hostProcess : Optional<bool>();
  };
  const Optional<bool> of_pod = host_process(spec.securityContext.OrDefault().windowsOptions);
  // Ordinary pods are done here, without a look at each container's path.
  const auto has_own = [&](const auto& container) {
    return container.securityContext.OrDefault().windowsOptions.has_value();
  };
  if (!of_pod && std::none_of(spec.containers.begin(), spec.containers.end(), has_own) &&
      std::none_of(spec.initContainers.begin(), spec.initContainers.end(), has_own) &&
      std::none_of(spec.ephemeralContainers.begin(), spec.ephemeralContainers.end(), has_own)) {
    return;
  }
  size_t containers = 0;
  size_t in_host = 0;
  VisitContainers(spec, path, [&](const corev1::Container& container, const Path& at) {
    ++containers;
    const Optional<bool> own = host_process(container.securityContext.OrDefault().windowsOptions);
    if (of_pod && own && *of_pod != *own) {
      const Path context = at / "securityContext";
      const Path windows = context / "windowsOptions";
      errors.Invalid(windows / "hostProcess", Json(*own),
                     fmt::format("pod hostProcess value must be identical if both are specified, was {}", *of_pod));
    }
    if (own ? *own : of_pod.value_or(false)) ++in_host;
  });
  if (in_host == 0) return;
  if (in_host != containers) {
    errors.Invalid(path, Json(""),
                   "If pod contains any hostProcess containers then all containers must be HostProcess containers");
  }
  if (!spec.hostNetwork) {
    errors.Invalid(path / "hostNetwork", Json(false),
                   "hostNetwork must be true if pod contains any hostProcess containers");
  }
}

}  // namespace keelson::apiserver
