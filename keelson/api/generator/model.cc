#include "keelson/api/generator/model.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

namespace keelson::generator {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "generate-api-types: %s\n", message.c_str());
  std::exit(1);
}

element Load(simdjson::dom::parser& parser, const std::string& path) {
  auto document = parser.load(path);
  if (document.error()) Fail("cannot read " + path + ": " + simdjson::error_message(document.error()));
  return document.value();
}

std::string Text(const element& value) { return std::string(std::string_view(value)); }

std::string OptionalText(const object& from, const char* key) {
  element value;
  return from[key].get(value) == simdjson::SUCCESS ? Text(value) : "";
}

// Go's inlined structs keep their place in JSON; those whose name is not told by the data are named as in Go.
const std::map<std::string, std::vector<std::string>> kUnnamedFields = {
    {"apiextensions/v1.JSONSchemaPropsOrArray", {"schema", "jsonSchemas"}},
    {"apiextensions/v1.JSONSchemaPropsOrBool", {"allows", "schema"}},
    {"apiextensions/v1.JSONSchemaPropsOrStringArray", {"schema", "property"}},
    {"runtime.Unknown", {"", "contentEncoding", "contentType"}},
};

// Named lists that are messages of their own in protobuf.
const std::set<std::string> kWrappedLists = {"meta/v1.Verbs", "authentication/v1.ExtraValue",
                                             "authorization/v1.ExtraValue", "certificates/v1.ExtraValue"};

// Differ in nearly every object: see Field::unique.
const std::set<std::string> kUniqueFields = {"meta/v1.ObjectMeta.name", "meta/v1.ObjectMeta.uid",
                                             "meta/v1.ObjectMeta.resourceVersion",
                                             "core/v1.ContainerStatus.containerID"};

// Kinds of the meta package that every server speaks; the data names a kind only for the groups' own.
const std::map<std::string, std::string> kMetaGroups = {
    {"Status", ""},           {"APIGroup", ""},      {"APIGroupList", ""},  {"APIResourceList", ""},
    {"APIVersions", ""},      {"CreateOptions", ""}, {"DeleteOptions", ""}, {"GetOptions", ""},
    {"ListOptions", ""},      {"PatchOptions", ""},  {"UpdateOptions", ""}, {"ApplyOptions", ""},
    {"Table", "meta.k8s.io"},
};

// An object of any kind: its TypeMeta is data, not known from the C++ type.
const std::set<std::string> kCarryTypeMeta = {"meta/v1.PartialObjectMetadata"};

const std::set<std::string> kReserved = {
    "alignas",     "alignof",   "and",        "and_eq",    "asm",      "auto",         "bitand",
    "bitor",       "bool",      "break",      "case",      "catch",    "char",         "char8_t",
    "char16_t",    "char32_t",  "class",      "compl",     "concept",  "const",        "consteval",
    "constexpr",   "constinit", "const_cast", "continue",  "co_await", "co_return",    "co_yield",
    "decltype",    "default",   "delete",     "do",        "double",   "dynamic_cast", "else",
    "enum",        "explicit",  "export",     "extern",    "false",    "float",        "for",
    "friend",      "goto",      "if",         "inline",    "int",      "long",         "mutable",
    "namespace",   "new",       "noexcept",   "not",       "not_eq",   "nullptr",      "operator",
    "or",          "or_eq",     "private",    "protected", "public",   "register",     "reinterpret_cast",
    "requires",    "return",    "short",      "signed",    "sizeof",   "static",       "static_assert",
    "static_cast", "struct",    "switch",     "template",  "this",     "thread_local", "throw",
    "true",        "try",       "typedef",    "typeid",    "typename", "union",        "unsigned",
    "using",       "virtual",   "void",       "volatile",  "wchar_t",  "while",        "xor",
    "xor_eq"};

std::string MemberName(const std::string& json_name) {
  std::string member;
  bool underscore = false;
  bool upper = false;
  for (const char c : json_name) {
    if (c == '$') {
      underscore = true;
    } else if (c == '-') {
      upper = true;
    } else {
      member += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = false;
    }
  }
  if (underscore || kReserved.count(member) != 0) member += '_';
  return member;
}

Package MakePackage(const std::string& path) {
  Package package{.path = path, .header = {}, .name_space = {}, .types = {}, .uses = {}};
  std::string shown = path == "clientcmd/api/v1" ? "clientcmd/v1" : path;
  if (shown.find('/') == std::string::npos || shown == "api/resource" || shown == "util/intstr") {
    package.header = "keelson/api/runtime.h";
    package.name_space = shown == "api/resource" ? "resource" : shown == "util/intstr" ? "intstr" : shown;
  } else {
    package.header = "keelson/api/" + shown + ".h";
    shown.erase(shown.find('/'), 1);
    package.name_space = shown;
  }
  return package;
}

