#include "keelson/apiserver/apply/field_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "keelson/api/compare.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/apply/new_fields.h"
#include "keelson/apiserver/apply/object_compare.h"
#include "keelson/apiserver/custom/custom_object.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kBeforeFirstApply = "before-first-apply";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr size_t kMaxAnnotationBytes = 256 << 10;
constexpr size_t kLongestName = 128;

// What nobody manages, of what apply documents contain.
const FieldSet& NeverManaged() {
  static const FieldSet set = FieldSet::Of({{"apiVersion"},
                                            {"kind"},
                                            {"metadata"},
                                            {"metadata", "name"},
                                            {"metadata", "namespace"},
                                            {"metadata", "creationTimestamp"},
                                            {"metadata", "selfLink"},
                                            {"metadata", "uid"},
                                            {"metadata", "clusterName"},
                                            {"metadata", "generation"},
                                            {"metadata", "managedFields"},
                                            {"metadata", "resourceVersion"}});
  return set;
}

std::string TextOf(const Json& document, std::string_view name) {
  const Json* member = document.find(name);
  return member != nullptr && member->is_string() ? member->string().str() : std::string();
}

std::string MetadataText(const Json& document, std::string_view name) {
  const Json* metadata = document.find("metadata");
  return metadata != nullptr ? TextOf(*metadata, name) : std::string();
}

// As Go shows a kind: "apps/v1, Kind=Deployment".
std::string Shown(const GroupVersionKind& kind) {
  return fmt::format("{}/{}, Kind={}", kind.group, kind.version, kind.kind);
}

GroupVersionKind KindOf(const Json& document) {
  GroupVersionKind kind;
  kind.kind = TextOf(document, "kind");
  Result<GroupVersion> version = GroupVersion::Parse(TextOf(document, "apiVersion"));
  if (!version) return {};
  kind.group = version->group;
  kind.version = version->version;
  return kind;
}

Json UnmanagedDocument(const AnyValue& object) {
  Json document = DocumentOf(object);
  if (document.find("metadata") != nullptr) {
    Json metadata = *document.find("metadata");
    if (metadata.is_object() && metadata.object().erase("managedFields")) {
      document.object().Set("metadata", std::move(metadata));
    }
  }
  return document;
}

bool Matches(const PathElement& element, std::string_view step) {
  return step == "*" || (element.kind() == PathElement::Kind::kField && element.name() == step);
}

FieldSet Including(const FieldSet& set, const std::vector<std::vector<std::string_view>>& paths, size_t depth) {
  FieldSet kept;
  for (const FieldNode& node : set.nodes()) {
    std::vector<std::vector<std::string_view>> below;
    bool whole = false;
    for (const auto& path : paths) {
      if (!Matches(node.element, path[depth])) continue;
      if (path.size() == depth + 1) {
        whole = true;
      } else {
        below.push_back(path);
      }
    }
    if (!whole && below.empty()) continue;
    FieldNode copy = node;
    if (!whole) copy.children = Including(node.children, below, depth + 1);
    if (copy.member || !copy.children.empty()) {
      FieldNode& place = kept.Append(node.element);
      place.member = copy.member;
      place.children = std::move(copy.children);
    }
  }
  return kept;
}

Error ConflictError(const std::string& message, List<metav1::StatusCause> causes) {
  metav1::Status status;
  status.status = "Failure";
  status.reason = "Conflict";
  status.message = message;
  status.code = 409;
  metav1::StatusDetails details;
  details.causes = std::move(causes);
  status.details = details;
  return ErrorFromStatus(std::move(status));
}

// Sets kubectl's annotation of what was applied last, unless that is too long.
void SetLastApplied(Json& document, const Json& applied) {
  Json shown = applied;
  Json metadata = shown.find("metadata") != nullptr ? *shown.find("metadata") : Json::Object();
  if (metadata.is_object()) {
    const Json* annotations = metadata.find("annotations");
    if (annotations != nullptr && annotations->is_object()) {
      Json others = *annotations;
      others.object().erase(kLastApplied);
      metadata.object().Set("annotations", std::move(others));
      shown.object().Set("metadata", metadata);
    }
  }
  Json own = *document.find("metadata");
  Json annotations = *own.find("annotations");
  annotations.object().Set(String(kLastApplied), Json(ToJson(shown) + "\n"));
  size_t bytes = 0;
  for (const auto& [key, value] : std::as_const(annotations).object()) {
    bytes += key.size() + (value.is_string() ? value.string().size() : 0);
  }
  if (bytes > kMaxAnnotationBytes) annotations.object().erase(kLastApplied);
  own.object().Set("annotations", std::move(annotations));
  document.object().Set("metadata", std::move(own));
}

