#include "keelson/codegen/root_schema.h"

namespace keelson::codegen {

const JsonObject& RootProperties() {
  static const JsonObject kProperties = {
      {"apiVersion",
       JsonObject({{"type", "string"},
                   {"description", "Group and version of the schema that this object follows, such as apps/v1."}})},
      {"kind",
       JsonObject({{"type", "string"}, {"description", "Name of the REST resource that this object represents."}})},
      // The server knows the metadata of objects; a schema may only bound the name.
      {"metadata", JsonObject({{"type", "object"}})},
  };
  return kProperties;
}

}  // namespace keelson::codegen
