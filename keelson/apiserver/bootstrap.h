// What a new server holds before anybody has written to it: the namespaces, the Service `kubernetes`, the range of
// addresses that Services have, the two priority classes of the system. Made through the same rules as everything else;
// what is there already stays.
#pragma once

#include <string>
#include <string_view>

#include "keelson/apiserver/objects.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

Result<void> Bootstrap(Objects& objects);

// A Node that is Ready, without taints, and runs nothing: for programs that do not begin without one.
Result<void> EnsureNode(Objects& objects, std::string_view name);

// Tells the Service `kubernetes` where the server listens.
Result<void> SetServicePort(Objects& objects, uint16_t port);
// The same by Endpoints and an EndpointSlice, as a cluster's Service has them; not for a host that is no IPv4 address.
// It may be a loopback address, which others may not write there.
Result<void> SetServiceEndpoints(Objects& objects, const std::string& host, uint16_t port);

}  // namespace keelson::apiserver
