#include "keelson/apiserver/options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/apply/field_manager.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/metadata_rules.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

Error InvalidOptions(std::string_view kind, const FieldErrors& errors) {
  return apierrors::Invalid({"meta.k8s.io", std::string(kind)}, "", errors.causes());
}

void CheckDryRun(const std::vector<std::string>& values, FieldErrors& errors) {
  bool good = true;
  JsonList shown;
  for (const std::string& value : values) {
    good &= value == "All";
    shown.push_back(Json(value));
  }
  if (!good) errors.NotSupported(Path("dryRun"), Json(shown), {"All"});
}

template <class T>
Result<std::optional<T>> ReadInteger(const Query& query, std::string_view name) {
  const std::optional<std::string_view> text = query.Find(name);
  if (!text || text->empty()) return std::optional<T>();
  T number{};
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc::result_out_of_range) {
    return apierrors::BadRequest(fmt::format("strconv.ParseInt: parsing \"{}\": value out of range", *text));
  }
  if (error != std::errc() || end != text->data() + text->size()) {
    return apierrors::BadRequest(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", *text));
  }
  return std::optional<T>(number);
}

std::optional<bool> ReadBool(const Query& query, std::string_view name) {
  if (!query.Find(name)) return std::nullopt;
  return query.IsTrue(name);
}

std::string_view OptionsKind(WriteVerb verb) {
  switch (verb) {
    case WriteVerb::kCreate: return "CreateOptions";
    case WriteVerb::kUpdate: return "UpdateOptions";
    case WriteVerb::kPatch: return "PatchOptions";
  }
  return {};
}

bool IsKnownField(const Resource& resource, std::string_view field) {
  if (field == "metadata.name") return true;
  if (field == "metadata.namespace" && resource.namespaced) return true;
  const auto& known = resource.selectable_fields();
  return std::find(known.begin(), known.end(), field) != known.end();
}

Result<fields::Selector> ReadFieldSelector(const Resource& resource, std::string_view text) {
  Result<fields::Selector> parsed = fields::Parse(text);
  if (!parsed) return apierrors::BadRequest(parsed.error().message());
  for (const fields::Requirement& requirement : std::as_const(*parsed).Requirements()) {
    if (IsKnownField(resource, requirement.field)) continue;
    if (resource.selectable_fields().empty()) {
      return apierrors::BadRequest(fmt::format(
          "\"{}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", requirement.field));
    }
    return apierrors::BadRequest(fmt::format("field label not supported: {}", requirement.field));
  }
  return parsed;
}

