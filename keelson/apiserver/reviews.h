// Questions about users and rights: create-only resources that are answered and never stored.
#pragma once

#include "keelson/apiserver/authentication.h"
#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/user.h"

namespace keelson::apiserver {

// Whether the resource is one of these.
bool IsReview(const Resource& resource);
// The answer to a create of it.
Result<Reply> AnswerReview(Exchange& exchange, const Authenticator& authenticator, const Authorizer& authorizer);

}  // namespace keelson::apiserver
