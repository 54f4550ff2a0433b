#include "keelson/apiserver/custom/custom_version.h"

#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/schema/compile.h"
#include "keelson/apiserver/schema/defaults.h"
#include "keelson/apiserver/schema/embedded_metadata.h"
#include "keelson/apiserver/schema/prune.h"
#include "keelson/apiserver/tables/printers.h"
#include "keelson/apiserver/version_order.h"
#include "keelson/codec/convert.h"

namespace keelson::apiserver {

namespace {

using Definition = apiextensionsv1::CustomResourceDefinition;
using VersionPtr = std::shared_ptr<const CustomVersion>;

const CustomObject& Custom(const void* object) { return *static_cast<const CustomObject*>(object); }
CustomObject& Custom(void* object) { return *static_cast<CustomObject*>(object); }

std::vector<std::string> Texts(const List<String>& texts) {
  std::vector<std::string> copied;
  for (const String& text : texts) copied.push_back(text.str());
  return copied;
}

// As Go's fmt prints a scalar of a document.
std::string Shown(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return {};
    case Json::Kind::kString: return value.string().str();
    case Json::Kind::kBool: return value.boolean() ? "true" : "false";
    case Json::Kind::kInt: return std::to_string(value.integer());
    default: return fmt::format("{}", value.number());
  }
}

// A path such as .spec.color over the content; metadata cannot be selected by.
std::string FieldAt(const JsonPath& path, const Json& content) {
  Result<std::vector<Json>> found = path.Find(content);
  return found && !found->empty() ? Shown(found->front()) : std::string();
}

// The fields of all versions, each once: one list of values serves requests of every version.
std::vector<std::string> SelectablePaths(const Definition& definition) {
  std::vector<std::string> paths;
  for (const auto& version : definition.spec.versions) {
    for (const auto& field : version.selectableFields) {
      std::string path = field.jsonPath.str();
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
    }
  }
  return paths;
}

void AddSelectableFields(CustomVersion& version, const std::vector<std::string>& paths) {
  std::vector<JsonPath> parsed;
  for (const std::string& path : paths) {
    const bool mine =
        std::any_of(version.definition.selectableFields.begin(), version.definition.selectableFields.end(),
                    [&](const auto& field) { return field.jsonPath == path; });
    Result<JsonPath> simple = JsonPath::ParseSimple(path);
    if (!simple) continue;
    // A field of other versions keeps its place without a name.
    version.rules.selectable_fields.push_back(mine ? path.substr(path.starts_with('.') ? 1 : 0) : std::string());
    parsed.push_back(std::move(*simple));
  }
  if (parsed.empty()) return;
  version.rules.read_fields = [parsed = std::move(parsed)](const void* object, std::vector<std::string>& values) {
    for (const JsonPath& path : parsed) values.push_back(FieldAt(path, Custom(object).content));
  };
}

void AddColumns(CustomVersion& version) {
  using Column = apiextensionsv1::CustomResourceColumnDefinition;
  const auto add = [&](const Column& column) {
    Result<JsonPath> path = JsonPath::ParseSimple(column.jsonPath);
    if (!path) return;
    metav1::TableColumnDefinition shown;
    shown.name = column.name;
    shown.type = column.type;
    shown.format = column.format;
    shown.priority = column.priority;
    shown.description = column.description;
    if (shown.description.empty()) {
      shown.description =
          fmt::format("Custom resource definition column (in JSONPath format): {}", column.jsonPath.view());
    }
    version.columns.push_back({.definition = std::move(shown), .path = std::move(*path)});
  };
  for (const Column& column : version.definition.additionalPrinterColumns) add(column);
  if (!version.definition.additionalPrinterColumns.empty()) return;
  Column age;
  age.name = "Age";
  age.type = "date";
  age.jsonPath = ".metadata.creationTimestamp";
  add(age);
}

void AddRules(CustomVersion& version) {
  const CustomVersion* self = &version;
  ErasedRules& rules = version.rules;
  rules.unconditional_update = false;
  rules.set_defaults = [self](void* object) {
    ApplyDefaults(Custom(object).content, *self->schema);
    PruneNulls(Custom(object).content, *self->schema);
  };
}

// Which version to use instead of one that is deprecated, as far as the definition tells.
std::string DeprecationWarning(const Definition& definition,
                               const apiextensionsv1::CustomResourceDefinitionVersion& version) {
  if (version.deprecationWarning) return version.deprecationWarning->str();
  const std::string_view group = definition.spec.group;
  const std::string_view kind = definition.spec.names.kind;
  std::string warning = fmt::format("{}/{} {} is deprecated", group, version.name.view(), kind);
  const apiextensionsv1::CustomResourceDefinitionVersion* better = nullptr;
  for (const auto& other : definition.spec.versions) {
    if (!other.served || other.deprecated || other.name == version.name) continue;
    if (!PreferredBefore(other.name, version.name)) continue;
    if (better == nullptr || PreferredBefore(other.name, better->name)) better = &other;
  }
  if (better != nullptr) warning += fmt::format("; use {}/{} {}", group, better->name.view(), kind);
  return warning;
}

Result<VersionPtr> CompileVersion(const Definition& definition,
                                  const apiextensionsv1::CustomResourceDefinitionVersion& source,
                                  const std::vector<std::string>& selectable) {
  auto version = std::make_shared<CustomVersion>();
  version->group = definition.spec.group.str();
  version->version = source.name.str();
  version->kind = definition.status.acceptedNames.kind.str();
  static_cast<Type&>(version->type) = CustomLayout();
  version->type.group = version->group;
  version->type.version = version->version;
  version->type.object_kind = version->kind;
  version->type.owner = version.get();
  version->definition = source;
  if (!source.schema || !source.schema->openAPIV3Schema) {
    return Error::InvalidArgument(fmt::format("version {} has no schema", version->version));
  }
  KEELSON_TRY(schema, CompileSchema(*source.schema->openAPIV3Schema));
  version->schema = std::move(schema);
  version->shapes = std::make_shared<ShapeBook>(version->schema.get());
  version->cel =
      SchemaRules::Compile(version->schema, fmt::format("{}/{}", version->group, version->version), version->kind);
  AddRules(*version);
  AddSelectableFields(*version, selectable);
  AddColumns(*version);
  if (source.deprecated) version->warnings.push_back(DeprecationWarning(definition, source));
  return VersionPtr(std::move(version));
}

ResourcePtr ResourceOf(const Definition& definition, VersionPtr version, VersionPtr stored, CollectionId collection,
                       Revision reread_up_to) {
  const auto& names = definition.status.acceptedNames;
  auto resource = std::make_shared<Resource>();
  resource->group = version->group;
  resource->version = version->version;
  resource->plural = names.plural.str();
  resource->singular = names.singular.str();
  resource->kind = names.kind.str();
  resource->list_kind = names.listKind.str();
  resource->namespaced = definition.spec.scope == "Namespaced";
  resource->verbs = {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
  resource->short_names = Texts(names.shortNames);
  resource->categories = Texts(names.categories);
  if (const auto& subresources = version->definition.subresources) {
    const std::vector<std::string> verbs = {"get", "patch", "update"};
    if (subresources->status) {
      resource->subresources.push_back(
          {.name = "status", .group = {}, .version = {}, .kind = resource->kind, .verbs = verbs});
    }
    if (subresources->scale) {
      resource->subresources.push_back(
          {.name = "scale", .group = "autoscaling", .version = "v1", .kind = "Scale", .verbs = verbs});
    }
  }
  resource->type = &version->type;
  resource->stored_type = &stored->type;
  resource->rules = &version->rules;
  resource->stored_rules = &stored->rules;
  if (version != stored) {
    // Conversion None: the same content, seen through another schema.
    resource->to_stored = [](const Resource&, const void* from, void* to) { Custom(to) = Custom(from); };
    resource->from_stored = [](const Resource& to_version, const void* from, void* to) {
      Custom(to) = Custom(from);
      FitToSchema(*to_version.custom, Custom(to));
    };
  }
  resource->collection = collection;
  resource->custom = std::move(version);
  resource->custom_stored = std::move(stored);
  resource->reread_up_to = reread_up_to;
  return resource;
}

Json Cell(const CustomColumn& column, const Json& value, WallTime now) {
  const std::string_view type = column.definition.type;
  if (value.is_null()) return {};
  if (type == "integer" && value.is_number()) return Json(value.is_int() ? value.integer() : int64_t(value.number()));
  if (type == "number" && value.is_number()) return Json(value.number());
  if (type == "boolean" && value.is_bool()) return value;
  if (type == "date" && value.is_string()) {
    const Result<metav1::Time> time = metav1::Time::Parse(value.string());
    return time ? Json(Age(*time, now)) : Json("<invalid>");
  }
  return {};
}

}  // namespace

const CustomVersion& VersionOf(const Type& type) { return *static_cast<const CustomType&>(type).owner; }

Result<ResourceList> ResourcesOf(const Definition& definition, CollectionId collection, Revision reread_up_to) {
  const std::vector<std::string> selectable = SelectablePaths(definition);
  std::vector<VersionPtr> versions;
  VersionPtr stored;
  for (const auto& source : definition.spec.versions) {
    if (!source.served && !source.storage) continue;
    KEELSON_TRY(version, CompileVersion(definition, source, selectable));
    if (source.storage) stored = version;
    if (source.served) versions.push_back(std::move(version));
  }
  if (stored == nullptr) return Error::InvalidArgument("no version is the one that is stored");
  ResourceList resources;
  for (VersionPtr& version : versions) {
    resources.push_back(ResourceOf(definition, std::move(version), stored, collection, reread_up_to));
  }
  return resources;
}

void FitToSchema(const CustomVersion& version, CustomObject& object) {
  if (!object.content.is_object()) object.content = Json::Object();
  // What was stored is never an error.
  (void)CoerceEmbedded(object.content, *version.schema, {.drop_invalid = true});
  Prune(object.content, *version.schema);
  version.rules.set_defaults(&object);
}

List<metav1::TableColumnDefinition> CustomColumns(const CustomVersion& version) {
  List<metav1::TableColumnDefinition> columns;
  metav1::TableColumnDefinition name;
  name.name = "Name";
  name.type = "string";
  name.format = "name";
  columns.push_back(std::move(name));
  for (const CustomColumn& column : version.columns) columns.push_back(column.definition);
  return columns;
}

List<Json> CustomCells(const CustomVersion& version, const CustomObject& object, WallTime now) {
  List<Json> cells;
  cells.push_back(Json(object.metadata.name));
  const Json document = CustomDocument(version.type, object);
  static const Result<JsonPath> whole = JsonPath::Parse("{@}");
  for (const CustomColumn& column : version.columns) {
    // Of several values the first is shown.
    Result<std::vector<Json>> found = column.path.Find(document);
    if (!found || found->empty()) {
      cells.push_back(Json());
    } else if (column.definition.type == "string") {
      const Result<std::string> text = whole->Render(found->front());  // as text, whatever it is
      cells.push_back(text ? Json(*text) : Json());
    } else {
      cells.push_back(Cell(column, found->front(), now));
    }
  }
  return cells;
}

}  // namespace keelson::apiserver
