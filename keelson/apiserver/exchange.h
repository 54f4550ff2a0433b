// One request under way, and what it comes to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/apiserver/content.h"
#include "keelson/apiserver/request_info.h"
#include "keelson/apiserver/resource.h"
#include "keelson/apiserver/store/stored_object.h"
#include "keelson/apiserver/user.h"
#include "keelson/transport/handler.h"

namespace keelson::apiserver {

struct Exchange {
  ServerRequest request;
  std::shared_ptr<ResponseWriter> response;
  RequestInfo info;
  Query query;
  User user;
  ResourcePtr resource = {};  // null when the path names none
  std::vector<std::string> warnings = {};
  int sent_status = 0;  // once the answer has begun
};

// An object to answer with: as it is stored, or one that is stored nowhere (a Scale, a Status, a dry run).
struct Reply {
  int status = 200;
  ObjectPtr stored = {};
  std::optional<AnyValue> value = {};

  static Reply Of(ObjectPtr stored, int status = 200) { return {.status = status, .stored = std::move(stored)}; }
  static Reply Of(AnyValue value, int status = 200) { return {.status = status, .value = std::move(value)}; }
  template <class T>
  static Reply Holding(T object, int status = 200) {
    AnyValue value(TypeOf<T>());
    *static_cast<T*>(value.data()) = std::move(object);
    return {.status = status, .value = std::move(value)};
  }
};

}  // namespace keelson::apiserver
