#include "keelson/apiserver/openapi/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace keelson::apiserver::openapi {

namespace {

constexpr std::string_view kString = "string";
constexpr std::string_view kInteger = "integer";
constexpr std::string_view kBoolean = "boolean";

constexpr Parameter kPretty{"pretty", kString};
constexpr Parameter kDryRun{"dryRun", kString, false, false};
constexpr Parameter kFieldValidation{"fieldValidation", kString, false, false};

struct OptionsRow {
  std::string_view kind;
  std::array<Parameter, 9> parameters;  // those without a name are not there
};
constexpr OptionsRow kOptions[] = {
    {"NodeProxyOptions", {{{"path", kString}}}},
    {"PodAttachOptions",
     {{{"container", kString}, {"stderr", kBoolean}, {"stdin", kBoolean}, {"stdout", kBoolean}, {"tty", kBoolean}}}},
    {"PodExecOptions",
     {{{"command", kString},
       {"container", kString},
       {"stderr", kBoolean},
       {"stdin", kBoolean},
       {"stdout", kBoolean},
       {"tty", kBoolean}}}},
    {"PodLogOptions",
     {{{"container", kString},
       {"follow", kBoolean},
       {"insecureSkipTLSVerifyBackend", kBoolean},
       {"limitBytes", kInteger},
       {"previous", kBoolean},
       {"sinceSeconds", kInteger},
       {"stream", kString},
       {"tailLines", kInteger},
       {"timestamps", kBoolean}}}},
    {"PodPortForwardOptions", {{{"ports", kInteger}}}},
    {"PodProxyOptions", {{{"path", kString}}}},
    {"ServiceProxyOptions", {{{"path", kString}}}},
};

bool ComesBefore(const Parameter& a, const Parameter& b) {
  if (a.name != b.name) return a.name < b.name;
  return a.in_path && !b.in_path;
}

Parameters Sorted(Parameters parameters) {
  std::sort(parameters.begin(), parameters.end(), ComesBefore);
  return parameters;
}

// What every operation has.
Parameters InCommon(const PathItem& item) {
  Parameters common;
  if (item.operations.empty()) return common;
  for (const Parameter& parameter : item.operations[0].parameters) {
    const bool everywhere = std::all_of(item.operations.begin(), item.operations.end(), [&](const Operation& other) {
      return std::find(other.parameters.begin(), other.parameters.end(), parameter) != other.parameters.end();
    });
    if (everywhere) common.push_back(parameter);
  }
  return Sorted(std::move(common));
}

Parameters Without(const Parameters& all, const Parameters& common) {
  Parameters own;
  std::copy_if(all.begin(), all.end(), std::back_inserter(own), [&](const Parameter& parameter) {
    return std::find(common.begin(), common.end(), parameter) == common.end();
  });
  return Sorted(std::move(own));
}

Json Texts(const std::vector<std::string_view>& texts) {
  JsonList list;
  for (const std::string_view text : texts) list.push_back(Json(text));
  return Json(std::move(list));
}

std::string_view Meaning(int code) {
  switch (code) {
    case 201: return "Created";
    case 202: return "Accepted";
    case 401: return "Unauthorized";
    default: return "OK";
  }
}

Json SchemaOf(std::string_view name, Version version) {
  return name.empty() ? Json::Object({{"type", Json(kString)}}) : Reference(name, version);
}

Json ContentOf(const std::vector<std::string_view>& types, std::string_view schema) {
  Json content = Json::Object();
  for (const std::string_view type : types) {
    content.object().Set(String(type), Json::Object({{"schema", SchemaOf(schema, Version::kV3)}}));
  }
  return content;
}

Json ParameterV3(const Parameter& parameter) {
  Json written =
      Json::Object({{"name", Json(parameter.name)},
                    {"in", Json(parameter.in_path ? "path" : "query")},
                    {"schema", Json::Object({{"type", Json(parameter.type)}, {"uniqueItems", Json(true)}})}});
  if (parameter.in_path) written.object().Set("required", Json(true));
  return written;
}

Json ParametersV3(const Parameters& parameters) {
  JsonList list;
  for (const Parameter& parameter : parameters) list.push_back(ParameterV3(parameter));
  return Json(std::move(list));
}

// A name below #/parameters. Two of the same name are told apart by where they stand.
std::string SharedName(const Parameter& parameter) {
  return fmt::format("{}-{}", parameter.name, parameter.in_path ? "path" : "query");
}

Json ParameterV2(const Parameter& parameter) {
  Json written = Json::Object({{"name", Json(parameter.name)},
                               {"in", Json(parameter.in_path ? "path" : "query")},
                               {"type", Json(parameter.type)},
                               {"uniqueItems", Json(true)}});
  if (parameter.in_path) written.object().Set("required", Json(true));
  return written;
}

void AddParametersV2(const Parameters& parameters, JsonList& list) {
  for (const Parameter& parameter : parameters) {
    list.push_back(parameter.shared
                       ? Json::Object({{"$ref", Json(fmt::format("#/parameters/{}", SharedName(parameter)))}})
                       : ParameterV2(parameter));
  }
}

Json BodyParameterV2(const Operation& operation) {
  Json body =
      Json::Object({{"name", Json("body")}, {"in", Json("body")}, {"schema", SchemaOf(operation.body, Version::kV2)}});
  if (operation.body_required) body.object().Set("required", Json(true));
  return body;
}

// What both versions write alike.
Json BeginOperation(const Operation& operation) {
  Json written = Json::Object({{"operationId", Json(operation.id)}, {"tags", Json(JsonList{Json(operation.tag)})}});
  if (!operation.action.empty()) written.object().Set("x-kubernetes-action", Json(operation.action));
  if (operation.kind) {
    written.object().Set("x-kubernetes-group-version-kind", Json::Object({{"group", Json(operation.kind->group)},
                                                                          {"kind", Json(operation.kind->kind)},
                                                                          {"version", Json(operation.kind->version)}}));
  }
  return written;
}

// "rbac.authorization" makes "rbacAuthorization".
std::string WithoutPunctuation(std::string_view text, bool capitalise) {
  std::string name;
  for (const char& c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (!letter && (!digit || &c == text.data())) {
      capitalise = true;
      continue;
    }
    name += capitalise && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    capitalise = false;
  }
  return name;
}

std::string_view GroupName(std::string_view group) {
  constexpr std::string_view kOwnDomain = ".k8s.io";
  if (group.empty()) return "core";
  return group.ends_with(kOwnDomain) ? group.substr(0, group.size() - kOwnDomain.size()) : group;
}

}  // namespace

