#include "keelson/apiserver/kinds/checks_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "keelson/apiserver/kinds/name_set.h"

namespace keelson::apiserver {

namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z'); }

constexpr std::string_view kConfigKeyForm = "[-._a-zA-Z0-9]+";
constexpr std::string_view kWildcardForm = "\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kHttpPathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

std::string TooManyCharacters(size_t limit) { return fmt::format("must be no more than {} characters", limit); }

bool HasConfigKeyForm(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.';
  });
}

bool HasPortNameForm(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; });
}

void CheckRequirement(const metav1::LabelSelectorRequirement& requirement, LabelSelectorOptions options,
                      const Path& path, FieldErrors& errors) {
  const Path values = path / "values";
  const std::string_view op = requirement.operator_;
  if (op == "In" || op == "NotIn") {
    if (requirement.values.empty()) {
      errors.Required(values, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values.empty()) {
      errors.Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    errors.Invalid(path / "operator", Json(op), "not a valid selector operator");
  }
  CheckQualifiedName(requirement.key, path / "key", errors);
  if (options.any_value) return;
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    const std::string_view value = requirement.values[i];
    if (!names::IsLabelValue(value)) errors.InvalidForEach(values[i], value, names::CheckLabelValue(value));
  }
}

}  // namespace

std::string WrongForm(std::string_view rule, std::string_view pattern,
                      std::initializer_list<std::string_view> examples) {
  std::string message(rule);
  message += " (";
  if (examples.size() > 0) message += "e.g. ";
  for (const std::string_view example : examples) {
    if (example.data() != examples.begin()->data()) message += " or ";
    message.append("'").append(example).append("', ");
  }
  message.append("regex used for validation is '").append(pattern).append("')");
  return message;
}

Json Shown(const Quantity& value) { return Json(value.ToString()); }
Json Shown(const IntOrString& value) { return value.is_string() ? Json(value.text()) : Json(value.number()); }

void CheckNonNegative(int64_t value, const Path& path, FieldErrors& errors) {
  if (value < 0) errors.Invalid(path, Json(value), kMustNotBeNegative);
}

void CheckPositive(int64_t value, const Path& path, FieldErrors& errors) {
  if (value <= 0) errors.Invalid(path, Json(value), kMustBePositive);
}

void CheckInRange(int64_t value, int64_t low, int64_t high, const Path& path, FieldErrors& errors) {
  if (value >= low && value <= high) return;
  errors.Invalid(path, Json(value), fmt::format("must be between {} and {}, inclusive", low, high));
}

void CheckPort(int64_t port, const Path& path, FieldErrors& errors) { CheckInRange(port, 1, 65535, path, errors); }

void CheckNonNegative(const Quantity& value, const Path& path, FieldErrors& errors) {
  if (value.Sign() < 0) errors.Invalid(path, Shown(value), kMustNotBeNegative);
}

void CheckPositive(const Quantity& value, const Path& path, FieldErrors& errors) {
  if (value.Sign() <= 0) errors.Invalid(path, Shown(value), kMustBePositive);
}

bool IsPercent(std::string_view text) {
  return text.size() > 1 && text.back() == '%' && std::all_of(text.begin(), text.end() - 1, IsDigit);
}

Optional<int32_t> PercentOf(const IntOrString& value) {
  if (!value.is_string() || !IsPercent(value.text())) return {};
  const std::string_view digits = value.text().view().substr(0, value.text().size() - 1);
  int32_t percent = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), percent).ec != std::errc()) return INT32_MAX;
  return percent;
}

void CheckNonNegativeIntOrPercent(const IntOrString& value, const Path& path, FieldErrors& errors) {
  if (!value.is_string()) return CheckNonNegative(value.number(), path, errors);
  if (IsPercent(value.text())) return;
  errors.Invalid(
      path, Shown(value),
      WrongForm("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", {"1%", "93%"}));
}

void CheckNotMoreThan100Percent(const IntOrString& value, const Path& path, FieldErrors& errors) {
  const Optional<int32_t> percent = PercentOf(value);
  if (percent && *percent > 100) errors.Invalid(path, Shown(value), "must not be greater than 100%");
}

