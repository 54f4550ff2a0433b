#include "keelson/codegen/builtin_schemas.h"

#include "keelson/codec/json_reader.h"

namespace keelson::codegen {

// In the file that the build makes of data/kubernetes/crd_schemas.json.
extern const std::string_view kBuiltinSchemas;

const Json* FindBuiltinSchema(std::string_view name) {
  static const Json schemas = ParseJson(kBuiltinSchemas).value();
  // "#overrides" is a remark about the others.
  const Json* schema = schemas.find(name);
  return schema != nullptr && schema->is_object() ? schema : nullptr;
}

}  // namespace keelson::codegen
