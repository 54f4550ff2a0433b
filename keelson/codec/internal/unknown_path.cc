#include "keelson/codec/internal/unknown_path.h"

#include "keelson/api/access.h"
#include "keelson/api/meta/v1.h"

namespace keelson::internal {

namespace {

void AppendKeyText(std::string& path, const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kString: path += ReadString(type, value); break;
    case Kind::kInt32: path += std::to_string(*static_cast<const int32_t*>(value)); break;
    case Kind::kInt64: path += std::to_string(*static_cast<const int64_t*>(value)); break;
    case Kind::kBool: path += *static_cast<const bool*>(value) ? "true" : "false"; break;
    case Kind::kOptional:
      if (const void* present = ReadOptional(type, value)) AppendKeyText(path, *type.element, present);
      break;
    default: break;  // no other kind is a key of a list
  }
}

}  // namespace

void AppendFieldStep(std::string& path, std::string_view name) {
  path += kStep;
  path += name;
}

void AppendElementStep(std::string& path, const Field& field, const Type& element_type, const void* element,
                       size_t index) {
  path += kStep;
  path += '[';
  if (field.list_keys.empty() || !element_type.is_struct()) {
    path += std::to_string(index);
  } else {
    std::string_view keys = field.list_keys;
    while (!keys.empty()) {
      const std::string_view key = keys.substr(0, keys.find(','));
      keys.remove_prefix(std::min(keys.size(), key.size() + 1));
      path += key;
      path += '=';
      if (const Field* key_field = element_type.FindField(key)) {
        AppendKeyText(path, *key_field->type, ReadField(*key_field, element));
      }
      if (!keys.empty()) path += ',';
    }
  }
  path += ']';
}

void AppendEntryStep(std::string& path, std::string_view key) {
  path += kStep;
  path += '{';
  path += key;
  path += '}';
}

UnknownFields* FindUnknownFields(const Type& root, void* object) {
  if (!root.is_struct()) return nullptr;
  const Field* metadata = root.FindField("metadata");
  if (metadata == nullptr || metadata->type != &TypeOf<metav1::ObjectMeta>()) return nullptr;
  return &static_cast<metav1::ObjectMeta*>(WriteField(*metadata, object))->unknownFields;
}

const UnknownFields* FindUnknownFields(const Type& root, const void* object) {
  return FindUnknownFields(root, const_cast<void*>(object));
}

}  // namespace keelson::internal
