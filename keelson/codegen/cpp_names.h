// Names of C++ for things that have names in JSON.
//
//   MemberName("class")        // "class_"
//   MemberName("x-forwarded")  // "xForwarded"
//   TypeNamePart("tls.crt")    // "TlsCrt"
#pragma once

#include <string>
#include <string_view>

namespace keelson::codegen {

// Letters, digits and underscores, not beginning with a digit.
bool IsIdentifier(std::string_view text);

// A keyword, an alternative token, or a macro that common headers define: not to be used as a name.
bool IsReservedName(std::string_view name);

// Reserved names get an underscore, other characters are folded away. Two JSON names may give the same member.
std::string MemberName(std::string_view json_name);

// What the reader of headers takes a member's JSON name to be unless a marker says otherwise.
std::string_view JsonNameOf(std::string_view member);

// The part that a field adds to the name of a struct, each word beginning with a capital.
std::string TypeNamePart(std::string_view json_name);

// "rules" → "rule", "policies" → "policy": for the elements of a list or map. English of the simple kind.
std::string SingularOf(std::string_view name);

// "cert-manager.io" → "cert_manager_io"
std::string NamespaceName(std::string_view group);

}  // namespace keelson::codegen
