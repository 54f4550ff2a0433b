// An object of a custom kind, as the server works with it.
//
//   CustomObject* object = AsCustom(value);              // null when it is of a built-in kind
//   const Json* replicas = object->content.find("spec");
//
// All custom kinds have this one layout. What tells them apart at run time is their Type, made when their definition
// is: it has the group, version and kind, and the fields below. Objects refer to that Type, so they must not outlive
// the Resource that holds it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/json.h"
#include "keelson/api/meta/v1.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

struct CustomObject {
  metav1::ObjectMeta metadata = {};
  Json content = {};  // an object: every member of the document but apiVersion, kind and metadata; null counts as {}
};

// The layout, without a kind: what the Type of each custom kind is a copy of.
const Type& CustomLayout();
bool IsCustom(const Type& type);
CustomObject* AsCustom(AnyValue& value);
const CustomObject* AsCustom(const AnyValue& value);

// The whole document: kind and apiVersion, then metadata, then the content.
void AppendCustomJson(const Type& type, const CustomObject& object, std::string& out);
Json CustomDocument(const Type& type, const CustomObject& object);
// From a document whose kind is known to be right. Members of metadata that are not known are left out; their names go
// to `unknown_metadata` when it is not null. Error: metadata is not what it should be, named by its path.
Result<CustomObject> CustomFromDocument(Json document, std::vector<std::string>* unknown_metadata = nullptr);

}  // namespace keelson::apiserver

namespace keelson {

template <>
struct Describe<apiserver::CustomObject> {
  static const Type type;
};

}  // namespace keelson
