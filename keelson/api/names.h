// What Kubernetes allows as names, label keys and label values.
//
//   for (const std::string& problem : names::CheckDns1123Label(name)) Report(problem);
//
// Each function gives the reasons, in Kubernetes' words, why the text is not allowed; none when it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::names {

inline constexpr size_t kMaxLabelLength = 63;       // of a DNS label
inline constexpr size_t kMaxSubdomainLength = 253;  // of a DNS name
inline constexpr size_t kMaxLabelNameLength = 63;   // of a label's key, behind the prefix
inline constexpr size_t kMaxLabelValueLength = 63;

// "my-name": names of Namespaces, containers and ports.
std::vector<std::string> CheckDns1123Label(std::string_view text);
// "example.com": names of most objects, prefixes of label keys.
std::vector<std::string> CheckDns1123Subdomain(std::string_view text);
// "my-name", but starting with a letter: names of Services.
std::vector<std::string> CheckDns1035Label(std::string_view text);
// "example.com/MyName" or "MyName": label keys, annotation keys, condition types.
std::vector<std::string> CheckQualifiedName(std::string_view text);
// "my_value" or nothing.
std::vector<std::string> CheckLabelValue(std::string_view text);

// The same questions answered by yes or no, without allocating.
bool IsDns1123Label(std::string_view text);
bool IsDns1123Subdomain(std::string_view text);
bool IsDns1035Label(std::string_view text);
bool IsQualifiedName(std::string_view text);
bool IsLabelValue(std::string_view text);

}  // namespace keelson::names
