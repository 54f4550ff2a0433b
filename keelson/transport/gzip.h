// Compressing an answer that is there already.
//
//   if (WantsGzip(request.headers)) body = Gzip(body);
#pragma once

#include <string>
#include <string_view>

#include "keelson/transport/http_message.h"

namespace keelson {

// Whether Accept-Encoding names it, and not only to say that it is not wanted ("gzip;q=0").
bool WantsGzip(const Headers& headers);

// Quickly rather than tightly. Empty when zlib has no memory.
std::string Gzip(std::string_view text);

}  // namespace keelson
