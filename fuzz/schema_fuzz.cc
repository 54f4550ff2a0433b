// The schema of a custom resource, a value and what it was before, a line each: what is done to the value is done after
// the first time, and a verdict comes with reasons when it is bad and without when it is good.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/apiserver/schema/compile.h"
#include "keelson/apiserver/schema/defaults.h"
#include "keelson/apiserver/schema/embedded_metadata.h"
#include "keelson/apiserver/schema/go_numbers.h"
#include "keelson/apiserver/schema/list_types.h"
#include "keelson/apiserver/schema/prune.h"
#include "keelson/apiserver/schema/validate.h"
#include "keelson/codec/json_reader.h"

namespace {

using namespace keelson;
using namespace keelson::apiserver;

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

template <class Function>
void RequireOnceIsEnough(Json& value, Function change) {
  change(value);
  Json again = value;
  change(again);
  Require(again == value);
}

void Fit(Json& value, const Schema& schema) {
  const Json before = value;
  std::vector<std::string> removed;
  Prune(value, schema, &removed);
  Require(removed.empty() == (value == before));
  std::vector<std::string> left;
  Prune(value, schema, &left);
  Require(left.empty());
  RequireOnceIsEnough(value, [&](Json& one) { PruneNulls(one, schema); });
  RequireOnceIsEnough(value,
                      [&](Json& one) { Require(CoerceEmbedded(one, schema, {.drop_invalid = true}).has_value()); });
  RequireOnceIsEnough(value, [&](Json& one) { ApplyDefaults(one, schema); });
}

void Check(const Json& value, const Json* old, const Schema& schema) {
  FieldErrors errors;
  ValidateValue(schema, value, nullptr, Path(""), errors);
  Require(errors.empty() == IsValid(schema, value));
  (void)MayRunRules(errors);
  FieldErrors of_update;
  if (old != nullptr) ValidateValue(schema, value, old, Path(""), of_update);
  Require(of_update.size() <= errors.size());

  FieldErrors others;
  ValidateDocument(schema, {.api_version = "example.com/v1", .kind = "Thing", .name = "one"}, value, old, others);
  ValidateEmbedded(value, schema, others);
  ValidateListTypes(value, schema, others);
  if (old != nullptr) ValidateListTypesUpdate(value, *old, schema, others);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<apiextensionsv1::JSONSchemaProps> source = FromJson<apiextensionsv1::JSONSchemaProps>(TakeLine(text));
  if (!source) return 0;
  const Result<SchemaPtr> schema = CompileSchema(*source);
  if (!schema) return 0;
  Result<Json> value = ParseJson(TakeLine(text));
  if (!value) return 0;
  Result<Json> old = ParseJson(TakeLine(text));
  if (old) Fit(*old, **schema);

  Check(*value, old ? &*old : nullptr, **schema);
  Fit(*value, **schema);
  Check(*value, old ? &*old : nullptr, **schema);
  RequireOnceIsEnough(*value, NormalizeNumbers);
  return 0;
}
