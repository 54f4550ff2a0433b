// What stands behind `?` in a request's target, as forms and Go's net/url write it.
//
//   const FormQuery query = FormQuery::Parse(request.query);     // "verbose&exclude=etcd&exclude=ping"
//   if (query.Has("verbose")) …
//   for (const std::string& name : query.All("exclude")) …
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keelson {

// Nothing when an escape is cut off or no hexadecimal number.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_blank);

// Parameters in the order in which they came; a name may come several times. Immutable.
class FormQuery {
 public:
  // Cannot fail: parameters that cannot be decoded or contain a semicolon are left out, as Go does.
  static FormQuery Parse(std::string_view text);

  bool Has(std::string_view name) const { return First(name) != nullptr; }
  // Null when there is none.
  const std::string* First(std::string_view name) const;
  std::vector<std::string> All(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace keelson
