#include "keelson/apiserver/custom/custom_object.h"

#include <fmt/format.h>

#include <cstddef>

#include "keelson/codec/convert.h"
#include "keelson/codec/json_writer.h"

namespace keelson {

namespace {

constexpr Field kCustomFields[] = {
    {.name = "metadata",
     .type = &Describe<metav1::ObjectMeta>::type,
     .offset = offsetof(apiserver::CustomObject, metadata)},
    // Has no name of its own: its members stand beside the metadata.
    {.name = "", .type = &Describe<Json>::type, .offset = offsetof(apiserver::CustomObject, content)},
};

}  // namespace

const Type Describe<apiserver::CustomObject>::type = {.name = "custom",
                                                      .kind = Kind::kStruct,
                                                      .storage = Storage::kInline,
                                                      .size = sizeof(apiserver::CustomObject),
                                                      .fields = kCustomFields};

}  // namespace keelson

namespace keelson::apiserver {

const Type& CustomLayout() { return TypeOf<CustomObject>(); }

bool IsCustom(const Type& type) { return type.fields.data() == CustomLayout().fields.data(); }

CustomObject* AsCustom(AnyValue& value) {
  return IsCustom(value.type()) ? static_cast<CustomObject*>(value.data()) : nullptr;
}
const CustomObject* AsCustom(const AnyValue& value) {
  return IsCustom(value.type()) ? static_cast<const CustomObject*>(value.data()) : nullptr;
}

void AppendCustomJson(const Type& type, const CustomObject& object, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{{\"kind\":\"{}\",\"apiVersion\":\"{}/{}\",\"metadata\":", type.object_kind,
                 type.group, type.version);
  AppendJson(TypeOf<metav1::ObjectMeta>(), &object.metadata, out);
  if (object.content.is_object() && !object.content.object().empty()) {
    // The members without the brace that opens them.
    const size_t at = out.size();
    AppendJson(TypeOf<Json>(), &object.content, out);
    out[at] = ',';
  } else {
    out += '}';
  }
}

Json CustomDocument(const Type& type, const CustomObject& object) {
  Json document = object.content.is_object() ? object.content : Json::Object();
  JsonObject& members = document.object();
  members.Set("apiVersion", Json(fmt::format("{}/{}", type.group, type.version)));
  members.Set("kind", Json(type.object_kind));
  members.Set("metadata", ToJsonValue(object.metadata));
  return document;
}

Result<CustomObject> CustomFromDocument(Json document, std::vector<std::string>* unknown_metadata) {
  CustomObject object;
  if (!document.is_object()) return Error(ErrorCode::kInvalidArgument, "expected an object");
  if (const Json* metadata = document.find("metadata"); metadata != nullptr && !metadata->is_null()) {
    if (!metadata->is_object()) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("metadata: expected object, found {}", ToString(metadata->kind())));
    }
    Result<void> read = DecodeJsonValue(TypeOf<metav1::ObjectMeta>(), &object.metadata, *metadata);
    if (!read) return Error(ErrorCode::kInvalidArgument, "metadata." + read.error().message());
    object.metadata.unknownFields = {};
    if (unknown_metadata != nullptr) {
      for (const auto& [name, value] : metadata->object()) {
        if (TypeOf<metav1::ObjectMeta>().FindField(name) == nullptr) unknown_metadata->push_back(name.str());
      }
    }
  }
  JsonObject& members = document.object();
  members.erase("apiVersion");
  members.erase("kind");
  members.erase("metadata");
  object.content = std::move(document);
  return object;
}

}  // namespace keelson::apiserver
