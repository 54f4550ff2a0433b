// What is asked of an object beside the object itself: scale, binding, eviction, finalize, approval, log, token.
#pragma once

#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/objects.h"
#include "keelson/apiserver/service_account_tokens.h"

namespace keelson::apiserver {

// Answers the exchange. The resource has the subresource and the verb.
void ServeSubresource(Exchange& exchange, Objects& objects, const ServiceAccountTokens& tokens);

// POST of a Binding to the resource `bindings`.
Result<Reply> CreateBinding(Exchange& exchange, Objects& objects);

}  // namespace keelson::apiserver