const String* LastAppliedText(const Json& document) {
  const Json* metadata = document.find("metadata");
  const Json* annotations = metadata != nullptr ? metadata->find("annotations") : nullptr;
  const Json* text = annotations != nullptr ? annotations->find(kLastApplied) : nullptr;
  return text != nullptr && text->is_string() && !text->string().empty() ? &text->string() : nullptr;
}

}  // namespace

FieldSet FieldFilter::operator()(const FieldSet& set) const {
  if (!only.empty()) return Including(set, only, 0);
  return excluded.empty() ? set : set.RecursiveDifference(excluded);
}

FieldManager::FieldManager(const KindVersions& versions, const FieldFilter& filter, FieldWriter writer)
    : versions_(versions), filter_(filter), writer_(std::move(writer)), shape_(*versions.ShapeIn(ApiVersion())) {}

std::string FieldManager::ApiVersion() const {
  return writer_.kind.group.empty() ? writer_.kind.version : writer_.kind.group + "/" + writer_.kind.version;
}

FieldsManager FieldManager::Self(bool applies) const {
  return {.name = writer_.manager.empty() ? "unknown" : writer_.manager,
          .applies = applies,
          .api_version = ApiVersion(),
          .subresource = writer_.subresource};
}

std::string FieldManager::Described(const Json& document) const {
  return fmt::format("{}/{}; {}", MetadataText(document, "namespace"), MetadataText(document, "name"),
                     Shown(KindOf(document)));
}

Comparison FieldManager::Compare(const Json& before, const Json& after, std::string_view api_version) const {
  const bool own = api_version == ApiVersion();
  const Shape& shape = own ? shape_ : *versions_.ShapeIn(api_version);
  Comparison changes =
      own ? CompareDocuments(shape, before, after)
          : CompareDocuments(shape, versions_.Convert(before, api_version), versions_.Convert(after, api_version));
  changes.added = filter_(changes.added);
  changes.modified = filter_(changes.modified);
  changes.removed = filter_(changes.removed);
  return changes;
}

// Others lose what was changed or removed; who did it gets what was changed.
void FieldManager::TrackChanges(Managers& managers, const FieldsManager& self, Comparison changes,
                                const std::function<Comparison(std::string_view)>& changes_in) const {
  const std::string own_version = ApiVersion();
  std::map<std::string, Comparison> in_version;
  std::erase_if(managers.all(), [&](const FieldsManager& manager) {
    return manager.api_version != own_version && versions_.ShapeIn(manager.api_version) == nullptr;
  });
  for (FieldsManager& manager : managers.all()) {
    const Comparison* seen = &changes;
    if (manager.api_version != own_version) {
      const auto found = in_version.find(manager.api_version);
      seen = found != in_version.end()
                 ? &found->second
                 : &in_version.emplace(manager.api_version, changes_in(manager.api_version)).first->second;
    }
    if (!seen->modified.empty()) manager.set = manager.set.Difference(manager.set.Intersection(seen->modified));
    if (!seen->added.empty()) manager.set = manager.set.Difference(manager.set.Intersection(seen->added));
    if (!seen->removed.empty()) manager.set = manager.set.Difference(seen->removed);
  }
  managers.RemoveEmpty();
  FieldSet taken = changes.modified.empty() ? std::move(changes.added)
                   : changes.added.empty()  ? std::move(changes.modified)
                                            : changes.modified.Union(changes.added);
  if (taken.empty()) return;
  FieldsManager* same = managers.Find(self);
  if (same == nullptr) {
    same = &managers.all().emplace_back(self);
    same->set = std::move(taken);
  } else {
    same->set = same->set.Union(taken);
  }
  same->time = writer_.now;
}

