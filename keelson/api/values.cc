#include "keelson/api/values.h"

namespace keelson {

#define KEELSON_VALUE_TYPE(cpp_type, type_name, type_kind, type_storage) \
  const Type Describe<cpp_type>::type = {                                \
      .name = type_name, .kind = Kind::type_kind, .storage = Storage::type_storage, .size = sizeof(cpp_type)}

KEELSON_VALUE_TYPE(bool, "bool", kBool, kInline);
KEELSON_VALUE_TYPE(int32_t, "int32", kInt32, kInline);
KEELSON_VALUE_TYPE(int64_t, "int64", kInt64, kInline);
KEELSON_VALUE_TYPE(double, "double", kDouble, kInline);
KEELSON_VALUE_TYPE(String, "string", kString, kNode);
KEELSON_VALUE_TYPE(Bytes, "bytes", kBytes, kNode);
KEELSON_VALUE_TYPE(Quantity, "quantity", kQuantity, kInline);
KEELSON_VALUE_TYPE(metav1::Time, "time", kTime, kInline);
KEELSON_VALUE_TYPE(metav1::MicroTime, "microtime", kMicroTime, kInline);
KEELSON_VALUE_TYPE(metav1::Duration, "duration", kDuration, kInline);
KEELSON_VALUE_TYPE(IntOrString, "int-or-string", kIntOrString, kInline);
KEELSON_VALUE_TYPE(RawExtension, "raw", kRawExtension, kNode);
KEELSON_VALUE_TYPE(FieldsV1, "fields", kFieldsV1, kNode);
KEELSON_VALUE_TYPE(Json, "json", kJson, kInline);

#undef KEELSON_VALUE_TYPE

static_assert(sizeof(Quantity) == 16 && sizeof(metav1::Time) == 8 && sizeof(metav1::MicroTime) == 8);
static_assert(sizeof(metav1::Duration) == 8 && sizeof(IntOrString) == 16);

namespace internal {

const Type kWrappedList = {.name = "list",
                           .kind = Kind::kList,
                           .storage = Storage::kNode,
                           .size = sizeof(List<String>),
                           .element = &Describe<String>::type,
                           .wrapped = true};
const Type kMapOfWrappedLists = {.name = "map",
                                 .kind = Kind::kMap,
                                 .storage = Storage::kNode,
                                 .size = sizeof(Map<List<String>>),
                                 .element = &kWrappedList};

}  // namespace internal
}  // namespace keelson
