// The token by which a client asks for the next page of a list: where the last one ended, and at which revision.
#pragma once

#include <string>
#include <string_view>

#include "keelson/apiserver/store/stored_object.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

struct ContinueToken {
  // Of the first page; -1: whatever is newest (after the first page's revision was forgotten).
  Revision revision = 0;
  std::string after_namespace = {};
  std::string after_name = {};

  std::string Encode() const;
  // Error: 400.
  static Result<ContinueToken> Parse(std::string_view text);
};

}  // namespace keelson::apiserver
