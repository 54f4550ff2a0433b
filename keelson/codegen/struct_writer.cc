#include "keelson/codegen/struct_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "keelson/codec/json_writer.h"
#include "keelson/codec/merge_patch.h"
#include "keelson/codegen/builtin_schemas.h"
#include "keelson/codegen/cpp_names.h"
#include "keelson/codegen/root_schema.h"

namespace keelson::codegen {

namespace {

constexpr int kMaxDepth = 100;

// Keywords that speak of one use of a type and are no part of the type.
constexpr auto kOfTheUse = std::to_array<std::string_view>({"default", "description", "example", "nullable"});

bool Contains(const Schema& schema, std::string_view keyword) { return schema.find(keyword) != nullptr; }

bool IsTrue(const Schema& schema, std::string_view keyword) {
  const Json* value = schema.find(keyword);
  return value != nullptr && value->is_bool() && value->boolean();
}

Schema WithoutUse(Schema schema) {
  for (const std::string_view keyword : kOfTheUse) schema.erase(keyword);
  return schema;
}

Schema OnlyUse(const Schema& schema) {
  Schema use;
  for (const std::string_view keyword : kOfTheUse) {
    if (const Json* value = schema.find(keyword)) use.Set(String(keyword), *value);
  }
  return use;
}

bool HasOnly(const Schema& schema, std::initializer_list<std::string_view> keywords) {
  return std::all_of(schema.begin(), schema.end(), [&](const auto& member) {
    return std::find(keywords.begin(), keywords.end(), member.key.view()) != keywords.end();
  });
}

Schema BuiltinSchema(std::string_view name) {
  const Json* schema = FindBuiltinSchema(name);
  return schema == nullptr ? Schema() : schema->object();
}

bool IsEnumOfIdentifiers(const Json& values) {
  std::set<std::string_view> seen;
  for (const Json& value : values.list()) {
    if (!value.is_string() || !IsIdentifier(value.string()) || !seen.insert(value.string().view()).second) return false;
  }
  return !seen.empty();
}

// JSON on one line, without characters that a comment had better not hold.
std::string CommentJson(const Json& value) {
  const std::string json = ToJson(value);
  std::string text;
  for (size_t i = 0; i < json.size(); ++i) {
    const auto byte = [&](size_t at) { return static_cast<unsigned char>(json[at]); };
    const bool three_bytes = byte(i) == 0xE2 && i + 2 < json.size() && (byte(i + 1) == 0x80 || byte(i + 1) == 0x81);
    if (three_bytes) {
      text += fmt::format("\\u{:04x}", (byte(i) & 0x0F) << 12 | (byte(i + 1) & 0x3F) << 6 | (byte(i + 2) & 0x3F));
      i += 2;
    } else if (byte(i) == 0x7F) {
      text += "\\u007f";
    } else {
      text += json[i];
    }
  }
  return text;
}

// Description and markers above a declaration or a member.
std::string CommentText(std::string_view indent, std::string_view description, ToldSchema told) {
  std::string text;
  const DescriptionText lines = TellDescription(description);
  for (const std::string& line : lines.lines) {
    text += fmt::format("{}//{}{}\n", indent, line.empty() ? "" : " ", line);
  }
  if (!lines.exact) told.rest.Set("description", description);
  for (const std::string& marker : told.markers) text += fmt::format("{}// +{}\n", indent, marker);
  if (!told.rest.empty()) text += fmt::format("{}// +keelson:schema={}\n", indent, CommentJson(told.rest));
  return text;
}

void Append(ToldSchema& to, ToldSchema from) {
  for (std::string& marker : from.markers) to.markers.push_back(std::move(marker));
  for (const auto& [keyword, value] : from.rest) to.rest.Set(keyword, value);
}

std::set<std::string> RequiredNames(const Schema& schema) {
  std::set<std::string> names;
  if (const Json* required = schema.find("required")) {
    for (const Json& name : required->list()) names.emplace(name.string());
  }
  return names;
}

const JsonObject& Properties(const Schema& schema) {
  static const JsonObject kNone;
  const Json* properties = schema.find("properties");
  return properties == nullptr ? kNone : properties->object();
}

// For the elements of a list or map. One that is an element itself may need its own name for an alias.
std::string ElementName(const std::string& name, SchemaPlace place) {
  return place == SchemaPlace::kField ? SingularOf(name) : name + "Item";
}

// Names that are required without being described: no member says so.
void TellRequired(const Schema& schema, ToldSchema& told) {
  const std::set<std::string> required = RequiredNames(schema);
  const JsonObject& properties = Properties(schema);
  if (std::all_of(required.begin(), required.end(), [&](const auto& name) { return properties.contains(name); }))
    return;
  JsonList names;
  for (const std::string& name : required) names.push_back(name);
  told.rest.Set("required", names);
}

}  // namespace

void StructWriter::WriteRoot(const std::string& kind, const Schema& schema, const std::vector<std::string>& markers,
                             const std::string& path) {
  if (SchemaText(schema, "type") != "object") {
    Nothing(path, "the schema of a resource must have `type: object`");
    return;
  }
  std::string members = MembersText(schema, kind, path, true);
  const auto own_property = [&](std::string_view name) {
    const Json* property = Properties(schema).find(name);
    return property == nullptr ? Json() : *property;
  };
  // `apiVersion`, `kind` and `metadata` come from the generator of CRDs. Where they differ here, a patch says so.
  Json generated = JsonObject();
  Json wanted = JsonObject();
  for (const auto& [name, property] : RootProperties()) {
    generated.object().Set(name, property);
    Json own = own_property(name);
    if (!own.is_null()) wanted.object().Set(name, own);
  }
  ToldSchema told{.markers = markers, .rest = {}};
  Append(told, TellSchema(schema, {.keywords = {{"type", "object"}}, .type = "object", .is_struct = true},
                          SchemaPlace::kType));
  TellRequired(schema, told);
  const Json patch = CreateMergePatch(generated, wanted);
  if (!patch.object().empty()) told.rest.Set("properties", patch);
  declarations_.push_back(CommentText("", SchemaText(schema, "description"), std::move(told)) + "struct " + kind +
                          " {\n" + members + "};\n");
}

StructWriter::Use StructWriter::Nothing(const std::string& path, std::string problem) {
  problems_.Add({.file = path, .line = 0, .column = 0}, std::move(problem));
  return {.type = "keelson::Json", .initialiser = "{}", .told = {}};
}

StructWriter::Use StructWriter::ValueUse(const Schema& schema, const std::string& name, const std::string& path,
                                         SchemaPlace place) {
  if (depth_ >= kMaxDepth) {
    return Nothing(path, fmt::format("the schema is nested more than {} levels deep", kMaxDepth));
  }
  if (Contains(schema, "$ref")) return Nothing(path, "$ref is not allowed in a CRD: write the schema out");
  const std::string_view type = SchemaText(schema, "type");
  const auto inline_use = [&](std::string cpp, std::string initialiser, Schema known) {
    return Use{.type = std::move(cpp),
               .initialiser = std::move(initialiser),
               .told = TellSchema(schema, {.keywords = std::move(known), .type = std::string(type)}, place)};
  };
  if (IsTrue(schema, "x-kubernetes-int-or-string")) {
    const Schema quantity = BuiltinSchema("api/resource.Quantity");
    return SchemaText(schema, "pattern") == SchemaText(quantity, "pattern")
               ? BuiltinUse("keelson::Quantity", quantity, schema, place)
               : BuiltinUse("keelson::IntOrString", BuiltinSchema("util/intstr.IntOrString"), schema, place);
  }
  if (type == "object") return ObjectUse(schema, name, path, place);
  if (type == "array") return ListUse(schema, name, path, place);
  if (type == "string") return StringUse(schema, name, place);
  if (type == "boolean") return inline_use("bool", "false", {{"type", "boolean"}});
  if (type == "number") return inline_use("double", "0", {{"type", "number"}});
  if (type == "integer") {
    includes_.insert("<cstdint>");
    const bool is_short = SchemaText(schema, "format") == "int32";
    return inline_use(is_short ? "int32_t" : "int64_t", "0",
                      {{"type", "integer"}, {"format", is_short ? "int32" : "int64"}});
  }
  if (!type.empty()) {
    return Nothing(
        path, fmt::format("type '{}' is unknown: expected array, boolean, integer, number, object or string", type));
  }
  if (IsTrue(schema, "x-kubernetes-preserve-unknown-fields")) {
    return BuiltinUse("keelson::Json", BuiltinSchema("apiextensions/v1.JSON"), schema, place);
  }
  return Nothing(path,
                 "a schema needs a `type`, `x-kubernetes-int-or-string: true` or "
                 "`x-kubernetes-preserve-unknown-fields: true`");
}

StructWriter::Use StructWriter::BuiltinUse(const std::string& type, const Schema& known, const Schema& schema,
                                           SchemaPlace place) {
  ToldSchema told = TellSchema(schema, {.keywords = known, .type = ""}, place);
  if (place == SchemaPlace::kField && !told.rest.empty()) {
    // Without the schema of the built-in type, markers may be able to say all.
    ToldSchema schemaless{.markers = {"kubebuilder:validation:Schemaless"}, .rest = {}};
    Append(schemaless, TellSchema(schema, {}, place));
    if (schemaless.rest.size() < told.rest.size()) told = std::move(schemaless);
  }
  return {.type = type, .initialiser = "{}", .told = std::move(told)};
}

StructWriter::Use StructWriter::ObjectUse(const Schema& schema, const std::string& name, const std::string& path,
                                          SchemaPlace place) {
  const bool has_properties = !Properties(schema).empty();
  if (const Json* values = schema.find("additionalProperties")) {
    if (has_properties) {
      return Nothing(path, "properties and additionalProperties exclude each other in a CRD: give one of them");
    }
    if (!values->is_bool()) return MapUse(schema, name, path, place);
    if (!values->boolean())
      return Nothing(path + ".additionalProperties", "false is not allowed in a CRD: leave it out");
    includes_.insert({"<map>", "<string>"});
    Use use{.type = "std::map<std::string, keelson::Json>",
            .initialiser = "{}",
            .told = TellSchema(schema, {.keywords = {{"type", "object"}}, .type = "object"}, place),
            .is_collection = true};
    use.told.rest.Set("additionalProperties", true);
    return use;
  }
  const bool is_resource = IsTrue(schema, "x-kubernetes-embedded-resource");
  if (!has_properties && (is_resource || IsTrue(schema, "x-kubernetes-preserve-unknown-fields"))) {
    return BuiltinUse("keelson::RawExtension", BuiltinSchema("runtime.RawExtension"), schema, place);
  }
  return StructUse(schema, name, path, place);
}

StructWriter::Use StructWriter::MapUse(const Schema& schema, const std::string& name, const std::string& path,
                                       SchemaPlace place) {
  includes_.insert({"<map>", "<string>"});
  const std::string element = ElementType(schema.find("additionalProperties")->object(), ElementName(name, place),
                                          path + ".additionalProperties", nullptr);
  return {.type = "std::map<std::string, " + element + ">",
          .initialiser = "{}",
          .told = TellSchema(schema, {.keywords = {{"type", "object"}}, .type = "object"}, place),
          .is_collection = true};
}

StructWriter::Use StructWriter::ListUse(const Schema& schema, const std::string& name, const std::string& path,
                                        SchemaPlace place) {
  const Json* items = schema.find("items");
  if (items == nullptr) return Nothing(path, "an array needs `items`");
  if (!items->is_object())
    return Nothing(path + ".items", "expected one schema for all items, found a list of schemas");
  Use use{.type = {},
          .initialiser = "{}",
          .told = TellSchema(schema, {.keywords = {{"type", "array"}}, .type = "array"}, place),
          .is_collection = true};
  const std::string element = ElementType(items->object(), ElementName(name, place), path + ".items", &use.told);
  // std::vector<bool> has no elements to point at.
  const bool is_boolean = SchemaText(items->object(), "type") == "boolean" && !IsTrue(items->object(), "nullable");
  if (!is_boolean) includes_.insert("<vector>");
  use.type = (is_boolean ? "keelson::List<" : "std::vector<") + element + ">";
  return use;
}

StructWriter::Use StructWriter::StringUse(const Schema& schema, const std::string& name, SchemaPlace place) {
  const std::string_view format = SchemaText(schema, "format");
  const Json* values = schema.find("enum");
  if (values != nullptr && enum_classes_ && IsEnumOfIdentifiers(*values) &&
      HasOnly(WithoutUse(schema), {"type", "enum", "title", "externalDocs", "x-kubernetes-validations"})) {
    return EnumUse(schema, name, place);
  }
  if (format == "date-time") {
    const Schema time = BuiltinSchema("meta/v1.Time");
    // Beside the built-in type no marker may speak of texts.
    if (TellSchema(WithoutUse(schema), {.keywords = time, .type = ""}, place).rest.empty()) {
      return BuiltinUse("keelson::metav1::Time", time, schema, place);
    }
  }
  Schema known = {{"type", "string"}};
  if (format == "byte") known.Set("format", "byte");
  if (format != "byte") includes_.insert("<string>");
  return {.type = format == "byte" ? "keelson::Bytes" : "std::string",
          .initialiser = "{}",
          .told = TellSchema(schema, {.keywords = known, .type = "string"}, place)};
}

StructWriter::Use StructWriter::EnumUse(const Schema& schema, const std::string& name, SchemaPlace place) {
  const std::string type = UniqueTypeName(name);
  const TypeSchema known = {.keywords = {{"type", "string"}, {"enum", *schema.find("enum")}}, .type = "string"};
  const bool is_element = place == SchemaPlace::kType;
  std::string text =
      is_element ? CommentText("", SchemaText(schema, "description"), TellSchema(schema, known, place)) : std::string();
  text += "enum class " + type + " {\n";
  for (const Json& value : schema.find("enum")->list()) {
    std::string enumerator(value.string());
    if (IsReservedName(enumerator)) {
      text += "  // +keelson:json=" + enumerator + "\n";
      enumerator += '_';
    }
    text += "  " + enumerator + ",\n";
  }
  declarations_.push_back(text + "};\n");
  return {.type = type,
          .initialiser = "{}",
          .told = is_element ? ToldSchema() : TellSchema(schema, known, place),
          .is_declared = true};
}

StructWriter::Use StructWriter::StructUse(const Schema& schema, const std::string& name, const std::string& path,
                                          SchemaPlace place) {
  const std::string type = UniqueTypeName(name);
  const TypeSchema known = {.keywords = {{"type", "object"}}, .type = "object", .is_struct = true};
  const bool is_element = place == SchemaPlace::kType;
  std::string members = MembersText(schema, type, path, false);
  ToldSchema of_type = TellSchema(is_element ? schema : WithoutUse(schema), known, SchemaPlace::kType);
  TellRequired(schema, of_type);
  const std::string_view description = is_element ? SchemaText(schema, "description") : std::string_view();
  declarations_.push_back(CommentText("", description, std::move(of_type)) + "struct " + type + " {" +
                          (members.empty() ? "" : "\n") + members + "};\n");
  return {.type = type,
          .initialiser = "{}",
          .told = is_element ? ToldSchema() : TellSchema(OnlyUse(schema), {}, place),
          .is_declared = true};
}

std::string StructWriter::ElementType(const Schema& schema, const std::string& name, const std::string& path,
                                      ToldSchema* list_told) {
  ++depth_;
  Use use = ValueUse(schema, name, path, SchemaPlace::kType);
  --depth_;
  const bool is_nullable = IsTrue(schema, "nullable");
  const auto element = [&](const std::string& type) {
    if (!is_nullable) return type;
    includes_.insert("<optional>");
    return "std::optional<" + type + ">";
  };
  const std::string_view description = SchemaText(schema, "description");
  if (use.is_declared || (use.told.empty() && description.empty())) return element(use.type);
  if (list_told != nullptr && description.empty() && !use.is_collection && !use.type.starts_with("keelson::")) {
    const Schema known = use.type == "int32_t"   ? Schema{{"type", "integer"}, {"format", "int32"}}
                         : use.type == "int64_t" ? Schema{{"type", "integer"}, {"format", "int64"}}
                                                 : Schema{{"type", *schema.find("type")}};
    ToldSchema of_items =
        TellSchema(schema, {.keywords = known, .type = std::string(SchemaText(schema, "type"))}, SchemaPlace::kItems);
    if (of_items.rest.empty()) {
      Append(*list_told, std::move(of_items));
      return element(use.type);
    }
  }
  const std::string alias = UniqueTypeName(name);
  declarations_.push_back(CommentText("", description, std::move(use.told)) + "using " + alias + " = " + use.type +
                          ";\n");
  return element(alias);
}

std::string StructWriter::MembersText(const Schema& schema, const std::string& owner, const std::string& path,
                                      bool is_root) {
  const std::set<std::string> required = RequiredNames(schema);
  std::vector<Member> members;
  for (const auto& [name, property] : Properties(schema)) {
    if (is_root && RootProperties().contains(name)) continue;
    members.push_back(
        {.json_name = name.str(),
         .name = {},
         .schema = property.object(),
         .use = MemberUse(name.str(), property.object(), owner, path + ".properties." + name.str(), is_root),
         .required = required.contains(name.str()),
         .in_root = is_root});
  }
  std::set<std::string> taken;
  if (is_root) taken = {"metadata"};
  // Those whose JSON name can be theirs go first: another name that is folded to the same has to give way.
  for (const bool folded : {false, true}) {
    for (Member& member : members) {
      const bool is_folded = JsonNameOf(MemberName(member.json_name)) != member.json_name;
      if (is_folded == folded) member.name = UniqueMemberName(member.json_name, taken);
    }
  }
  std::string text;
  if (is_root) {
    ToldSchema told;
    if (required.contains("metadata")) told.markers = {"required"};
    text = CommentText("  ", "", std::move(told)) + "  keelson::metav1::ObjectMeta metadata = {};\n";
  }
  bool had_comment = is_root;
  for (Member& member : members) {
    const std::string member_text = MemberText(member);
    const bool has_comment = member_text.starts_with("  //");
    if (!text.empty() && (has_comment || had_comment)) text += "\n";
    text += member_text;
    had_comment = has_comment;
  }
  return text;
}

StructWriter::Use StructWriter::MemberUse(const std::string& json_name, const Schema& schema, const std::string& owner,
                                          const std::string& path, bool in_root) {
  if (std::any_of(json_name.begin(), json_name.end(), [](char c) {
        return static_cast<unsigned char>(c) < ' ' || std::string_view(",\"'`\\\x7F").find(c) != std::string_view::npos;
      })) {
    return Nothing(path,
                   "a name with a comma, a quotation mark, a backslash or a control character cannot be that of a C++ "
                   "member");
  }
  // What controller-gen makes of ObjectMeta inside a spec.
  if (!in_root && json_name == "metadata" && WithoutUse(schema) == Schema{{"type", "object"}}) {
    return BuiltinUse("keelson::metav1::ObjectMeta", BuiltinSchema("meta/v1.ObjectMeta"), schema, SchemaPlace::kField);
  }
  ++depth_;
  Use use = ValueUse(schema, owner + TypeNamePart(json_name), path, SchemaPlace::kField);
  --depth_;
  return use;
}

std::string StructWriter::MemberText(Member& member) {
  std::vector<std::string>& markers = member.use.told.markers;
  if (JsonNameOf(member.name) != member.json_name) {
    markers.insert(markers.begin(), "keelson:json=" + MarkerString(member.json_name));
  }
  const bool is_nullable = IsTrue(member.schema, "nullable");
  // A spec is more pleasant without a test for presence, and objects without one are rare.
  const bool is_plain_spec = member.in_root && member.json_name == "spec" && member.use.is_declared && !is_nullable;
  bool is_optional = !member.required || is_nullable;
  if (member.required && is_nullable) {
    markers.push_back("required");
  } else if (!member.required && (member.use.is_collection || is_plain_spec)) {
    markers.push_back("optional");
    is_optional = false;
  }
  if (is_optional) includes_.insert("<optional>");
  return CommentText("  ", SchemaText(member.schema, "description"), std::move(member.use.told)) +
         (is_optional ? fmt::format("  std::optional<{}> {} = {{}};\n", member.use.type, member.name)
                      : fmt::format("  {} {} = {};\n", member.use.type, member.name, member.use.initialiser));
}

std::string StructWriter::UniqueTypeName(const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; !type_names_.insert(name).second; ++number) name = wanted + std::to_string(number);
  return name;
}

std::string StructWriter::UniqueMemberName(const std::string& json_name, std::set<std::string>& taken) const {
  const std::string wanted = MemberName(json_name);
  // A member hides the type of its name from the members after it.
  std::string name = type_names_.contains(wanted) ? wanted + "_" : wanted;
  for (int number = 2; !taken.insert(name).second; ++number) name = wanted + std::to_string(number);
  return name;
}

}  // namespace keelson::codegen
