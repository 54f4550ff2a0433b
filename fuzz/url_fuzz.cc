// URLs of servers and proxies: the parts of one that is read make a URL of the same parts, and what is taken for a
// server's is written as one that reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/transport/internal/curl_endpoint.h"
#include "keelson/transport/internal/url.h"

namespace {

using keelson::Result;
using keelson::internal::Url;

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string Written(const Url& url) {
  std::string text = url.scheme + "://";
  if (url.user) text += *url.user + (url.password ? ":" + *url.password : "") + "@";
  text += keelson::internal::BracketedHost(url.host);
  if (url.port) text += ":" + std::to_string(*url.port);
  text += url.path;
  if (!url.query.empty()) text += "?" + url.query;
  if (!url.fragment.empty()) text += "#" + url.fragment;
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const Result<Url> url = keelson::internal::ParseUrl(text)) {
    Require(!url->host.empty());
    const Result<Url> again = keelson::internal::ParseUrl(Written(*url));
    Require(again.has_value() && Written(*again) == Written(*url));
    Require(again->host == url->host && again->port == url->port && again->password == url->password);
  }
  if (const Result<keelson::internal::ServerAddress> server = keelson::internal::ParseServerUrl(text)) {
    const Result<keelson::internal::ServerAddress> again = keelson::internal::ParseServerUrl(server->Url());
    Require(again.has_value() && again->Url() == server->Url() && again->port == server->port);
  }
  (void)keelson::internal::ParseProxyUrl(text);
  return 0;
}