std::string Capitalised(std::string_view text) { return WithoutPunctuation(text, true); }

std::string OperationInfix(std::string_view group, std::string_view version) {
  return WithoutPunctuation(GroupName(group), true) + WithoutPunctuation(version, true);
}

std::string OperationTag(std::string_view group, std::string_view version) {
  std::string tag = WithoutPunctuation(GroupName(group), false);
  if (!version.empty()) tag += "_" + WithoutPunctuation(version, false);
  return tag;
}

Json Reference(std::string_view schema, Version version) {
  const std::string_view prefix = version == Version::kV2 ? "#/definitions/" : "#/components/schemas/";
  return Json::Object({{"$ref", Json(fmt::format("{}{}", prefix, schema))}});
}

Json WriteV3(const PathItem& item) {
  const Parameters common = InCommon(item);
  Json written = Json::Object();
  if (!common.empty()) written.object().Set("parameters", ParametersV3(common));
  for (const Operation& operation : item.operations) {
    Json one = BeginOperation(operation);
    const Parameters own = Without(operation.parameters, common);
    if (!own.empty()) one.object().Set("parameters", ParametersV3(own));
    if (!operation.body.empty()) {
      Json body = Json::Object({{"content", ContentOf(operation.consumes, operation.body)}});
      if (operation.body_required) body.object().Set("required", Json(true));
      one.object().Set("requestBody", std::move(body));
    }
    Json responses = Json::Object({{"401", Json::Object({{"description", Json(Meaning(401))}})}});
    for (const OperationAnswer& answer : operation.answers) {
      responses.object().Set(String(std::to_string(answer.code)),
                             Json::Object({{"description", Json(Meaning(answer.code))},
                                           {"content", ContentOf(operation.produces, answer.schema)}}));
    }
    one.object().Set("responses", std::move(responses));
    written.object().Set(String(operation.method), std::move(one));
  }
  return written;
}

