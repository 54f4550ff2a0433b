#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/admissionregistration/v1.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/strategic_merge_patch.h"
#include "keelson/codec/yaml_writer.h"
#include "keelson/codegen/manifest_generators.h"
#include "keelson/codegen/marker_definitions.h"
#include "keelson/codegen/marker_values.h"
#include "keelson/codegen/markers.h"
#include "keelson/core/ascii.h"

namespace keelson::codegen {

namespace {

using admissionregistrationv1::MutatingWebhook;
using admissionregistrationv1::MutatingWebhookConfiguration;
using admissionregistrationv1::ValidatingWebhook;
using admissionregistrationv1::ValidatingWebhookConfiguration;

constexpr std::string_view kWebhookMarker = "kubebuilder:webhook";
constexpr std::string_view kConfigurationMarker = "kubebuilder:webhookconfiguration";

// The API's way to write `text`, whatever its case; nothing when it is none of `known`.
std::optional<String> Canonical(std::string_view text, std::initializer_list<std::string_view> known) {
  for (const std::string_view name : known) {
    if (EqualsIgnoringCase(text, name)) return String(name);
  }
  return std::nullopt;
}

List<String> ToList(const std::vector<std::string>& texts) {
  List<String> list;
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

std::optional<int64_t> Integer(const ParsedMarker& marker, const std::string& argument) {
  const Json* value = marker.Find(argument);
  if (!value) return std::nullopt;
  return value->integer();
}

bool IsMutating(const ParsedMarker& marker) { return marker.Find("mutating")->boolean(); }

class WebhookBuilder {
 public:
  WebhookBuilder(const ParsedMarker& marker, Diagnostics& problems) : marker_(marker), problems_(problems) {}

  // Nothing when there were problems.
  template <class Webhook>
  std::optional<Webhook> Build() {
    Webhook webhook;
    webhook.name = marker_.Text("name");
    webhook.clientConfig = ClientConfig();
    webhook.rules.push_back(Rule());
    SetKnown("failurePolicy", {"Ignore", "Fail"}, webhook.failurePolicy);
    SetKnown("matchPolicy", {"Exact", "Equivalent"}, webhook.matchPolicy);
    SetKnown("sideEffects", {"None", "NoneOnDryRun", "Some", "Unknown"}, webhook.sideEffects);
    if (const auto timeout = Integer(marker_, "timeoutSeconds"); timeout.value_or(0) != 0) {
      webhook.timeoutSeconds = Int32("timeoutSeconds", *timeout);
    }
    webhook.admissionReviewVersions = ToList(marker_.Texts("admissionReviewVersions"));
    if constexpr (requires { webhook.reinvocationPolicy; }) {
      SetKnown("reinvocationPolicy", {"Never", "IfNeeded"}, webhook.reinvocationPolicy);
    }
    CheckVersions();
    ApplyPatch(webhook);
    Check(webhook);
    if (failed_) return std::nullopt;
    return webhook;
  }

 private:
  void Fail(std::string message) {
    problems_.Add(marker_.position, "+" + std::string(kWebhookMarker) + ": " + std::move(message));
    failed_ = true;
  }

  void SetKnown(const std::string& argument, std::initializer_list<std::string_view> known, Optional<String>& out) {
    const std::string text = marker_.Text(argument);
    if (text.empty()) return;
    if (const std::optional<String> value = Canonical(text, known)) {
      out = *value;
      return;
    }
    std::string names;
    for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
    Fail(argument + " is '" + text + "'; write one of " + names);
  }

  int32_t Int32(const std::string& argument, int64_t value) {
    if (value != static_cast<int32_t>(value)) Fail(argument + " is " + std::to_string(value) + ", which is too large");
    return static_cast<int32_t>(value);
  }

  admissionregistrationv1::WebhookClientConfig ClientConfig() {
    admissionregistrationv1::WebhookClientConfig config;
    const std::string path = marker_.Text("path");
    const std::string url = marker_.Text("url");
    if (path.empty() == url.empty()) {
      Fail(
          "exactly one of path and url says where the webhook is served; write path=/validate-apps-v1-deployment for "
          "a Service, url=\"https://example.com/validate\" for any other server");
      return config;
    }
    if (!url.empty()) {
      config.url = url;
      return config;
    }
    if (!path.starts_with('/')) Fail("path is '" + path + "'; write path=/" + path);
    const std::string name = marker_.Text("serviceName");
    const std::string service_namespace = marker_.Text("serviceNamespace");
    admissionregistrationv1::ServiceReference service;
    service.name = name.empty() ? "webhook-service" : name;
    service.namespace_ = service_namespace.empty() ? "system" : service_namespace;
    service.path = path;
    if (const auto port = Integer(marker_, "servicePort")) service.port = Int32("servicePort", *port);
    config.service = std::move(service);
    return config;
  }

  admissionregistrationv1::RuleWithOperations Rule() {
    admissionregistrationv1::RuleWithOperations rule;
    for (const std::string& verb : marker_.Texts("verbs")) {
      const std::optional<String> operation = Canonical(verb, {"CREATE", "UPDATE", "DELETE", "CONNECT", "*"});
      if (!operation) Fail("verbs has '" + verb + "'; write some of create, update, delete, connect, or *");
      rule.operations.push_back(operation.value_or(String(verb)));
    }
    for (const std::string& group : marker_.Texts("groups")) rule.apiGroups.push_back(group == "core" ? "" : group);
    rule.apiVersions = ToList(marker_.Texts("versions"));
    rule.resources = ToList(marker_.Texts("resources"));
    return rule;
  }

  void CheckVersions() {
    for (const std::string& version : marker_.Texts("webhookVersions")) {
      if (version != "v1") Fail("webhookVersions has '" + version + "'; the only version is v1");
    }
  }

  // What a strategic merge patch says besides the object's own fields.
  static bool IsDirective(std::string_view key) {
    return key == "$patch" || key == "$retainKeys" || key.starts_with("$setElementOrder/") ||
           key.starts_with("$deleteFromPrimitiveList/");
  }

  // The depth is bounded by that of the patch.
  static Json WithoutDirectives(const Json& patch) {
    if (patch.is_list()) {
      JsonList items;
      for (const Json& item : patch.list()) items.push_back(WithoutDirectives(item));
      return items;
    }
    if (!patch.is_object()) return patch;
    JsonObject members;
    for (const auto& [key, value] : patch.object()) {
      if (!IsDirective(key)) members[key] = WithoutDirectives(value);
    }
    return members;
  }

  template <class Webhook>
  void ApplyPatch(Webhook& webhook) {
    const std::string text = marker_.Text("patch");
    if (text.empty() || failed_) return;
    constexpr int kMaxPatchDepth = 50;
    const Result<Json> patch = ParseJson(text, {.strict = true, .max_depth = kMaxPatchDepth});
    if (!patch) return Fail("the patch is not JSON: " + patch.error().message());
    if (!patch->is_object()) return Fail("the patch is not an object; write patch=`{\"timeoutSeconds\":5}`");
    // Before it is applied: a null for a field that does not exist would vanish without a trace.
    if (const Result<Webhook> fields = FromJsonValue<Webhook>(WithoutDirectives(*patch), {.strict = true}); !fields) {
      return Fail("the patch does not fit a webhook: " + fields.error().message());
    }
    const Result<Json> patched = ApplyStrategicMergePatch(TypeOf<Webhook>(), ToJsonValue(webhook), *patch);
    if (!patched) return Fail("the patch cannot be applied: " + patched.error().message());
    Result<Webhook> result = FromJsonValue<Webhook>(*patched, {.strict = true});
    if (!result) return Fail("the patched webhook is wrong: " + result.error().message());
    webhook = *std::move(result);
  }

  // What version v1 of the API asks for.
  template <class Webhook>
  void Check(const Webhook& webhook) {
    if (failed_) return;
    if (!webhook.sideEffects) {
      Fail("sideEffects is missing; write sideEffects=None or sideEffects=NoneOnDryRun");
    } else if (*webhook.sideEffects != "None" && *webhook.sideEffects != "NoneOnDryRun") {
      Fail("sideEffects is '" + webhook.sideEffects->str() + "'; write sideEffects=None or sideEffects=NoneOnDryRun");
    }
    if (webhook.timeoutSeconds && (*webhook.timeoutSeconds < 1 || *webhook.timeoutSeconds > 30)) {
      Fail("timeoutSeconds is " + std::to_string(*webhook.timeoutSeconds) + "; it must be from 1 to 30");
    }
    const std::string name = webhook.name.str();
    if (std::count(name.begin(), name.end(), '.') < 2) {
      Fail("name is '" + name + "'; it must be a domain of three parts or more, as deployment.example.com");
    }
    if (webhook.admissionReviewVersions.empty()) {
      Fail("admissionReviewVersions is empty; write admissionReviewVersions=v1");
    }
  }

  const ParsedMarker& marker_;
  Diagnostics& problems_;
  bool failed_ = false;
};

// The webhooks of one configuration, in the order of their names.
template <class Webhook>
using ByName = std::map<std::string, Webhook>;

// As a YAML document; nothing when there are none.
template <class Configuration, class Webhook>
std::string Document(ByName<Webhook> webhooks, const std::string& name) {
  if (webhooks.empty()) return {};
  Configuration configuration;
  configuration.metadata.name = name;
  for (auto& [key, webhook] : webhooks) configuration.webhooks.push_back(std::move(webhook));
  return "---\n" + ToYaml(configuration);
}

// The name that a +kubebuilder:webhookconfiguration gives to the configuration of that kind.
std::string ConfigurationName(const std::vector<ParsedMarker>& markers, bool mutating, std::string fallback,
                              Diagnostics& problems) {
  const ParsedMarker* first = nullptr;
  for (const ParsedMarker& marker : markers) {
    if (marker.name != kConfigurationMarker || IsMutating(marker) != mutating) continue;
    if (first && marker.Text("name") != first->Text("name")) {
      problems.Add(marker.position, "+" + marker.name + ": a second name for the " +
                                        (mutating ? "mutating" : "validating") + " webhooks, which are '" +
                                        first->Text("name") + "' at " + ToString(first->position) +
                                        "; keep one of them");
    }
    if (!first) first = &marker;
  }
  const std::string name = first ? first->Text("name") : std::string();
  return name.empty() ? std::move(fallback) : name;
}

// Its own, and those that seem to be meant as such.
std::vector<Marker> WebhookMarkers(const std::vector<Marker>& markers) {
  std::vector<Marker> selected;
  for (const Marker& marker : markers) {
    const MarkerDefinition* definition = LikelyDefinition(marker.text);
    if (definition && (definition->name == kWebhookMarker || definition->name == kConfigurationMarker)) {
      selected.push_back(marker);
    }
  }
  return selected;
}

// Adds what the marker describes. A patch may have changed the name.
template <class Webhook>
void AddWebhook(const ParsedMarker& marker, ByName<Webhook>& webhooks, Diagnostics& problems) {
  const std::optional<Webhook> webhook = WebhookBuilder(marker, problems).Build<Webhook>();
  if (!webhook) return;
  const std::string name = webhook->name.str();
  if (!webhooks.emplace(name, *webhook).second) {
    problems.Add(marker.position, "+" + marker.name + ": another webhook has the name '" + name + "' already");
  }
}

}  // namespace

std::vector<GeneratedFile> GenerateWebhooks(const std::vector<Marker>& markers, Diagnostics& problems) {
  Diagnostics found;
  const std::vector<ParsedMarker> parsed = ParseMarkers(WebhookMarkers(markers), MarkerTarget::kPackage, found);
  ByName<MutatingWebhook> mutating;
  ByName<ValidatingWebhook> validating;
  for (const ParsedMarker& marker : parsed) {
    if (marker.name != kWebhookMarker) continue;
    if (IsMutating(marker)) {
      AddWebhook(marker, mutating, found);
    } else {
      AddWebhook(marker, validating, found);
    }
  }
  GeneratedFile file{.path = "manifests.yaml", .content = {}};
  file.content += Document<MutatingWebhookConfiguration>(
      std::move(mutating), ConfigurationName(parsed, true, "mutating-webhook-configuration", found));
  file.content += Document<ValidatingWebhookConfiguration>(
      std::move(validating), ConfigurationName(parsed, false, "validating-webhook-configuration", found));

  for (const Diagnostic& problem : found.all()) problems.Add(problem.position, problem.message);
  if (file.content.empty() || !found.empty()) return {};
  return {std::move(file)};
}

}  // namespace keelson::codegen