void CheckListRules(const ListOptions& options, bool watch, FieldErrors& errors) {
  const Path match("resourceVersionMatch");
  if (watch) {
    if (options.send_initial_events && options.match != "NotOlderThan") {
      errors.Forbidden(match, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (!options.match.empty() && !options.send_initial_events) {
      errors.Forbidden(match, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (!options.match.empty() && options.match != "NotOlderThan") {
      errors.NotSupported(match, Json(options.match), {"NotOlderThan"});
    }
    if (!options.continue_token.empty()) {
      errors.Forbidden(match, "resourceVersionMatch is forbidden when continue is provided");
    }
    return;
  }
  if (!options.match.empty()) {
    constexpr std::array<std::string_view, 3> kMatches = {"Exact", "NotOlderThan", ""};
    if (!options.resource_version) {
      errors.Forbidden(match, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!options.continue_token.empty()) {
      errors.Forbidden(match, "resourceVersionMatch is forbidden when continue is provided");
    }
    if (options.match != "Exact" && options.match != "NotOlderThan") {
      errors.NotSupportedOf(match, Json(options.match), kMatches);
    }
    if (options.match == "Exact" && options.resource_version == "0") {
      errors.Forbidden(match, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (options.send_initial_events) {
    errors.Forbidden(Path("sendInitialEvents"), "sendInitialEvents is forbidden for list");
  }
}

}  // namespace

Result<WriteOptions> ReadWriteOptions(const Query& query, WriteVerb verb, std::optional<PatchKind> patch) {
  WriteOptions options;
  FieldErrors errors;
  const std::vector<std::string> dry_run = query.All("dryRun");
  options.dry_run = !dry_run.empty();
  options.field_manager = query.Text("fieldManager");
  options.force = ReadBool(query, "force");
  const bool apply = patch == PatchKind::kApply;
  if (verb == WriteVerb::kPatch) {
    if (apply && options.field_manager.empty()) errors.Required(Path("fieldManager"), "is required for apply patch");
    if (!apply && options.force) errors.Forbidden(Path("force"), "may not be specified for non-apply patch");
  }
  ValidateFieldManager(options.field_manager, Path("fieldManager"), errors);
  CheckDryRun(dry_run, errors);
  const std::string validation = query.Text("fieldValidation");
  if (validation == "Ignore") {
    options.field_validation = FieldValidation::kIgnore;
  } else if (validation == "Strict") {
    options.field_validation = FieldValidation::kStrict;
  } else if (!validation.empty() && validation != "Warn") {
    errors.NotSupported(Path("fieldValidation"), Json(validation), {"", "Ignore", "Strict", "Warn"});
  }
  if (!errors.empty()) return InvalidOptions(OptionsKind(verb), errors);
  return options;
}

std::string ManagerOf(const Exchange& exchange, const WriteOptions& options) {
  if (!options.field_manager.empty()) return options.field_manager;
  const std::string_view* agent = exchange.request.headers.Find("User-Agent");
  return agent != nullptr ? ManagerFromUserAgent(*agent) : std::string();
}

Result<DeleteOptions> ReadDeleteOptions(Exchange& exchange) {
  metav1::DeleteOptions read;
  if (!exchange.request.body.empty()) {
    KEELSON_TRY(format, BodyFormat(exchange.request.headers));
    KEELSON_TRY(decoded, DecodeBody(TypeOf<metav1::DeleteOptions>(), exchange.request.body, format,
                                    FieldValidation::kIgnore, exchange.warnings));
    read = std::move(*static_cast<metav1::DeleteOptions*>(decoded.data()));
  } else {
    const Query& query = exchange.query;
    KEELSON_TRY(grace, ReadInteger<int64_t>(query, "gracePeriodSeconds"));
    if (grace) read.gracePeriodSeconds = *grace;
    if (const auto orphan = ReadBool(query, "orphanDependents")) read.orphanDependents = *orphan;
    if (query.Find("propagationPolicy")) read.propagationPolicy = String(query.Text("propagationPolicy"));
    for (const std::string& value : query.All("dryRun")) read.dryRun.push_back(String(value));
  }

  FieldErrors errors;
  DeleteOptions options;
  if (read.orphanDependents && read.propagationPolicy) {
    errors.Invalid(Path("propagationPolicy"), Json(*read.propagationPolicy),
                   "orphanDependents and deletionPropagation cannot be both set");
  }
  if (read.propagationPolicy) {
    options.propagation = read.propagationPolicy->str();
    constexpr std::array<std::string_view, 4> kPolicies = {"Foreground", "Background", "Orphan", "nil"};
    if (*options.propagation != "Foreground" && *options.propagation != "Background" &&
        *options.propagation != "Orphan") {
      errors.NotSupportedOf(Path("propagationPolicy"), Json(*options.propagation), kPolicies);
    }
  }
  std::vector<std::string> dry_run;
  for (const String& value : read.dryRun) dry_run.push_back(value.str());
  CheckDryRun(dry_run, errors);
  if (!errors.empty()) return InvalidOptions("DeleteOptions", errors);

  options.dry_run = !dry_run.empty();
  if (read.gracePeriodSeconds) options.grace_seconds = *read.gracePeriodSeconds;
  if (read.orphanDependents) options.orphan_dependents = *read.orphanDependents;
  if (read.preconditions) {
    if (read.preconditions->uid) options.uid = read.preconditions->uid->str();
    if (read.preconditions->resourceVersion) options.resource_version = read.preconditions->resourceVersion->str();
  }
  return options;
}

Result<Revision> ParseRevision(std::string_view text) {
  Revision revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-')) {
    return apierrors::BadRequest(fmt::format(
        "invalid resource version: resourceVersion: Invalid value: \"{}\": strconv.ParseUint: parsing \"{}\": {}", text,
        text, error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
  }
  return revision;
}

Error UnreadableRevision(std::string_view text) {
  return BareError(500,
                   fmt::format("resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: parsing \"{0}\": invalid "
                               "syntax",
                               text));
}

Error TooLargeRevision(Revision asked, Revision current) {
  metav1::Status status = ToStatus(
      apierrors::Timeout(fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current), 1));
  metav1::StatusCause cause;
  cause.reason = "ResourceVersionTooLarge";
  cause.message = "Too large resource version";
  status.message = fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current);
  if (!status.details) status.details = metav1::StatusDetails();
  status.details->causes.push_back(std::move(cause));
  return ErrorFromStatus(std::move(status));
}

Result<ListOptions> ReadListOptions(const Exchange& exchange, bool watch) {
  const Query& query = exchange.query;
  ListOptions options;
  KEELSON_TRY(limit, ReadInteger<int64_t>(query, "limit"));
  KEELSON_TRY(timeout, ReadInteger<int64_t>(query, "timeoutSeconds"));
  if (limit && *limit > 0) options.limit = static_cast<size_t>(*limit);
  if (timeout && *timeout > 0) options.timeout_seconds = *timeout;
  options.continue_token = query.Text("continue");
  options.match = query.Text("resourceVersionMatch");
  options.allow_bookmarks = query.IsTrue("allowWatchBookmarks");
  options.send_initial_events = ReadBool(query, "sendInitialEvents");
  if (const std::string version = query.Text("resourceVersion"); !version.empty()) options.resource_version = version;

  Result<labels::Selector> labels = labels::Parse(query.Text("labelSelector"));
  if (!labels) return apierrors::BadRequest(labels.error().message());
  options.labels = std::move(*labels);
  KEELSON_TRY(fields, ReadFieldSelector(*exchange.resource, query.Text("fieldSelector")));
  options.fields = std::move(fields);
  if (!exchange.info.name.empty()) {
    // An old-style watch of one object.
    options.fields = fields::Equal("metadata.name", exchange.info.name);
  }

  FieldErrors errors;
  CheckListRules(options, watch, errors);
  if (!errors.empty()) return InvalidOptions("ListOptions", errors);
  if (options.resource_version && options.continue_token.empty()) {
    Result<Revision> revision = ParseRevision(*options.resource_version);
    if (!revision) return watch ? UnreadableRevision(*options.resource_version) : std::move(revision).error();
    options.revision = *revision;
  }
  return options;
}

bool Selects(const Resource& resource, const ListOptions& options, const StoredObject& object) {
  if (!options.labels.empty() && !options.labels.Matches(object.labels())) return false;
  if (options.fields.empty()) return true;
  const auto& known = resource.selectable_fields();
  // An object that met an earlier definition was stored with the fields of that one.
  const List<String> values = object.revision() > resource.reread_up_to
                                  ? object.fields()
                                  : SelectableValues(resource, DecodeStored(resource, object));
  return options.fields.Matches([&](const std::string& field) -> std::optional<std::string_view> {
    if (field == "metadata.name") return object.name().view();
    if (field == "metadata.namespace") return object.namespace_().view();
    for (size_t i = 0; i < known.size() && i < values.size(); ++i) {
      if (known[i] == field) return values[i].view();
    }
    return std::nullopt;
  });
}

}  // namespace keelson::apiserver