Json WriteV2(const PathItem& item) {
  const Parameters common = InCommon(item);
  Json written = Json::Object();
  if (!common.empty()) {
    JsonList list;
    AddParametersV2(common, list);
    written.object().Set("parameters", Json(std::move(list)));
  }
  for (const Operation& operation : item.operations) {
    Json one = BeginOperation(operation);
    one.object().Set("schemes", Json(JsonList{Json("https")}));
    if (!operation.consumes.empty()) one.object().Set("consumes", Texts(operation.consumes));
    one.object().Set("produces", Texts(operation.produces));
    JsonList parameters;
    if (!operation.body.empty()) parameters.push_back(BodyParameterV2(operation));
    AddParametersV2(Without(operation.parameters, common), parameters);
    if (!parameters.empty()) one.object().Set("parameters", Json(std::move(parameters)));
    Json responses = Json::Object({{"401", Json::Object({{"description", Json(Meaning(401))}})}});
    for (const OperationAnswer& answer : operation.answers) {
      responses.object().Set(String(std::to_string(answer.code)),
                             Json::Object({{"description", Json(Meaning(answer.code))},
                                           {"schema", SchemaOf(answer.schema, Version::kV2)}}));
    }
    one.object().Set("responses", std::move(responses));
    written.object().Set(String(operation.method), std::move(one));
  }
  return written;
}

Json SharedParametersV2() {
  Json shared = Json::Object();
  const auto add = [&](const Parameters& parameters) {
    for (const Parameter& parameter : parameters) {
      if (parameter.shared) shared.object().Set(String(SharedName(parameter)), ParameterV2(parameter));
    }
  };
  add(ListParameters());
  add(PatchParameters());
  add(DeleteParameters());
  add(PathParameters("{name}/{namespace}/{path}"));
  for (const OptionsRow& row : kOptions) add(OptionsParameters(row.kind));
  return shared;
}

Parameters ListParameters() {
  return {{"allowWatchBookmarks", kBoolean},
          {"continue", kString},
          {"fieldSelector", kString},
          {"labelSelector", kString},
          {"limit", kInteger},
          kPretty,
          {"resourceVersion", kString},
          {"resourceVersionMatch", kString},
          {"sendInitialEvents", kBoolean},
          {"shardSelector", kString},
          {"timeoutSeconds", kInteger},
          {"watch", kBoolean}};
}

Parameters WriteParameters() { return {kDryRun, {"fieldManager", kString}, kFieldValidation, kPretty}; }

Parameters PatchParameters() {
  return {kDryRun, {"fieldManager", kString}, kFieldValidation, {"force", kBoolean}, kPretty};
}

Parameters DeleteParameters() {
  return {kDryRun,
          {"gracePeriodSeconds", kInteger},
          {"ignoreStoreReadErrorWithClusterBreakingPotential", kBoolean},
          {"orphanDependents", kBoolean},
          kPretty,
          {"propagationPolicy", kString}};
}

Parameters DeleteCollectionParameters() {
  Parameters parameters = DeleteParameters();
  for (const Parameter& parameter : ListParameters()) {
    if (parameter.name != "watch" && parameter.name != "allowWatchBookmarks" && parameter != kPretty) {
      parameters.push_back(parameter);
    }
  }
  return Sorted(std::move(parameters));
}

Parameters OptionsParameters(std::string_view kind) {
  Parameters parameters;
  for (const OptionsRow& row : kOptions) {
    if (row.kind != kind) continue;
    std::copy_if(row.parameters.begin(), row.parameters.end(), std::back_inserter(parameters),
                 [](const Parameter& parameter) { return !parameter.name.empty(); });
  }
  return parameters;
}

Parameters PathParameters(std::string_view path) {
  const auto has = [&](std::string_view text) { return path.find(text) != std::string_view::npos; };
  Parameters parameters;
  if (has("{name}")) parameters.push_back({"name", kString, true, false});
  if (has("{namespace}")) parameters.push_back({"namespace", kString, true});
  if (has("{path}")) parameters.push_back({"path", kString, true});
  return parameters;
}

}  // namespace keelson::apiserver::openapi