void FieldManager::Track(const AnyValue* live, AnyValue& object) const {
  metav1::ObjectMeta& meta = MetaOf(object);
  const ManagedFields asked = std::exchange(meta.managedFields, {});
  const ManagedFields kept = live != nullptr ? MetaOf(*live).managedFields : ManagedFields();
  const bool main = writer_.subresource.empty();
  if (main && IsReset(asked)) {
    if (live != nullptr) return;
  } else if (live != nullptr && asked.empty() && kept.empty()) {
    return;
  }

  std::optional<Managers> managers;
  bool as_kept = true;
  if (main && !asked.empty() && !IsReset(asked) && !Equal(asked, kept)) {
    if (Result<Managers> decoded = Managers::Decode(asked); decoded && !decoded->empty()) {
      managers = std::move(*decoded);
      as_kept = false;
    }
  }

  if (live == nullptr && !managers && filter_.only.empty()) {
    FieldsManager self = Self(false);
    self.time = writer_.now;
    const std::string fields = FieldsOfNewObject(shape_, object, filter_.excluded);
    if (fields != "{}") meta.managedFields.push_back(Managers::Entry(self, fields));
    return;
  }
  const AnyValue* before = live;
  std::optional<AnyValue> nothing;
  if (before == nullptr) before = &nothing.emplace(object.type());
  Comparison changes = CompareObjects(shape_, *before, object, filter_.excluded);
  if (!filter_.only.empty()) {
    changes.added = filter_(changes.added);
    changes.modified = filter_(changes.modified);
    changes.removed = filter_(changes.removed);
  }
  if (changes.empty() && as_kept) {
    meta.managedFields = kept;
    return;
  }
  if (!managers) {
    Result<Managers> decoded = Managers::Decode(kept);
    managers = decoded ? std::move(*decoded) : Managers();
  }
  // Nobody was told of this object before, so it stays.
  if (managers->empty() && live != nullptr) return;
  TrackChanges(*managers, Self(false), std::move(changes), [&](std::string_view api_version) {
    return Compare(UnmanagedDocument(*before), UnmanagedDocument(object), api_version);
  });
  managers->CapUpdaters();
  meta.managedFields = managers->Encode();
}

