// Defaults in the schema of a custom resource: each is a value that the schema itself would take.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "keelson/apiserver/kinds/crd_checks.h"
#include "keelson/apiserver/schema/compile.h"
#include "keelson/apiserver/schema/embedded_metadata.h"
#include "keelson/apiserver/schema/prune.h"
#include "keelson/apiserver/schema/rules.h"
#include "keelson/apiserver/schema/validate.h"

namespace keelson::apiserver {

namespace {

using apiextensionsv1::JSONSchemaProps;

// From a resource, the root or an embedded one, down to a default: names of members; empty for the items of a list.
using Steps = std::vector<std::string_view>;

// A resource that has the value there and nothing else.
Json ResourceAround(const Steps& steps, Json value) {
  for (size_t i = steps.size(); i-- > 0;) {
    value = steps[i].empty() ? Json::Array({std::move(value)}) : Json::Object({{String(steps[i]), std::move(value)}});
  }
  if (value.is_object() && value.find("kind") == nullptr) value.object().Set("kind", Json("Validation"));
  if (value.is_object() && value.find("apiVersion") == nullptr) value.object().Set("apiVersion", Json("validation/v1"));
  return value;
}

// What was found in a default, whose fields are named from the default on.
void ReportBelow(const Path& path, std::string_view field, std::string_view message, FieldErrors& errors) {
  std::string text = path.ToString();
  if (!field.empty()) text.append(field.front() == '[' ? "" : ".").append(field);
  const Path at(text);
  const auto rest = [&](std::string_view head) { return message.substr(std::min(head.size(), message.size())); };
  if (message.starts_with("Invalid value: ")) {
    errors.InvalidShown(at, rest("Invalid value: "), "");
  } else if (message.starts_with("Forbidden: ")) {
    errors.Forbidden(at, rest("Forbidden: "));
  } else if (message.starts_with("Duplicate value: ")) {
    errors.DuplicateShown(at, rest("Duplicate value: "));
  } else if (message.starts_with("Too long")) {
    errors.TooLong(at, 256 << 10);  // annotations
  } else {
    errors.Required(at, rest("Required value: "));
  }
}

void ReportAllBelow(const Path& path, const FieldErrors& found, FieldErrors& errors) {
  for (const metav1::StatusCause& cause : found.causes()) ReportBelow(path, cause.field, cause.message, errors);
}

std::string Aggregate(const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const metav1::StatusCause& cause : errors.causes()) {
    texts.push_back(fmt::format("{}: {}", cause.field.view(), cause.message.view()));
  }
  return texts.size() == 1 ? texts[0] : fmt::format("[{}]", fmt::join(texts, ", "));
}

class DefaultChecker {
 public:
  explicit DefaultChecker(FieldErrors& errors) : errors_(errors) {}

  // `resource` is the innermost one around the schema, from which `steps` lead here. `source` is what the schema was
  // compiled from.
  void Check(const Schema& schema, const JSONSchemaProps& source, const Schema& resource, const Steps& steps,
             bool in_meta, const Path& path) {
    if (!schema.has_defaults) return;
    if (schema.embedded_resource) return CheckResource(schema, source, path);
    if (schema.default_) {
      const Path at = path / "default";
      if (in_meta ? CheckInMeta(schema, resource, steps, at) : CheckPlain(schema, at)) {
        CheckRules(schema, source, path);
      }
    }
    CheckInside(schema, source, resource, steps, in_meta, path);
  }

 private:
  void CheckResource(const Schema& schema, const JSONSchemaProps& source, const Path& path) {
    if (schema.default_ && CheckPlain(schema, path / "default")) CheckRules(schema, source, path);
    CheckInside(schema, source, schema, {}, false, path);
  }

