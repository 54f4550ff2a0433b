// Checks that many kinds share: numbers, ports, names, label selectors, values out of a set, fields that may not
// change.
//
//   const Path replicas = spec_path / "replicas";
//   CheckNonNegative(spec.replicas, replicas, errors);
//
// Each takes the value, where it stands and where to report; none allocates while nothing is wrong. The texts are those
// of a Kubernetes API server.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/api/int_or_string.h"
#include "keelson/api/list.h"
#include "keelson/api/map.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/names.h"
#include "keelson/api/optional.h"
#include "keelson/api/quantity.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/apiserver/kinds/path.h"
#include "keelson/codec/convert.h"

namespace keelson::apiserver {

inline constexpr std::string_view kFieldIsImmutable = "field is immutable";
inline constexpr std::string_view kMustNotBeNegative = "must be greater than or equal to 0";
inline constexpr std::string_view kMustBePositive = "must be greater than 0";
inline constexpr std::string_view kMustBeInteger = "must be an integer";

// A text, number or list of them as errors show it; for structs there is InternalForm.
template <class T>
Json Shown(const T& value) {
  return ToJsonValue(value);
}

// Numbers.
void CheckNonNegative(int64_t value, const Path& path, FieldErrors& errors);
void CheckPositive(int64_t value, const Path& path, FieldErrors& errors);
void CheckInRange(int64_t value, int64_t low, int64_t high, const Path& path, FieldErrors& errors);
void CheckPort(int64_t port, const Path& path, FieldErrors& errors);
void CheckNonNegative(const Quantity& value, const Path& path, FieldErrors& errors);
void CheckPositive(const Quantity& value, const Path& path, FieldErrors& errors);
// Shown as the text of the quantity.
Json Shown(const Quantity& value);
Json Shown(const IntOrString& value);

// Numbers and percentages ("25%").
bool IsPercent(std::string_view text);
// A number from 0 or a percentage; other text is refused.
void CheckNonNegativeIntOrPercent(const IntOrString& value, const Path& path, FieldErrors& errors);
// A percentage over 100 is refused.
void CheckNotMoreThan100Percent(const IntOrString& value, const Path& path, FieldErrors& errors);
// What a percentage says; nothing when it is none.
Optional<int32_t> PercentOf(const IntOrString& value);

// Names. The reasons follow api/names.h.
void CheckDnsLabel(std::string_view value, const Path& path, FieldErrors& errors);
void CheckDnsSubdomain(std::string_view value, const Path& path, FieldErrors& errors);
void CheckQualifiedName(std::string_view value, const Path& path, FieldErrors& errors);
// Names of ports: at most 15 of a-z, 0-9 and '-', with a letter.
bool IsPortName(std::string_view value);
void CheckPortName(std::string_view value, const Path& path, FieldErrors& errors);
// A name or a number, as a target port has it.
void CheckPortNumberOrName(const IntOrString& value, const Path& path, FieldErrors& errors);
// Keys of ConfigMaps and Secrets.
bool IsConfigKey(std::string_view key);
void CheckConfigKey(std::string_view key, const Path& path, FieldErrors& errors);
// "*.example.com"
void CheckWildcardDnsSubdomain(std::string_view value, const Path& path, FieldErrors& errors);
bool IsCIdentifier(std::string_view value);
// "example.com/name": both parts required.
void CheckDomainPrefixedKey(std::string_view key, const Path& path, FieldErrors& errors);
// "example.com/some/path"
void CheckDomainPrefixedPath(std::string_view value, const Path& path, FieldErrors& errors);
// What may be one part of a path: no "/" and no "%", neither "." nor "..".
std::vector<std::string> CheckPathSegment(std::string_view name);
// As Kubernetes words a text that does not fit a pattern: "<rule> (e.g. 'a', or 'b', regex used for validation is
// '…')".
std::string WrongForm(std::string_view rule, std::string_view pattern,
                      std::initializer_list<std::string_view> examples);

// Labels and selectors.
void CheckLabels(const Map<String>& labels, const Path& path, FieldErrors& errors);
struct LabelSelectorOptions {
  bool any_value = false;  // values that are no label values are let through
};
void CheckLabelSelector(const metav1::LabelSelector& selector, const Path& path, FieldErrors& errors,
                        LabelSelectorOptions options = {});
inline void CheckLabelSelector(const Optional<metav1::LabelSelector>& selector, const Path& path, FieldErrors& errors,
                               LabelSelectorOptions options = {}) {
  if (selector) CheckLabelSelector(*selector, path, errors, options);
}
inline bool IsEmptySelector(const metav1::LabelSelector& selector) {
  return selector.matchLabels.empty() && selector.matchExpressions.empty();
}

// Conditions of a status: types differ, times and reasons are there.
void CheckConditions(const List<metav1::Condition>& conditions, const Path& path, FieldErrors& errors);

// Values out of a set.
bool IsOneOf(std::string_view value, std::initializer_list<std::string_view> allowed);
void CheckOneOf(std::string_view value, std::initializer_list<std::string_view> allowed, const Path& path,
                FieldErrors& errors);

// Fields that may not change.
template <class T>
void CheckImmutable(const T& value, const T& old, const Path& path, FieldErrors& errors,
                    std::string_view detail = kFieldIsImmutable) {
  if (Equal(value, old)) return;
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    errors.Invalid(path, Json(value), detail);
  } else {
    errors.InvalidShown(path, InternalForm(value), detail);
  }
}

}  // namespace keelson::apiserver