void CheckDnsLabel(std::string_view value, const Path& path, FieldErrors& errors) {
  if (!names::IsDns1123Label(value)) errors.InvalidForEach(path, value, names::CheckDns1123Label(value));
}

void CheckDnsSubdomain(std::string_view value, const Path& path, FieldErrors& errors) {
  if (!names::IsDns1123Subdomain(value)) errors.InvalidForEach(path, value, names::CheckDns1123Subdomain(value));
}

void CheckQualifiedName(std::string_view value, const Path& path, FieldErrors& errors) {
  if (!names::IsQualifiedName(value)) errors.InvalidForEach(path, value, names::CheckQualifiedName(value));
}

bool IsPortName(std::string_view value) {
  return value.size() <= 15 && HasPortNameForm(value) && std::any_of(value.begin(), value.end(), IsLower) &&
         value.find("--") == std::string_view::npos && value.front() != '-' && value.back() != '-';
}

void CheckPortName(std::string_view value, const Path& path, FieldErrors& errors) {
  if (IsPortName(value)) return;
  if (value.size() > 15) errors.Invalid(path, Json(value), TooManyCharacters(15));
  if (!HasPortNameForm(value)) {
    errors.Invalid(path, Json(value), "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(value.begin(), value.end(), IsLower)) {
    errors.Invalid(path, Json(value), "must contain at least one letter (a-z)");
  }
  if (value.find("--") != std::string_view::npos) {
    errors.Invalid(path, Json(value), "must not contain consecutive hyphens");
  }
  if (!value.empty() && (value.front() == '-' || value.back() == '-')) {
    errors.Invalid(path, Json(value), "must not begin or end with a hyphen");
  }
}

void CheckPortNumberOrName(const IntOrString& value, const Path& path, FieldErrors& errors) {
  if (value.is_string()) {
    CheckPortName(value.text(), path, errors);
  } else {
    CheckPort(value.number(), path, errors);
  }
}

bool IsConfigKey(std::string_view key) {
  return key.size() <= names::kMaxSubdomainLength && HasConfigKeyForm(key) && key != "." && !key.starts_with("..");
}

void CheckConfigKey(std::string_view key, const Path& path, FieldErrors& errors) {
  if (IsConfigKey(key)) return;
  if (key.size() > names::kMaxSubdomainLength) {
    errors.Invalid(path, Json(key), TooManyCharacters(names::kMaxSubdomainLength));
  }
  if (!HasConfigKeyForm(key)) {
    errors.Invalid(path, Json(key),
                   WrongForm("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                             kConfigKeyForm, {"key.name", "KEY_NAME", "key-name"}));
  }
  if (key == ".") {
    errors.Invalid(path, Json(key), "must not be '.'");
  } else if (key == "..") {
    errors.Invalid(path, Json(key), "must not be '..'");
  } else if (key.starts_with("..")) {
    errors.Invalid(path, Json(key), "must not start with '..'");
  }
}

void CheckWildcardDnsSubdomain(std::string_view value, const Path& path, FieldErrors& errors) {
  if (value.size() > names::kMaxSubdomainLength) {
    errors.Invalid(path, Json(value), TooManyCharacters(names::kMaxSubdomainLength));
  }
  if (value.starts_with("*.") && names::IsDns1123Subdomain(value.substr(2))) return;
  errors.Invalid(path, Json(value),
                 WrongForm("a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
                           "which must consist of lower case alphanumeric characters, '-' or '.' and end with an "
                           "alphanumeric character",
                           kWildcardForm, {"*.example.com"}));
}

bool IsCIdentifier(std::string_view value) {
  return !value.empty() && !IsDigit(value.front()) &&
         std::all_of(value.begin(), value.end(), [](char c) { return IsLetter(c) || IsDigit(c) || c == '_'; });
}

void CheckDomainPrefixedKey(std::string_view key, const Path& path, FieldErrors& errors) {
  if (key.empty()) return errors.Required(path, "");
  if (!names::IsQualifiedName(key)) return errors.InvalidForEach(path, key, names::CheckQualifiedName(key));
  if (key.find('/') == std::string_view::npos) {
    errors.Invalid(path, Json(key), "must be a domain-prefixed key (such as \"acme.io/foo\")");
  }
}

void CheckDomainPrefixedPath(std::string_view value, const Path& path, FieldErrors& errors) {
  if (value.empty()) return errors.Required(path, "");
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == value.size()) {
    return errors.Invalid(path, Json(value), "must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  CheckDnsSubdomain(value.substr(0, slash), path, errors);
  const std::string_view rest = value.substr(slash + 1);
  if (!std::all_of(rest.begin(), rest.end(), [](char c) {
        return IsLetter(c) || IsDigit(c) || std::string_view("/-._~%!$&'()*+,;=:").find(c) != std::string_view::npos;
      })) {
    errors.Invalid(path, Json(rest), WrongForm("Invalid path", kHttpPathForm, {}));
  }
}

std::vector<std::string> CheckPathSegment(std::string_view name) {
  if (name == "." || name == "..") return {fmt::format("may not be '{}'", name)};
  std::vector<std::string> reasons;
  for (const char forbidden : {'/', '%'}) {
    if (name.find(forbidden) != std::string_view::npos)
      reasons.push_back(fmt::format("may not contain '{}'", forbidden));
  }
  return reasons;
}

void CheckLabels(const Map<String>& labels, const Path& path, FieldErrors& errors) {
  for (const auto& [key, value] : labels) {
    CheckQualifiedName(key, path, errors);
    if (!names::IsLabelValue(value)) errors.InvalidForEach(path, value, names::CheckLabelValue(value));
  }
}

void CheckLabelSelector(const metav1::LabelSelector& selector, const Path& path, FieldErrors& errors,
                        LabelSelectorOptions options) {
  CheckLabels(selector.matchLabels, path / "matchLabels", errors);
  const Path expressions = path / "matchExpressions";
  for (size_t i = 0; i < selector.matchExpressions.size(); ++i) {
    CheckRequirement(selector.matchExpressions[i], options, expressions[i], errors);
  }
}

void CheckConditions(const List<metav1::Condition>& conditions, const Path& path, FieldErrors& errors) {
  constexpr size_t kMaxReason = 1024;
  constexpr size_t kMaxMessage = 32 * 1024;
  NameSet types;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const metav1::Condition& condition = conditions[i];
    const Path here = path[i];
    if (!types.Insert(condition.type)) errors.Duplicate(here / "type", Json(condition.type));
    CheckQualifiedName(condition.type, here / "type", errors);
    CheckOneOf(condition.status, {"False", "True", "Unknown"}, here / "status", errors);
    if (condition.observedGeneration < 0) {
      errors.Invalid(here / "observedGeneration", Json(condition.observedGeneration),
                     "must be greater than or equal to zero");
    }
    if (condition.lastTransitionTime.IsZero()) errors.Required(here / "lastTransitionTime", "");
    const std::string_view reason = condition.reason;
    if (reason.empty()) {
      errors.Required(here / "reason", "");
    } else {
      const bool formed = IsLetter(reason.front()) && reason.back() != ',' && reason.back() != ':' &&
                          std::all_of(reason.begin(), reason.end(), [](char c) {
                            return IsLetter(c) || IsDigit(c) || c == '_' || c == ',' || c == ':';
                          });
      if (!formed) {
        errors.Invalid(here / "reason", Json(reason),
                       WrongForm("a condition reason must start with alphabetic character, optionally followed by a "
                                 "string of alphanumeric characters or '_,:', and must end with an alphanumeric "
                                 "character or '_'",
                                 "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
                                 {"my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"}));
      }
      if (reason.size() > kMaxReason) errors.TooLong(here / "reason", kMaxReason);
    }
    if (condition.message.size() > kMaxMessage) errors.TooLong(here / "message", kMaxMessage);
  }
}

bool IsOneOf(std::string_view value, std::initializer_list<std::string_view> allowed) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

void CheckOneOf(std::string_view value, std::initializer_list<std::string_view> allowed, const Path& path,
                FieldErrors& errors) {
  if (!IsOneOf(value, allowed)) errors.NotSupported(path, Json(value), allowed);
}

}  // namespace keelson::apiserver
