// What a request asks for, read off its method, path and query as Kubernetes lays them out.
//
//   GET /apis/apps/v1/namespaces/default/deployments/web/scale
//   → verb "get", group "apps", version "v1", namespace "default", resource "deployments", name "web",
//     subresource "scale"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/core/result.h"

namespace keelson::apiserver {

// The parameters of a query, percent-decoded, in order.
class Query {
 public:
  // A pair with a percent sign that two digits do not follow is passed over, as upstream does.
  static Query Parse(std::string_view text);

  // The first of that name, or nothing.
  std::optional<std::string_view> Find(std::string_view name) const;
  std::string Text(std::string_view name) const { return std::string(Find(name).value_or(std::string_view())); }
  std::vector<std::string> All(std::string_view name) const;
  // As Go converts query parameters to bools: absent, "0" and "false" (any case) are false, everything else is true.
  bool IsTrue(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

struct RequestInfo {
  bool is_resource = false;  // else only `path` and `verb` (the method in lower case) mean anything
  std::string path = {};     // decoded
  std::string verb = {};     // get, list, watch, create, update, patch, delete, deletecollection
  std::string group = {};
  std::string version = {};
  std::string namespace_ = {};  // of the request; for the resource "namespaces" itself: the name
  std::string resource = {};
  std::string name = {};
  std::string subresource = {};
  std::string subpath = {};  // what follows the subresource (proxy)
};

// A path with empty parts, or with a part that contains a slash, names no resource.
RequestInfo ParseRequest(std::string_view method, std::string_view path, const Query& query);

// nullopt for a percent sign without its two digits.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_blank);

}  // namespace keelson::apiserver
