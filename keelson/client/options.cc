#include "keelson/client/options.h"

#include "keelson/api/meta/v1.h"
#include "keelson/codec/json_writer.h"

namespace keelson::internal {

namespace {

std::string_view TextOf(VersionMatch match) {
  switch (match) {
    case VersionMatch::kDefault: return {};
    case VersionMatch::kExact: return "Exact";
    case VersionMatch::kNotOlderThan: return "NotOlderThan";
  }
  return {};
}

std::string_view TextOf(FieldValidation validation) {
  switch (validation) {
    case FieldValidation::kDefault: return {};
    case FieldValidation::kIgnore: return "Ignore";
    case FieldValidation::kWarn: return "Warn";
    case FieldValidation::kStrict: return "Strict";
  }
  return {};
}

std::string_view TextOf(Propagation propagation) {
  switch (propagation) {
    case Propagation::kDefault: return {};
    case Propagation::kBackground: return "Background";
    case Propagation::kForeground: return "Foreground";
    case Propagation::kOrphan: return "Orphan";
  }
  return {};
}

void AddSelectors(const labels::Selector& labels, const fields::Selector& fields, Query& query) {
  if (!labels.empty()) query.Add("labelSelector", labels.ToString());
  if (!fields.empty()) query.Add("fieldSelector", fields.ToString());
}

template <class Options>
void AddWriting(const Options& options, Query& query) {
  if (options.dry_run) query.Add("dryRun", "All");
  query.AddText("fieldManager", options.field_manager);
  query.AddText("fieldValidation", TextOf(options.field_validation));
}

template <class Options>
metav1::DeleteOptions Deletion(const Options& options) {
  metav1::DeleteOptions deletion;
  if (options.grace_period) deletion.gracePeriodSeconds = options.grace_period->count();
  if (options.propagation != Propagation::kDefault) deletion.propagationPolicy = String(TextOf(options.propagation));
  if (options.dry_run) deletion.dryRun = {"All"};
  return deletion;
}

}  // namespace

Query ToQuery(const GetOptions& options) {
  Query query;
  query.AddText("resourceVersion", options.resource_version);
  return query;
}

Query ToQuery(const ListOptions& options) {
  Query query;
  AddSelectors(options.labels, options.fields, query);
  if (options.continue_token.empty()) {  // a token stands for a version of its own
    query.AddText("resourceVersion", options.resource_version);
    query.AddText("resourceVersionMatch", TextOf(options.version_match));
  }
  if (options.page_size > 0 && options.resource_version != "0") query.Add("limit", options.page_size);
  query.AddText("continue", options.continue_token);
  if (options.server_timeout.count() > 0) query.Add("timeoutSeconds", options.server_timeout.count());
  return query;
}

Query ToQuery(const WatchOptions& options) {
  Query query;
  query.Add("watch", true);
  if (options.name.empty()) {
    AddSelectors(options.labels, options.fields, query);
  } else {
    AddSelectors(options.labels, {}, query);
    std::vector<fields::Requirement> all(options.fields.Requirements().begin(), options.fields.Requirements().end());
    all.push_back({.field = "metadata.name", .op = fields::Operator::kEquals, .value = options.name});
    query.Add("fieldSelector", fields::Selector(std::move(all)).ToString());
  }
  query.AddText("resourceVersion", options.resource_version);
  if (options.initial_events) {
    query.Add("sendInitialEvents", true).Add("resourceVersionMatch", "NotOlderThan");
  } else {
    query.AddText("resourceVersionMatch", TextOf(options.version_match));
  }
  if (options.bookmarks || options.initial_events) query.Add("allowWatchBookmarks", true);
  if (options.server_timeout.count() > 0) query.Add("timeoutSeconds", options.server_timeout.count());
  return query;
}

Query ToQuery(const WriteOptions& options) {
  Query query;
  AddWriting(options, query);
  return query;
}

Query ToQuery(const PatchOptions& options) {
  Query query;
  AddWriting(options, query);
  if (options.force) query.Add("force", true);
  return query;
}

Query ToQuery(const DeleteAllOptions& options) {
  Query query;
  AddSelectors(options.labels, options.fields, query);
  return query;
}

std::string ToBody(const DeleteOptions& options) {
  metav1::DeleteOptions deletion = Deletion(options);
  if (!options.uid.empty() || !options.resource_version.empty()) {
    metav1::Preconditions preconditions;
    if (!options.uid.empty()) preconditions.uid = String(options.uid);
    if (!options.resource_version.empty()) preconditions.resourceVersion = String(options.resource_version);
    deletion.preconditions = std::move(preconditions);
  }
  return ToJson(deletion);
}

std::string ToBody(const DeleteAllOptions& options) { return ToJson(Deletion(options)); }

Result<void> CheckSelectors(const labels::Selector& labels, const fields::Selector& fields) {
  if (labels.matches_nothing() || fields.matches_nothing()) {
    return Error::InvalidArgument(
        "a selector that matches nothing cannot be sent to a server: do not make the call, its answer is empty");
  }
  return {};
}

}  // namespace keelson::internal
