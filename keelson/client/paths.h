// The addresses of the API: paths of resources and the queries behind them.
//
//   ResourcePath(pods, "default", "web", "log")                 // /api/v1/namespaces/default/pods/web/log
//   Query().Add("limit", 500).Add("labelSelector", "a=b").ToString()   // limit=500&labelSelector=a%3Db
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "keelson/client/resource.h"
#include "keelson/core/result.h"

namespace keelson {

// Everything but letters, digits and -._~ as %XX.
void AppendPercentEncoded(std::string_view text, std::string& out);

// "/api/v1", "/apis/apps/v1".
std::string GroupVersionPath(const GroupVersion& group_version);

// `name` and `subresource` may be empty; a subresource may have slashes ("proxy/healthz"). A namespace is used unless
// the resource is of the cluster. Errors: a name that cannot stand in a path (".", "..", with / or %), a
// subresource without name.
Result<std::string> ResourcePath(const Resource& resource, std::string_view namespace_, std::string_view name = {},
                                 std::string_view subresource = {});

// The part of a URL behind the question mark.
class Query {
 public:
  Query& Add(std::string_view key, std::string_view value);
  Query& Add(std::string_view key, const char* value) { return Add(key, std::string_view(value)); }
  template <std::integral T>
  Query& Add(std::string_view key, T value) {
    if constexpr (std::same_as<T, bool>) {
      return Add(key, std::string_view(value ? "true" : "false"));
    } else {
      return Add(key, std::string_view(std::to_string(value)));
    }
  }
  // Only when it is not empty.
  Query& AddText(std::string_view key, std::string_view value) { return value.empty() ? *this : Add(key, value); }

  bool empty() const { return text_.empty(); }
  const std::string& ToString() const& { return text_; }
  std::string ToString() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace keelson