// "core/v1.Pod" → "io.k8s.api.core.v1.Pod", as schemas.json names it.
std::string SchemaName(const TypeFacts& type) {
  std::string package = type.package;
  std::replace(package.begin(), package.end(), '/', '.');
  if (type.package == "meta/v1") return "io.k8s.apimachinery.pkg.apis." + package + "." + type.name;
  if (type.package == "apiextensions/v1") return "io.k8s.apiextensions-apiserver.pkg.apis." + package + "." + type.name;
  if (type.package == "apiregistration/v1") return "io.k8s.kube-aggregator.pkg.apis." + package + "." + type.name;
  return "io.k8s.api." + package + "." + type.name;
}

class Reader {
 public:
  explicit Reader(const std::string& folder)
      : types_(Load(types_parser_, folder + "/types.json")),
        schemas_(Load(schemas_parser_, folder + "/schemas.json")),
        resources_(Load(resources_parser_, folder + "/resources.json")) {}

  Model Read() {
    for (const auto [key, facts] : types_) ReadType(std::string(key), facts);
    for (auto& [key, type] : model_.types) {
      AddSchemaFacts(type);
      for (const FieldFacts& field : type.fields) NoteUse(model_.packages.at(type.package), field.go_type);
    }
    for (const object resource : resources_) ReadResource(resource);
    for (auto& [path, package] : model_.packages) OrderTypes(package);
    return std::move(model_);
  }

 private:
  void ReadResource(const object& facts) {
    ResourceFacts resource = {.plural = OptionalText(facts, "resource"),
                              .singular = OptionalText(facts, "singular"),
                              .namespaced = OptionalText(facts, "scope") == "Namespaced"};
    array subresources;
    if (facts["subresources"].get(subresources) == simdjson::SUCCESS) {
      for (const object subresource : subresources) {
        resource.has_status = resource.has_status || OptionalText(subresource, "name") == "status";
        resource.has_scale = resource.has_scale || OptionalText(subresource, "name") == "scale";
      }
    }
    for (auto& [key, type] : model_.types) {
      if (type.is_root && type.group == OptionalText(facts, "group") &&
          type.version == OptionalText(facts, "version") && type.kind == OptionalText(facts, "kind")) {
        type.resource = resource;
        return;
      }
    }
    Fail("no type has the kind of the resource " + resource.plural);
  }

  void ReadType(const std::string& key, const object& facts) {
    TypeFacts type;
    type.key = key;
    const size_t dot = key.rfind('.');
    type.package = key.substr(0, dot);
    type.name = key.substr(dot + 1);
    type.alias_of = OptionalText(facts, "is");
    type.is_wrapped_list = kWrappedLists.count(key) != 0;
    type.is_union = key.find("JSONSchemaPropsOr") != std::string::npos;
    type.is_value = facts["value"].error() == simdjson::SUCCESS;
    if (key == "apiextensions/v1.JSON") type.alias_of = "runtime.RawExtension";
    model_.packages.try_emplace(type.package, MakePackage(type.package));
    if (facts["fields"].error() == simdjson::SUCCESS) {
      type.messages.emplace_back();
      AddFields(type, 0, key);
      SetGroupVersionKind(type, facts);
      if (key == "meta/v1.ObjectMeta") {
        FieldFacts unknown;
        unknown.member = "unknownFields";
        unknown.go_type = "unknown";
        type.fields.push_back(unknown);
      }
    }
    if (key == "apiextensions/v1.CustomResourceSubresourceStatus")
      type.has_protobuf = true, type.messages.emplace_back();
    model_.types.emplace(key, std::move(type));
  }

  // Adds the fields of `source` to `type`, those of inlined structs in their place.
  void AddFields(TypeFacts& type, size_t message, const std::string& source) {
    const object facts = types_[source];
    const auto unnamed = kUnnamedFields.find(source);
    size_t position = 0;
    for (const array row : facts["fields"].get_array()) {
      std::string name = Text(row.at(0));
      if (unnamed != kUnnamedFields.end()) name = unnamed->second.at(position++);
      const std::string go_type = Text(row.at(1));
      const int number = static_cast<int>(int64_t(row.at(2)));
      const std::string flags = row.size() > 4 ? Text(row.at(4)) : "";
      if (number > 0) type.has_protobuf = true;
      if (flags == "inline") {
        if (go_type == "meta/v1.TypeMeta") {
          type.is_root = true;
          if (kCarryTypeMeta.count(type.key) != 0) {
            AddFields(type, message, go_type);
            for (MessageFacts::Row& field : type.messages[message].rows) field.number = 0;  // not on the wire
            std::erase_if(type.messages[message].rows,
                          [](const MessageFacts::Row& field) { return field.number == 0; });
            type.is_root = false;
          }
          continue;
        }
        type.messages.emplace_back();
        const size_t nested = type.messages.size() - 1;
        type.messages[message].rows.push_back({number, -1, static_cast<int>(nested)});
        AddFields(type, nested, go_type);
        // Go holds the raw bytes of an Unknown between its type and its encodings, and gives them no JSON name.
        if (source == "runtime.Unknown") AddField(type, message, source, "raw", "bytes", 2, "");
        continue;
      }
      AddField(type, message, source, name, go_type, number, flags);
    }
  }

