// Writes JSON as a protobuf message by a table that says which member is which field.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "keelson/api/json.h"
#include "keelson/codec/internal/protobuf_wire.h"

namespace keelson::apiserver::openapi {

using ProtobufWriter = keelson::internal::BackwardWriter;
// Writes the fields of a message, the last one first.
using MessageBody = void (*)(const Json& value, ProtobufWriter& out);

enum class FieldForm : uint8_t {
  kText,
  kTexts,  // of a list of them
  kBool,
  kDouble,
  kInteger,
  kMessage,
  kMessages,  // of a list of objects
  kAny,       // any value, as YAML within a message
  kAnys,
};

struct MessageField {
  std::string_view name;  // of the member
  uint32_t number;
  FieldForm form;
  MessageBody body = nullptr;
};

// Fields in the order of their numbers; members whose name begins with "x-" are `extensions`. As in proto3, what is
// zero or empty is not written.
void WriteFields(std::span<const MessageField> fields, uint32_t extensions, const Json& value, ProtobufWriter& out);

// A message whose field `number` repeats entries, one for each member of `value`, of a name and a message.
void WriteEntries(const Json& value, uint32_t number, MessageBody body, ProtobufWriter& out);
template <MessageBody body, uint32_t number = 1>
void Entries(const Json& value, ProtobufWriter& out) {
  WriteEntries(value, number, body, out);
}

// A message with one field, which is the message that `body` writes.
template <MessageBody body, uint32_t number = 1>
void Wrapped(const Json& value, ProtobufWriter& out) {
  const size_t mark = out.size();
  body(value, out);
  out.PrependHeader(number, mark);
}

// A message whose first field repeats texts: those of a list, or one.
void WriteTexts(const Json& value, ProtobufWriter& out);
// A field of a message that can be one of several: false is written, too.
void WriteChosenBool(uint32_t number, bool value, ProtobufWriter& out);
void WriteChosenDouble(uint32_t number, double value, ProtobufWriter& out);

// Whether the value refers to another by "$ref".
bool IsReference(const Json& value);

}  // namespace keelson::apiserver::openapi
