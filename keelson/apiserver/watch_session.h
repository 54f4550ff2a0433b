// One watch: the present state if it is asked for, then every change that the selectors let through, until the client
// goes, its time is up, or it falls too far behind.
#pragma once

#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/objects.h"

namespace keelson::apiserver {

struct WatchLimits {
  size_t max_pending_bytes = size_t{16} << 20;  // that the client has not taken; then the watch is closed
  Duration bookmark_interval = std::chrono::seconds(60);
  Duration min_timeout = std::chrono::minutes(30);  // without timeoutSeconds: between once and twice this
};

// Answers the exchange, now and for as long as the watch goes on.
void StartWatch(Exchange exchange, Objects& objects, const WatchLimits& limits);

}  // namespace keelson::apiserver