  void AddField(TypeFacts& type, size_t message, const std::string& source, const std::string& name,
                const std::string& go_type, int number, const std::string& flags) {
    FieldFacts field;
    field.json_name = name;
    field.member = MemberName(name);
    field.go_type = go_type;
    field.number = number;
    field.omit_empty = flags.find("omitempty") != std::string::npos;
    field.omit_zero = flags.find("omitzero") != std::string::npos;
    field.unique = kUniqueFields.count(source + "." + name) != 0;
    if (number > 0) type.messages[message].rows.push_back({number, static_cast<int>(type.fields.size()), -1});
    type.fields.push_back(std::move(field));
  }

  void SetGroupVersionKind(TypeFacts& type, const object& facts) {
    if (!type.is_root) return;
    array kinds;
    if (facts["gvk"].get(kinds) == simdjson::SUCCESS) {
      const std::string gvk = Text(kinds.at(0));
      const size_t first = gvk.find('/');
      const size_t second = gvk.find('/', first + 1);
      type.group = gvk.substr(0, first);
      type.version = gvk.substr(first + 1, second - first - 1);
      type.kind = gvk.substr(second + 1);
      return;
    }
    const auto meta = kMetaGroups.find(type.name);
    if (type.package == "meta/v1" && meta != kMetaGroups.end()) {
      type.group = meta->second;
    } else if (type.name == "PartialObjectMetadataList") {
      type.group = "meta.k8s.io";
    } else {
      Fail("no group is known for " + type.key + ", which has a TypeMeta");
    }
    type.version = "v1";
    type.kind = type.name;
  }

  void AddSchemaFacts(TypeFacts& type) {
    object schema;
    if (schemas_[SchemaName(type)].get(schema) != simdjson::SUCCESS) return;
    std::set<std::string> required;
    array names;
    if (schema["required"].get(names) == simdjson::SUCCESS) {
      for (const element name : names) required.insert(Text(name));
    }
    object properties;
    if (schema["properties"].get(properties) != simdjson::SUCCESS) return;
    for (FieldFacts& field : type.fields) {
      object property;
      if (field.json_name.empty() || properties[field.json_name].get(property) != simdjson::SUCCESS) continue;
      field.required = required.count(field.json_name) != 0;
      field.list_type = OptionalText(property, "x-kubernetes-list-type");
      array keys;
      if (property["x-kubernetes-list-map-keys"].get(keys) == simdjson::SUCCESS) {
        for (const element key : keys) field.list_keys += (field.list_keys.empty() ? "" : ",") + Text(key);
      }
      const std::string strategy = OptionalText(property, "x-kubernetes-patch-strategy");
      field.patch_merge = strategy.find("merge") != std::string::npos;
      field.patch_replace = strategy == "replace";
      field.patch_retain_keys = strategy.find("retainKeys") != std::string::npos;
      field.patch_merge_key = OptionalText(property, "x-kubernetes-patch-merge-key");
      field.atomic = OptionalText(property, "x-kubernetes-map-type") == "atomic" || RefersToAtomic(property);
    }
  }

  bool RefersToAtomic(const object& property) {
    array parts;
    std::string reference = OptionalText(property, "$ref");
    if (property["allOf"].get(parts) == simdjson::SUCCESS) reference = OptionalText(object(parts.at(0)), "$ref");
    const size_t slash = reference.rfind('/');
    object schema;
    if (slash == std::string::npos || schemas_[reference.substr(slash + 1)].get(schema) != simdjson::SUCCESS)
      return false;
    return OptionalText(schema, "x-kubernetes-map-type") == "atomic";
  }

  // The package that a Go type's innermost name belongs to.
  void NoteUse(Package& package, const std::string& go_type) {
    size_t start = go_type.find_last_of("]*");
    start = start == std::string::npos ? 0 : start + 1;
    const size_t dot = go_type.rfind('.');
    if (dot == std::string::npos || dot < start) return;
    const std::string used = go_type.substr(start, dot - start);
    if (model_.packages.at(used).header != package.header) package.uses.insert(used);
  }

