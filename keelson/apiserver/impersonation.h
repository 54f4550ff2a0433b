// Acting as somebody else, where the authorizer lets one: the headers Impersonate-User, -Uid, -Group and -Extra-*.
//
//   KEELSON_TRY(acting, ActingUser(user, request.headers, info, authorizer));
//
// Asked of the authorizer, as upstream asks: first whether the request may be made in that person's place
// (`impersonate-on:user-info:list` of the request's own resource, with serviceaccount or arbitrary-node for user-info
// where the name says so) and each part be taken (`impersonate:user-info` of users, groups, uids, userextras); then, in
// the older way, `impersonate` of each part. The refusal is that of the first way.
#pragma once

#include <string_view>

#include "keelson/apiserver/request_info.h"
#include "keelson/apiserver/user.h"
#include "keelson/core/result.h"
#include "keelson/transport/http_message.h"

namespace keelson::apiserver {

// The user itself when no such header is there. kForbidden; kInvalidArgument when the headers name no user.
Result<User> ActingUser(const User& user, const Headers& headers, const RequestInfo& info,
                        const Authorizer& authorizer);

// What a user is told who may not do that: `pods "web" is forbidden: User "bob" cannot get resource "pods" in API group
// "" in the namespace "default"`.
Error RefusedRequest(const User& user, const RequestInfo& info, std::string_view reason);

}  // namespace keelson::apiserver