Result<AnyValue> FieldManager::Apply(const AnyValue& live, const Json& document, bool force) const {
  Result<Managers> decoded = Managers::Decode(MetaOf(live).managedFields);
  if (!decoded) {
    return BareError(500, fmt::format("failed to decode managed fields: {}", decoded.error().message()));
  }
  if (const GroupVersionKind kind = KindOf(document); kind != writer_.kind) {
    return apierrors::BadRequest(fmt::format("invalid object type: {}", Shown(kind)));
  }
  const Json* metadata = document.find("metadata");
  if (const Json* managed = metadata != nullptr ? metadata->find("managedFields") : nullptr;
      managed != nullptr && managed->is_list()) {
    return apierrors::BadRequest("metadata.managedFields must be nil");
  }
  if (const std::string wrong = CheckValue(shape_, document); !wrong.empty()) {
    return BareError(500, fmt::format("failed to create typed patch object ({}): {}", Described(document), wrong));
  }

  const Json before = UnmanagedDocument(live);
  Managers managers = std::move(*decoded);
  if (managers.empty()) {
    // What is there already was not tracked: it gets a manager, so that it is not nobody's.
    FieldsManager first = Self(false);
    first.name = kBeforeFirstApply;
    const Comparison all = CompareObjects(shape_, AnyValue(live.type()), live, filter_.excluded);
    TrackChanges(managers, first, {.added = filter_(all.added), .modified = filter_(all.modified)},
                 [](std::string_view) { return Comparison(); });
  }

  Conflicts conflicts;
  Result<Merged> merged = Merge(before, document, managers, force, conflicts);
  if (!merged && !conflicts.empty() && writer_.manager == "kubectl") {
    // Objects that kubectl applied by itself until now: what it had applied may be taken over.
    if (const std::optional<FieldSet> last = LastApplied(before)) {
      std::erase_if(conflicts, [&](const Conflict& conflict) { return last->Has(conflict.path); });
      if (conflicts.empty()) merged = Merge(before, document, managers, true, conflicts);
    }
  }
  if (!merged) {
    if (conflicts.empty()) return std::move(merged).error();
    List<metav1::StatusCause> causes;
    for (const Conflict& conflict : conflicts) {
      metav1::StatusCause cause;
      cause.reason = "FieldManagerConflict";
      cause.message = "conflict with " + conflict.manager.ToString();
      cause.field = keelson::apiserver::ToString(conflict.path);
      causes.push_back(std::move(cause));
    }
    if (conflicts.size() == 1) {
      return ConflictError(
          fmt::format("Apply failed with 1 conflict: conflict with {}: {}", conflicts[0].manager.ToString(),
                      keelson::apiserver::ToString(conflicts[0].path)),
          std::move(causes));
    }
    std::string message = fmt::format("Apply failed with {} conflicts: ", conflicts.size());
    for (size_t i = 0; i < conflicts.size(); ++i) {
      if (i > 0) message += "\n";
      if (i == 0 || !conflicts[i].manager.IsSameAs(conflicts[i - 1].manager)) {
        message += fmt::format("conflicts with {}:\n", conflicts[i].manager.ToString());
      }
      message += "- " + keelson::apiserver::ToString(conflicts[i].path);
    }
    return ConflictError(message, std::move(causes));
  }

  const bool changed = merged->document.has_value();
  Json after = changed ? std::move(*merged->document) : before;
  const bool says_last = writer_.manager == "kubectl" && LastAppliedText(after) != nullptr;
  if (says_last) SetLastApplied(after, document);
  AnyValue object = live;
  if (changed || says_last) {
    object = AnyValue(live.type());
    if (CustomObject* custom = AsCustom(object)) {
      Result<CustomObject> read = CustomFromDocument(std::move(after));
      if (!read) {
        return BareError(500, fmt::format("failed to convert new object ({}) to proper version: {}",
                                          Described(document), read.error().message()));
      }
      *custom = std::move(*read);
    } else if (Result<void> read = DecodeJsonValue(object.type(), object.data(), after); !read) {
      return BareError(500, fmt::format("failed to convert new object ({}) to proper version: {}", Described(document),
                                        read.error().message()));
    }
  }
  if (changed) {
    if (FieldsManager* self = merged->managers.Find(Self(true))) self->time = writer_.now;
  }
  MetaOf(object).managedFields = merged->managers.Encode();
  return object;
}

Result<FieldManager::Merged> FieldManager::Merge(const Json& live, const Json& document, Managers managers, bool force,
                                                 Conflicts& conflicts) const {
  const std::string own_version = ApiVersion();
  for (FieldsManager& manager : managers.all()) {
    if (const Shape* shape = versions_.ShapeIn(manager.api_version)) manager.set = FitToShape(*shape, manager.set);
  }
  Json merged = MergeValues(shape_, live, document);

  FieldsManager self = Self(true);
  std::optional<FieldsManager> last;
  if (const FieldsManager* found = managers.Find(self)) last = *found;
  self.set = filter_(FieldsOf(shape_, document));
  if (last) self.time = last->time;
  managers.Remove(self);
  managers.all().push_back(self);
  // Most applies say again all that was applied last time, and then there is nothing to remove.
  const bool again = last && last->api_version == own_version && last->set.Difference(self.set).empty();
  if (last && !last->set.empty() && !again) merged = Prune(merged, managers, *last);

  std::map<std::string, Comparison> in_version;
  in_version.emplace(own_version, Compare(live, merged, own_version));
  std::erase_if(managers.all(),
                [&](const FieldsManager& manager) { return versions_.ShapeIn(manager.api_version) == nullptr; });
  std::sort(managers.all().begin(), managers.all().end(),
            [](const FieldsManager& a, const FieldsManager& b) { return a.Identity() < b.Identity(); });
  for (FieldsManager& manager : managers.all()) {
    if (manager.IsSameAs(self)) continue;
    auto changes = in_version.find(manager.api_version);
    if (changes == in_version.end()) {
      changes = in_version.emplace(manager.api_version, Compare(live, merged, manager.api_version)).first;
    }
    const FieldSet taken = manager.set.Intersection(changes->second.modified.Union(changes->second.added));
    if (!taken.empty() && !force) {
      taken.ForEach([&](const FieldPath& path) { conflicts.push_back({manager, path}); });
    }
    manager.set = manager.set.Difference(taken).Difference(changes->second.removed);
  }
  if (!conflicts.empty() && !force) return Error::Conflict("other managers have these fields");
  if (FieldsManager* own = managers.Find(self)) own->set = own->set.Difference(NeverManaged());
  managers.RemoveEmpty();
  Merged result{.document = {}, .managers = std::move(managers)};
  if (!SameValue(live, merged)) result.document = std::move(merged);
  return result;
}