  void CheckInside(const Schema& schema, const JSONSchemaProps& source, const Schema& resource, const Steps& steps,
                   bool in_meta, const Path& path) {
    const auto below = [&](std::string_view step) {
      Steps longer = steps;
      longer.push_back(step);
      return longer;
    };
    if (schema.items) {
      Check(*schema.items, *source.items->schema, resource, below(""), in_meta, path / "items");
    }
    const Path properties = path / "properties";
    for (const Schema::Property& property : schema.properties) {
      const bool is_meta = schema.embedded_resource &&
                           (property.name == "metadata" || property.name == "apiVersion" || property.name == "kind");
      Check(property.schema, source.properties.at(property.name), resource, below(property.name), in_meta || is_meta,
            properties.Key(property.name));
    }
  }

  // True when nothing is wrong.
  bool CheckPlain(const Schema& schema, const Path& path) {
    const size_t before = errors_.size();
    Json value = *schema.default_;
    Json pruned = value;
    Prune(pruned, schema);
    const bool unknown = !(pruned == value);
    const Result<void> coerced = CoerceEmbedded(value, schema);
    if (unknown) errors_.Invalid(path, value, "must not have unknown fields");
    if (!coerced) {
      const std::string_view message = coerced.error().message();
      const size_t colon = message.find(": ");
      ReportBelow(path, message.substr(0, colon), message.substr(colon + 2), errors_);
      return false;
    }
    FieldErrors found;
    ValidateEmbedded(value, schema, found);
    ReportAllBelow(path, found, errors_);
    if (found.empty()) CheckValue(schema, value, path);
    return errors_.size() == before;
  }

  // Part of apiVersion, kind or metadata of a resource, which has to be right as a whole.
  bool CheckInMeta(const Schema& schema, const Schema& resource, const Steps& steps, const Path& path) {
    const size_t before = errors_.size();
    const Json& value = *schema.default_;
    Json object = ResourceAround(steps, value);
    FieldErrors found;
    std::string problem;
    if (const Result<void> coerced = CoerceEmbedded(object, resource); !coerced) {
      problem = coerced.error().message();
    } else if (ValidateEmbedded(object, resource, found); !found.empty()) {
      problem = Aggregate(found);
    }
    if (problem.empty()) {
      CheckValue(schema, value, path);
    } else {
      errors_.Invalid(path, value, "must result in valid metadata: " + problem);
    }
    return errors_.size() == before;
  }

  void CheckValue(const Schema& schema, const Json& value, const Path& path) {
    FieldErrors found;
    ValidateValue(schema, value, nullptr, path, found);
    // Of a default upstream does not ask that it be an integer or a string where only one of the two is allowed.
    const bool wrong = std::any_of(found.causes().begin(), found.causes().end(), [](const metav1::StatusCause& cause) {
      return cause.message.view().find("must be of type integer,string: ") == std::string_view::npos;
    });
    if (wrong) ValidateValue(schema, value, nullptr, path, errors_);
  }

  // The rules are run on an object that has nothing but the default, as a member of that name.
  void CheckRules(const Schema& schema, const JSONSchemaProps& source, const Path& path) {
    if (!schema.has_rules) return;
    JSONSchemaProps around{.type = "object"};
    around.properties.Set("default", source);
    const Result<SchemaPtr> compiled = CompileSchema(around);
    if (!compiled) return;
    const auto rules = SchemaRules::Compile(*compiled, "validation/v1", "Validation");
    const metav1::ObjectMeta metadata;
    const Json content = Json::Object({{"default", *schema.default_}});
    FieldErrors found;
    std::vector<std::string> warnings;
    rules->Validate({metadata, content}, nullptr, found, warnings);
    ReportAllBelow(path, found, errors_);
  }

  FieldErrors& errors_;
};

}  // namespace

bool CheckDefaults(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  if (!AnySchema(schema, [](const JSONSchemaProps& one) { return one.default_.has_value(); })) {
    return true;
  }
  // The whole is a resource like those embedded.
  JSONSchemaProps resource = schema;
  resource.xKubernetesEmbeddedResource = true;
  const Result<SchemaPtr> compiled = CompileSchema(resource);
  if (!compiled) {
    errors.Invalid(path, Json(""), compiled.error().message());
    return false;
  }
  const size_t before = errors.size();
  DefaultChecker(errors).Check(**compiled, schema, **compiled, {}, false, path);
  return errors.size() == before;
}

}  // namespace keelson::apiserver
