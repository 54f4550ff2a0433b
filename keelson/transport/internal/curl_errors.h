// What libcurl says went wrong, in words that help, and as the failure that callers react to.
#pragma once

#include <curl/curl.h>

#include <string>

#include "keelson/core/error.h"
#include "keelson/core/time.h"
#include "keelson/transport/internal/curl_endpoint.h"
#include "keelson/transport/internal/curl_tls.h"

namespace keelson::internal {

// Where a transport connects to, as far as messages say it.
struct CurlEndpoint {
  ServerAddress server = {};
  std::string authority = {};  // the server's, as the Host header says it, where that is sent by us
  ProxyAddress proxy = {};
  std::string unix_socket = {};
  std::string server_name = {};  // expected in the certificate instead of the server's host
  Duration connect_timeout = {};
};

struct CurlFailure {
  CURLcode code = CURLE_OK;
  int os_error = 0;       // errno of the connection attempt, if it was that
  long proxy_status = 0;  // of the proxy's answer to CONNECT
  std::string text = {};  // libcurl's own words
  bool sent = false;      // the request may have reached the server
  bool answered = false;  // status and headers had come
  PeerCertificate peer = {};
};

Error ToError(const CurlFailure& failure, const CurlEndpoint& endpoint);

}  // namespace keelson::internal