  // Depth first along members held in place.
  void OrderTypes(Package& package) {
    std::set<std::string> seen;
    const std::function<void(const TypeFacts&)> visit = [&](const TypeFacts& type) {
      if (type.package != package.path || !seen.insert(type.key).second) return;
      for (const FieldFacts& field : type.fields) {
        if (const TypeFacts* inner = InlineStruct(model_, field.go_type)) visit(*inner);
      }
      package.types.push_back(type.key);
    };
    for (const auto& [key, type] : model_.types) visit(type);
  }

  simdjson::dom::parser types_parser_;
  simdjson::dom::parser schemas_parser_;
  simdjson::dom::parser resources_parser_;
  object types_;
  object schemas_;
  array resources_;
  Model model_;
};

const TypeFacts& Named(const Model& model, const std::string& key) {
  const auto found = model.types.find(key);
  if (found == model.types.end()) Fail("unknown type " + key);
  return found->second;
}

bool HasPrefix(const std::string& text, std::string_view prefix) { return text.compare(0, prefix.size(), prefix) == 0; }

const std::map<std::string, std::string> kScalars = {
    {"string", "keelson::String"}, {"bool", "bool"},
    {"int32", "int32_t"},          {"int64", "int64_t"},
    {"float64", "double"},         {"bytes", "keelson::Bytes"},
    {"any", "keelson::Json"},      {"unknown", "keelson::UnknownFields"},
};
const std::map<std::string, std::string> kValueClasses = {
    {"api/resource.Quantity", "keelson::Quantity"},
    {"meta/v1.Duration", "metav1::Duration"},
    {"meta/v1.FieldsV1", "keelson::FieldsV1"},
    {"meta/v1.MicroTime", "metav1::MicroTime"},
    {"meta/v1.Time", "metav1::Time"},
    {"runtime.RawExtension", "keelson::RawExtension"},
    {"util/intstr.IntOrString", "keelson::IntOrString"},
};

}  // namespace

Model ReadModel(const std::string& data_folder) { return Reader(data_folder).Read(); }

std::string CppType(const Model& model, const std::string& go_type) {
  if (HasPrefix(go_type, "*")) return "keelson::Optional<" + CppType(model, go_type.substr(1)) + ">";
  if (HasPrefix(go_type, "[]")) return "keelson::List<" + CppType(model, go_type.substr(2)) + ">";
  if (HasPrefix(go_type, "map[")) return "keelson::Map<" + CppType(model, go_type.substr(go_type.find(']') + 1)) + ">";
  if (const auto scalar = kScalars.find(go_type); scalar != kScalars.end()) return scalar->second;
  if (const auto value = kValueClasses.find(go_type); value != kValueClasses.end()) return value->second;
  const TypeFacts& type = Named(model, go_type);
  return model.packages.at(type.package).name_space + "::" + type.name;
}

const TypeFacts* InlineStruct(const Model& model, const std::string& go_type) {
  if (go_type.find_first_of("*[") != std::string::npos || kScalars.count(go_type) != 0) return nullptr;
  const TypeFacts& type = Named(model, go_type);
  return type.is_value || !type.alias_of.empty() ? nullptr : &type;
}

std::string CppInitialiser(const Model& model, const std::string& go_type) {
  if (go_type == "bool") return "false";
  if (go_type == "int32" || go_type == "int64" || go_type == "float64") return "0";
  if (go_type.find_first_of("*[") == std::string::npos && kScalars.count(go_type) == 0) {
    const TypeFacts& type = Named(model, go_type);
    if (!type.alias_of.empty()) return CppInitialiser(model, type.alias_of);
  }
  return "{}";
}

bool OwnsMemory(const Model& model, const std::string& go_type) {
  static const std::set<std::string> kPlain = {
      "bool",        "int32", "int64", "float64", "api/resource.Quantity", "meta/v1.Duration", "meta/v1.MicroTime",
      "meta/v1.Time"};
  if (HasPrefix(go_type, "*") && InlineStruct(model, go_type.substr(1)) == nullptr) {
    return OwnsMemory(model, go_type.substr(1));
  }
  if (kPlain.count(go_type) != 0) return false;
  const auto named = model.types.find(go_type);
  return named == model.types.end() || named->second.alias_of.empty() || OwnsMemory(model, named->second.alias_of);
}

std::string TypeTable(const Model& model, const std::string& go_type) {
  if (HasPrefix(go_type, "map[")) {
    const std::string element = go_type.substr(go_type.find(']') + 1);
    if (kWrappedLists.count(element) != 0) return "internal::kMapOfWrappedLists";
  }
  if (kWrappedLists.count(go_type) != 0) return "internal::kWrappedList";
  return "Describe<" + CppType(model, go_type) + ">::type";
}

}  // namespace keelson::generator
