// An answer that is no success, as an Error.
#pragma once

#include <string_view>

#include "keelson/api/gvk.h"
#include "keelson/core/error.h"
#include "keelson/transport/http_message.h"

namespace keelson::internal {

// What was asked for, for messages: "get", deployments.apps, "web".
struct RequestSubject {
  std::string_view method = {};  // of HTTP
  GroupResource resource = {};
  std::string_view name = {};
};

// The server's own Status where the body is one (JSON or protobuf); else one made from the HTTP status, in the words
// that users know from kubectl. `body` may be cut short.
Error ErrorFromResponse(int status, const Headers& headers, std::string_view body, const RequestSubject& subject);

}  // namespace keelson::internal
