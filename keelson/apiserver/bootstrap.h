// What a new server holds before anybody has written to it: the namespaces, the Service `kubernetes`, the two priority
// classes of the system. Made through the same rules as everything else; what is there already stays.
#pragma once

#include "keelson/apiserver/objects.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

Result<void> Bootstrap(Objects& objects);

// Tells the Service `kubernetes` where the server listens.
Result<void> SetServicePort(Objects& objects, uint16_t port);

}  // namespace keelson::apiserver
