// The file of --token-auth-file: CSV lines of token, user, uid and, in quotes, groups.
//
//   s3cret,ci,1000,"system:masters,dev"
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/apiserver/user.h"
#include "keelson/core/result.h"

namespace keelson::cli {

// Errors name the file and the line; empty lines are passed over.
Result<std::vector<std::pair<std::string, apiserver::User>>> ParseTokenFile(std::string_view text,
                                                                            std::string_view file);

}  // namespace keelson::cli
