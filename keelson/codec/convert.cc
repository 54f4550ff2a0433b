#include "keelson/codec/convert.h"

#include "keelson/codec/json_writer.h"

namespace keelson {

Json ToJsonValue(const Type& type, const void* value) {
  std::string text;
  AppendJson(type, value, text);
  // What the writer writes the reader reads: a failure is a bug in one of them.
  return ParseJson(text, {.max_bytes = text.size(), .max_depth = 100000}).value();
}

Result<void> DecodeJsonValue(const Type& type, void* value, const Json& tree, const JsonReadOptions& options) {
  return DecodeJson(type, value, ToJson(tree), options);
}

}  // namespace keelson
