#include "keelson/api/names.h"

#include <algorithm>
#include <initializer_list>

namespace keelson::names {
namespace {

constexpr std::string_view kLabelForm = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainForm = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kServiceForm = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kQualifiedForm = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kLabelValueForm = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLowerOrDigit(char c) { return IsLower(c) || (c >= '0' && c <= '9'); }
bool IsLetterOrDigit(char c) { return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }

bool HasLabelForm(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

bool HasSubdomainForm(std::string_view text) {
  for (;;) {
    const size_t point = text.find('.');
    if (!HasLabelForm(text.substr(0, point))) return false;
    if (point == std::string_view::npos) return true;
    text.remove_prefix(point + 1);
  }
}

bool HasServiceForm(std::string_view text) { return HasLabelForm(text) && IsLower(text.front()); }

bool HasQualifiedForm(std::string_view text) {
  return !text.empty() && IsLetterOrDigit(text.front()) && IsLetterOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.'; });
}

std::string TooLong(size_t limit) { return "must be no more than " + std::to_string(limit) + " bytes"; }
// The rules of DNS names count characters, in so many words.
std::string TooManyCharacters(size_t limit) { return "must be no more than " + std::to_string(limit) + " characters"; }

std::string WrongForm(std::string_view rule, std::string_view form, std::initializer_list<std::string_view> examples) {
  std::string message(rule);
  message += " (e.g. ";
  for (const std::string_view example : examples) {
    if (example != *examples.begin()) message += " or ";
    message.append("'").append(example).append("', ");
  }
  message.append("regex used for validation is '").append(form).append("')");
  return message;
}

std::string WrongQualifiedForm() {
  return WrongForm(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      kQualifiedForm, {"MyName", "my.name", "123-abc"});
}

}  // namespace

std::vector<std::string> CheckDns1123Label(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > kMaxLabelLength) problems.push_back(TooManyCharacters(kMaxLabelLength));
  if (HasLabelForm(text)) return problems;
  if (HasSubdomainForm(text)) {
    problems.push_back("must not contain dots");
  } else {
    problems.push_back(
        WrongForm("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
                  "and must start and end with an alphanumeric character",
                  kLabelForm, {"my-name", "123-abc"}));
  }
  return problems;
}

std::vector<std::string> CheckDns1123Subdomain(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > kMaxSubdomainLength) problems.push_back(TooManyCharacters(kMaxSubdomainLength));
  if (!HasSubdomainForm(text)) {
    problems.push_back(
        WrongForm("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
                  "'-' or '.', and must start and end with an alphanumeric character",
                  kSubdomainForm, {"example.com"}));
  }
  return problems;
}

std::vector<std::string> CheckDns1035Label(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > kMaxLabelLength) problems.push_back(TooManyCharacters(kMaxLabelLength));
  if (!HasServiceForm(text)) {
    problems.push_back(
        WrongForm("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
                  "an alphabetic character, and end with an alphanumeric character",
                  kServiceForm, {"my-name", "abc-123"}));
  }
  return problems;
}

std::vector<std::string> CheckQualifiedName(std::string_view text) {
  std::vector<std::string> problems;
  const auto slashes = std::count(text.begin(), text.end(), '/');
  if (slashes > 1) {
    return {"a valid label key " + WrongQualifiedForm() +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  if (slashes == 1) {
    const std::string_view prefix = text.substr(0, text.find('/'));
    text.remove_prefix(prefix.size() + 1);
    if (prefix.empty()) {
      problems.push_back("prefix part must be non-empty");
    } else {
      for (const std::string& problem : CheckDns1123Subdomain(prefix)) problems.push_back("prefix part " + problem);
    }
  }
  if (text.empty()) {
    problems.push_back("name part must be non-empty");
  } else if (text.size() > kMaxLabelNameLength) {
    problems.push_back("name part " + TooLong(kMaxLabelNameLength));
  }
  if (!HasQualifiedForm(text)) problems.push_back("name part " + WrongQualifiedForm());
  return problems;
}

std::vector<std::string> CheckLabelValue(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > kMaxLabelValueLength) problems.push_back(TooLong(kMaxLabelValueLength));
  if (!text.empty() && !HasQualifiedForm(text)) {
    problems.push_back(
        WrongForm("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
                  "or '.', and must start and end with an alphanumeric character",
                  kLabelValueForm, {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

bool IsDns1123Label(std::string_view text) { return text.size() <= kMaxLabelLength && HasLabelForm(text); }
bool IsDns1123Subdomain(std::string_view text) { return text.size() <= kMaxSubdomainLength && HasSubdomainForm(text); }
bool IsDns1035Label(std::string_view text) { return text.size() <= kMaxLabelLength && HasServiceForm(text); }
bool IsQualifiedName(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (!IsDns1123Subdomain(text.substr(0, slash))) return false;
    text.remove_prefix(slash + 1);
  }
  return text.size() <= kMaxLabelNameLength && HasQualifiedForm(text);
}
bool IsLabelValue(std::string_view text) {
  return text.empty() || (text.size() <= kMaxLabelValueLength && HasQualifiedForm(text));
}

}  // namespace keelson::names
