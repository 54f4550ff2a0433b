// kubectl's JSONPath templates, with the meaning that k8s.io/client-go/util/jsonpath gives them.
//
//   Result<JsonPath> path = JsonPath::Parse("{range .items[*]}{.metadata.name}{\"\\n\"}{end}");
//   Result<std::string> text = path->Render(pods);                 // a typed object or a Json
//
//   Result<JsonPath> column = JsonPath::ParseSimple(".status.availableReplicas");   // as CRDs write it
//   Result<std::vector<Json>> values = column->Find(app);                           // empty when the field is absent
//
// Text outside braces is copied. Inside: .field ['field'] .a\.b [2] [-1] [start:end:step] [*] .* ..field ['a','b']
// [0,2]
// [?(@.x=="y")] with == != < <= > >= or a bare path, "quoted text", numbers, @ and $ (both: the current object), {range
// …} and {end}. Strings print raw, numbers as Go prints them, lists and objects as JSON.
//
// A typed object is read by its table, so only what was selected is converted to Json. The result is that of the
// object's JSON form (a field that JSON leaves out is not found), but for fields that the type does not know: those are
// not seen. Members of objects come in the order of their names, where Go's order is random.
//
// Immutable after parsing, so one may be used by several threads; copies share the parsed template.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/core/result.h"

namespace keelson {

namespace internal {
struct JsonPathNode;
}  // namespace internal

struct JsonPathOptions {
  // A field that is not there is no result instead of an error; kubectl sets it.
  bool allow_missing_keys = false;
  // How many values one evaluation may visit, and how much text it may produce.
  size_t max_steps = 50'000'000;
  size_t max_output_bytes = size_t{256} << 20;
};

class JsonPath {
 public:
  static constexpr size_t kMaxTemplateBytes = 64 << 10;

  static Result<JsonPath> Parse(std::string_view text, JsonPathOptions options = {});
  // A path without braces, as in a CRD's printer columns and selectable fields. Missing keys are allowed.
  static Result<JsonPath> ParseSimple(std::string_view path);

  // The whole template as text.
  template <class T>
  Result<std::string> Render(const T& data) const {
    return Render(TypeOf<T>(), &data);
  }
  Result<std::string> Render(const Type& type, const void* data) const;

  // Each part's results as an indented JSON array: kubectl's jsonpath-as-json.
  template <class T>
  Result<std::string> RenderAsJson(const T& data) const {
    return RenderAsJson(TypeOf<T>(), &data);
  }
  Result<std::string> RenderAsJson(const Type& type, const void* data) const;

  // What the template selects, in order; text counts as a string.
  template <class T>
  Result<std::vector<Json>> Find(const T& data) const {
    return Find(TypeOf<T>(), &data);
  }
  Result<std::vector<Json>> Find(const Type& type, const void* data) const;

 private:
  JsonPath(std::shared_ptr<const internal::JsonPathNode> root, JsonPathOptions options)
      : root_(std::move(root)), options_(options) {}

  std::shared_ptr<const internal::JsonPathNode> root_;
  JsonPathOptions options_;
};

}  // namespace keelson
