// Documents in protobuf: the messages openapi.v2.Document and openapi.v3.Document, which Go's clients ask for.
#pragma once

#include <string>

#include "keelson/api/json.h"

namespace keelson::apiserver::openapi {

// Of documents that this server makes; members that they do not have are not looked for.
std::string DocumentToProtobufV2(const Json& document);
std::string DocumentToProtobufV3(const Json& document);

}  // namespace keelson::apiserver::openapi
