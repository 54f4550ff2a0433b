// URLs as Go's net/url takes them apart: what url() and isURL() of expressions read.
//
//   KEELSON_TRY(url, Url::ParseRequest("https://example.com:80/path?k=v"));
//   url.Hostname();   // "example.com"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/core/result.h"

namespace keelson::apiserver::cel {

struct Url {
  std::string scheme = {};
  std::string opaque = {};  // "mailto:opaque": then there is neither host nor path
  std::optional<std::pair<std::string, std::optional<std::string>>> user = {};  // name and password, decoded
  std::string host = {};                                                        // with the port
  std::string path = {};                                                        // decoded
  std::string raw_path = {};  // when its encoding is not the usual one
  std::string raw_query = {};
  bool force_query = false;  // "…?" with nothing behind
  bool omit_host = false;    // "scheme:/path"
  std::string fragment = {};
  std::string raw_fragment = {};

  // An absolute URL or an absolute path; what follows a '#' is not told apart.
  static Result<Url> ParseRequest(std::string_view text);
  // A reference of any form.
  static Result<Url> Parse(std::string_view text);

  std::string Hostname() const;  // of an IPv6 address without the brackets
  std::string Port() const;
  std::string EscapedPath() const;
  // Keys in order of appearance, each with its values; what is malformed is left out.
  std::vector<std::pair<std::string, std::vector<std::string>>> Query() const;
  std::string ToString() const;
};

}  // namespace keelson::apiserver::cel
