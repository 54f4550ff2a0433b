// What a certificate of the API server names it by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace keelson::apiserver {

// Everything that an API server bound to that address may be called by: itself, this machine, and the names and address
// of the Service `kubernetes`.
std::vector<std::string> ServingNames(std::string_view bind_address);

}  // namespace keelson::apiserver
