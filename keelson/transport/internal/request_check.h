// What every transport over sockets asks of a request before it sends it.
#pragma once

#include <string_view>

#include "keelson/transport/http_message.h"

namespace keelson::internal {

// Errors: what would end a line or a request in the middle.
Result<void> CheckRequest(const HttpRequest& request);

// Whether a request may be sent a second time when its connection was lost behind the first.
bool CanBeRepeated(std::string_view method);

}  // namespace keelson::internal
