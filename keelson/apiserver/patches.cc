#include "keelson/apiserver/patches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "keelson/api/object.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_patch.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/merge_patch.h"
#include "keelson/codec/strategic_merge_patch.h"
#include "keelson/codec/yaml_reader.h"

namespace keelson::apiserver {

namespace {

// As Go shows a kind of JSON value.
std::string_view GoKind(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "null";
    case Json::Kind::kBool: return "bool";
    case Json::Kind::kInt:
    case Json::Kind::kDouble: return "number";
    case Json::Kind::kString: return "string";
    case Json::Kind::kList: return "array";
    case Json::Kind::kObject: return "object";
  }
  return {};
}

Error BadPatch(const Json& document, std::string_view expected) {
  return apierrors::BadRequest(fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type {}",
                                           GoKind(document), expected));
}

// What upstream says of an operation that does not apply: no more than this.
Error Rejected() {
  return ErrorWithoutDetails(422, "Invalid", "the server rejected our request due to an error in our request");
}

Error DoesNotFit(std::string_view shown, std::string_view why) {
  FieldErrors errors;
  errors.Invalid(Path("patch"), Json(shown), why);
  return apierrors::Invalid({"", ""}, "", errors.causes());
}

}  // namespace

Result<ObjectPatch> ObjectPatch::Parse(PatchKind kind, std::string_view body) {
  ObjectPatch patch;
  patch.kind_ = kind;
  Result<Json> document = ParseJson(body);
  if (!document) {
    // What stops in the middle is told as Go tells it; other errors in our own words.
    const bool cut = body.empty() || document.error().message().find("end of the text") != std::string::npos;
    const std::string why = cut ? "unexpected end of JSON input" : document.error().message();
    return apierrors::BadRequest(kind == PatchKind::kStrategic ? why : "error decoding patch: " + why);
  }
  patch.document_ = std::move(*document);
  if (patch.document_.is_null()) {
    if (kind == PatchKind::kMerge) return apierrors::BadRequest("Invalid JSON Patch");
    patch.document_ = kind == PatchKind::kJson ? Json::Array() : Json::Object();
  }
  if (kind == PatchKind::kJson) {
    if (!patch.document_.is_list()) return BadPatch(patch.document_, "[]handlers.jsonPatchOp");
    if (patch.document_.list().size() > JsonPatch::kMaxOperations) {
      return apierrors::RequestEntityTooLarge(
          fmt::format("The allowed maximum operations in a JSON patch is {}, got {}", JsonPatch::kMaxOperations,
                      patch.document_.list().size()));
    }
    for (const Json& operation : std::as_const(patch.document_).list()) {
      if (!operation.is_object()) return BadPatch(operation, "handlers.jsonPatchOp");
    }
  } else if (!patch.document_.is_object()) {
    return BadPatch(patch.document_, "map[string]interface {}");
  }
  return patch;
}

Result<AnyValue> ObjectPatch::Apply(const AnyValue& object, FieldValidation validation,
                                    std::vector<std::string>& warnings) const {
  const Json before = DocumentOf(object);
  Json after;
  switch (kind_) {
    case PatchKind::kJson: {
      Result<JsonPatch> patch = JsonPatch::Parse(document_);
      if (!patch) return Rejected();
      Result<Json> patched = patch->Apply(before);
      if (!patched) return Rejected();
      after = std::move(*patched);
      // A document without its kind is none.
      if (!after.is_object() || after.find("kind") == nullptr) return Rejected();
      break;
    }
    case PatchKind::kMerge: after = ApplyMergePatch(before, document_); break;
    case PatchKind::kStrategic: {
      Result<Json> patched = ApplyStrategicMergePatch(object.type(), before, document_);
      if (!patched) return DoesNotFit(ToJson(document_), patched.error().message());
      after = std::move(*patched);
      // What it is stays, whatever the patch says.
      if (after.is_object()) {
        for (const std::string_view name : {"kind", "apiVersion"}) {
          if (const Json* value = before.find(name)) after.object().Set(String(name), *value);
        }
      }
      break;
    }
    case PatchKind::kApply: return apierrors::UnsupportedMediaType("415: Unsupported Media Type");
  }
  Result<AnyValue> typed = DecodeDocument(object.type(), after, validation, warnings);
  if (!typed) {
    const std::string& why = typed.error().message();
    return DoesNotFit(ToJson(kind_ == PatchKind::kStrategic ? document_ : after), why);
  }
  MarkReset(after, *typed);
  return typed;
}

Result<AppliedDocument> AppliedDocument::Read(std::string_view body) {
  constexpr std::string_view kStrictPrefix = "strict decoding error: ";
  AppliedDocument applied;
  const size_t begin = body.find_first_not_of(" \t\r\n");
  Result<Json> document = Json();
  if (begin != std::string_view::npos && body[begin] == '{') {
    document = ParseJson(body, {.strict = true});
    if (!document && document.error().message().starts_with(kStrictPrefix)) {
      // As upstream's YAML reader tells them, which sees a JSON document as one line.
      std::string_view rest = std::string_view(document.error().message()).substr(kStrictPrefix.size());
      for (size_t at = rest.find('"'); at != std::string_view::npos; at = rest.find('"')) {
        rest.remove_prefix(at + 1);
        const std::string_view path = rest.substr(0, rest.find('"'));
        const size_t dot = path.rfind('.');
        applied.oddities.push_back(fmt::format("line 1: key \"{}\" already set in map",
                                               dot == std::string_view::npos ? path : path.substr(dot + 1)));
        rest.remove_prefix(std::min(path.size() + 1, rest.size()));
      }
      document = ParseJson(body);
    }
  } else {
    std::vector<YamlRepeatedKey> repeated;
    document = ParseYaml(body, {.repeated_keys = &repeated});
    std::sort(repeated.begin(), repeated.end(), [](const YamlRepeatedKey& a, const YamlRepeatedKey& b) {
      return std::tie(a.line, a.key) < std::tie(b.line, b.key);
    });
    for (const YamlRepeatedKey& one : repeated) {
      applied.oddities.push_back(fmt::format("line {}: key \"{}\" already set in map", one.line, one.key));
    }
  }
  // JSON that is none may be YAML all the same.
  if (!document && begin != std::string_view::npos && body[begin] == '{') document = ParseYaml(body);
  if (!document) {
    return apierrors::BadRequest(
        fmt::format("error decoding YAML: error converting YAML to JSON: yaml: {}", document.error().message()));
  }
  if (document->is_null()) return applied;
  if (!document->is_object()) {
    return apierrors::BadRequest(
        fmt::format("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into "
                    "Go value of type map[string]interface {{}}",
                    GoKind(*document)));
  }
  applied.document = std::move(*document);
  return applied;
}

Result<void> AppliedDocument::TellOddities(FieldValidation validation, std::vector<std::string>& warnings) const {
  if (oddities.empty() || validation == FieldValidation::kIgnore) return {};
  if (validation == FieldValidation::kStrict) {
    return apierrors::BadRequest(
        fmt::format("error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  {}",
                    fmt::join(oddities, "\n  ")));
  }
  warnings.insert(warnings.end(), oddities.begin(), oddities.end());
  return {};
}

void MarkReset(const Json& document, AnyValue& object) {
  const Json* metadata = document.find("metadata");
  const Json* managers = metadata != nullptr ? metadata->find("managedFields") : nullptr;
  if (managers == nullptr || !managers->is_list() || !managers->list().empty()) return;
  MetaOf(object).managedFields.emplace_back();
}

}  // namespace keelson::apiserver