// Removes what this manager applied last time and does not any more, unless somebody else has it.
Json FieldManager::Prune(const Json& merged, const Managers& managers, const FieldsManager& last) const {
  const Shape* shape = versions_.ShapeIn(last.api_version);
  if (shape == nullptr) return merged;
  const std::string own_version = ApiVersion();
  const auto in_version = [&](const Json& document, std::string_view from, std::string_view to) {
    return from == to ? document : versions_.Convert(document, to);
  };

  const Json converted = in_version(merged, own_version, last.api_version);
  const FieldSet last_set = WithNamedFields(*shape, last.set);
  Json pruned = WithoutItems(*shape, converted, last_set);

  // What anybody has, this manager included, is put back: in the version of the last time first.
  std::map<std::string, FieldSet> owned;
  for (const FieldsManager& manager : managers.all()) {
    FieldSet& set = owned[manager.api_version];
    set = set.Union(manager.set);
  }
  Json whole = converted;
  std::string at = last.api_version;
  const auto put_back = [&](const std::string& version, const FieldSet& set) {
    const Shape* known = versions_.ShapeIn(version);
    if (known == nullptr) return;
    whole = in_version(whole, at, version);
    pruned = in_version(pruned, at, version);
    at = version;
    const FieldSet all = WithNamedFields(*known, FieldsOf(*known, whole));
    const FieldSet left = WithNamedFields(*known, FieldsOf(*known, pruned));
    pruned = WithoutItems(*known, whole, all.Difference(left.Union(WithNamedFields(*known, set))));
  };
  if (const auto found = owned.find(last.api_version); found != owned.end()) {
    put_back(found->first, found->second);
    owned.erase(found);
  }
  for (const auto& [version, set] : owned) put_back(version, set);

  // And so is what was removed along with it without having been this manager's.
  pruned = in_version(pruned, at, last.api_version);
  const FieldSet all = WithNamedFields(*shape, FieldsOf(*shape, converted));
  const FieldSet left = WithNamedFields(*shape, FieldsOf(*shape, pruned));
  pruned = WithoutItems(*shape, converted, all.Difference(left).Intersection(last_set));
  return in_version(pruned, last.api_version, own_version);
}

std::optional<FieldSet> FieldManager::LastApplied(const Json& live) const {
  const String* text = LastAppliedText(live);
  if (text == nullptr) return std::nullopt;
  Result<Json> last = ParseJson(*text);
  if (!last || TextOf(*last, "apiVersion") != ApiVersion() || !CheckValue(shape_, *last).empty()) return std::nullopt;
  const Comparison changes = CompareDocuments(shape_, *last, live);
  return FieldsOf(shape_, *last).Difference(changes.modified).Difference(changes.added).Difference(changes.removed);
}

std::string ManagerFromUserAgent(std::string_view user_agent) {
  const std::string_view prefix = user_agent.substr(0, user_agent.find('/'));
  std::string name;
  for (size_t i = 0; i < prefix.size();) {
    // A character of UTF-8 goes in as a whole or not at all.
    const auto lead = static_cast<unsigned char>(prefix[i]);
    const size_t length = std::min<size_t>(lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4, prefix.size() - i);
    if (length > 1 || (lead >= 0x20 && lead != 0x7f)) {
      if (name.size() + length > kLongestName) break;
      name.append(prefix.substr(i, length));
    }
    i += length;
  }
  return name;
}

}  // namespace keelson::apiserver
