#include "keelson/apiserver/openapi/protobuf_message.h"

#include <bit>
#include <iterator>
#include <vector>

#include "keelson/codec/yaml_writer.h"

namespace keelson::apiserver::openapi {

namespace {

using keelson::internal::WireType;

void WriteAny(const Json& value, ProtobufWriter& out) {
  constexpr uint32_t kYaml = 2;
  std::string text;
  AppendYaml(value, text);
  out.PrependBytesField(kYaml, text);
}

void WriteEntry(std::string_view name, const Json& value, uint32_t number, MessageBody body, ProtobufWriter& out) {
  const size_t entry = out.size();
  body(value, out);
  out.PrependHeader(2, entry);
  out.PrependBytesField(1, name);
  out.PrependHeader(number, entry);
}

void WriteField(const MessageField& field, const Json& value, ProtobufWriter& out) {
  const auto message = [&](MessageBody body, const Json& one) {
    const size_t mark = out.size();
    body(one, out);
    out.PrependHeader(field.number, mark);
  };
  const auto messages = [&](MessageBody body) {
    if (!value.is_list()) return;
    const JsonList& list = value.list();
    for (size_t i = list.size(); i-- > 0;) message(body, list[i]);
  };
  switch (field.form) {
    case FieldForm::kText:
      if (value.is_string() && !value.string().empty()) out.PrependBytesField(field.number, value.string().view());
      return;
    case FieldForm::kTexts: {
      if (!value.is_list()) return;
      const JsonList& list = value.list();
      for (size_t i = list.size(); i-- > 0;) {
        if (list[i].is_string()) out.PrependBytesField(field.number, list[i].string().view());
      }
      return;
    }
    case FieldForm::kBool:
      if (value.is_bool() && value.boolean()) WriteChosenBool(field.number, true, out);
      return;
    case FieldForm::kDouble:
      if (value.is_number() && value.number() != 0) WriteChosenDouble(field.number, value.number(), out);
      return;
    case FieldForm::kInteger:
      if (!value.is_int() || value.integer() == 0) return;
      out.PrependVarint(static_cast<uint64_t>(value.integer()));
      out.PrependTag(field.number, WireType::kVarint);
      return;
    case FieldForm::kMessage: return message(field.body, value);
    case FieldForm::kMessages: return messages(field.body);
    case FieldForm::kAny: return message(WriteAny, value);
    case FieldForm::kAnys: return messages(WriteAny);
  }
}

}  // namespace

void WriteEntries(const Json& value, uint32_t number, MessageBody body, ProtobufWriter& out) {
  if (!value.is_object()) return;
  std::vector<std::pair<std::string_view, const Json*>> members;
  for (const auto& [name, member] : value.object()) members.emplace_back(name.view(), &member);
  for (auto at = members.rbegin(); at != members.rend(); ++at) WriteEntry(at->first, *at->second, number, body, out);
}

void WriteFields(std::span<const MessageField> fields, uint32_t extensions, const Json& value, ProtobufWriter& out) {
  if (!value.is_object()) return;
  std::vector<std::pair<std::string_view, const Json*>> extended;
  for (const auto& [name, member] : value.object()) {
    if (name.view().starts_with("x-")) extended.emplace_back(name.view(), &member);
  }
  for (auto at = extended.rbegin(); at != extended.rend(); ++at) {
    WriteEntry(at->first, *at->second, extensions, WriteAny, out);
  }
  for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
    if (const Json* member = value.find(field->name)) WriteField(*field, *member, out);
  }
}

void WriteTexts(const Json& value, ProtobufWriter& out) {
  if (value.is_string()) return out.PrependBytesField(1, value.string().view());
  if (!value.is_list()) return;
  const JsonList& list = value.list();
  for (size_t i = list.size(); i-- > 0;) {
    if (list[i].is_string()) out.PrependBytesField(1, list[i].string().view());
  }
}

void WriteChosenBool(uint32_t number, bool value, ProtobufWriter& out) {
  out.PrependVarint(value ? 1 : 0);
  out.PrependTag(number, WireType::kVarint);
}

void WriteChosenDouble(uint32_t number, double value, ProtobufWriter& out) {
  out.PrependFixed64(std::bit_cast<uint64_t>(value));
  out.PrependTag(number, WireType::kFixed64);
}

bool IsReference(const Json& value) {
  const Json* reference = value.find("$ref");
  return reference != nullptr && reference->is_string();
}

}  // namespace keelson::apiserver::openapi
