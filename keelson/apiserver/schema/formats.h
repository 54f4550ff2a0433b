// The formats of text that a schema may ask for, with the verdicts of a kube-apiserver.
//
//   if (const FormatCheck check = FindFormat("ipv4"); check != nullptr && !check(text)) …
//
// A format that is not among them is no error: nothing is checked.
#pragma once

#include <string_view>

namespace keelson::apiserver {

using FormatCheck = bool (*)(std::string_view text);

// Null for a format that is not known. Dashes in the name mean nothing: "date-time" is "datetime".
FormatCheck FindFormat(std::string_view name);

// "Jane <jane@example.com>" or "jane@example.com", as Go's net/mail reads an address.
bool IsEmailAddress(std::string_view text);

}  // namespace keelson::apiserver
