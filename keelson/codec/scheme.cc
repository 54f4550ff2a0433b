#include "keelson/codec/scheme.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "keelson/api/builtin_types.h"

namespace keelson {

namespace {

// A version as Kubernetes orders it: v<major>, v<major>beta<minor>, v<major>alpha<minor>.
struct VersionRank {
  int stability = 0;  // 3 stable, 2 beta, 1 alpha, 0 not of this form
  uint64_t major = 0;
  uint64_t minor = 0;
};

bool TakeNumber(std::string_view& text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0 || text.front() == '0') return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

VersionRank RankOf(std::string_view version) {
  VersionRank rank;
  if (!version.starts_with('v')) return {};
  version.remove_prefix(1);
  if (!TakeNumber(version, rank.major)) return {};
  if (version.empty()) {
    rank.stability = 3;
    return rank;
  }
  if (version.starts_with("beta")) {
    rank.stability = 2;
    version.remove_prefix(4);
  } else if (version.starts_with("alpha")) {
    rank.stability = 1;
    version.remove_prefix(5);
  } else {
    return {};
  }
  return TakeNumber(version, rank.minor) && version.empty() ? rank : VersionRank{};
}

const Field* ItemsOf(const Type& list) {
  const Field* items = list.FindField("items");
  return items != nullptr && items->type->kind == Kind::kList ? items : nullptr;
}

constexpr std::string_view kListSuffix = "List";

}  // namespace

bool VersionIsPreferred(std::string_view a, std::string_view b) {
  const VersionRank x = RankOf(a);
  const VersionRank y = RankOf(b);
  if (x.stability == 0 && y.stability == 0) return a < b;
  return std::tie(x.stability, x.major, x.minor) > std::tie(y.stability, y.major, y.minor);
}

Scheme Scheme::Builtin() {
  Scheme scheme;
  for (const Type* type : BuiltinTypes()) {
    if (type->is_root()) scheme.types_.emplace(GvkOf(*type), type);
  }
  return scheme;
}

Result<void> Scheme::Add(const Type& type) {
  if (!type.is_root()) {
    return Error::InvalidArgument("cannot register " + std::string(type.name) +
                                  ": it has no kind of its own; register it under a given one");
  }
  return Add(GvkOf(type), type);
}

Result<void> Scheme::Add(const GroupVersionKind& kind, const Type& type) {
  if (kind.version.empty() || kind.kind.empty()) {
    return Error::InvalidArgument("cannot register " + std::string(type.name) + " as \"" + kind.ToString() +
                                  "\": a version and a kind are needed");
  }
  const auto [entry, added] = types_.emplace(kind, &type);
  if (!added && entry->second != &type) {
    return Error::AlreadyExists("cannot register " + std::string(type.name) + " as \"" + kind.ToString() +
                                "\": that kind is " + std::string(entry->second->name) + " already");
  }
  return {};
}

const Type* Scheme::Find(const GroupVersionKind& kind) const {
  const auto found = types_.find(kind);
  return found == types_.end() ? nullptr : found->second;
}

Result<AnyValue> Scheme::New(const GroupVersionKind& kind) const {
  const Type* type = Find(kind);
  if (type != nullptr) return AnyValue(*type);
  std::string message = "no type is registered for \"" + kind.ToString() + "\"";
  const Result<GroupVersionKind> other = Preferred(kind.group_kind());
  if (other) message += "; the kind is known in version " + other->version;
  return Error::NotFound(std::move(message));
}

std::vector<GroupVersionKind> Scheme::KindsOf(const Type& type) const {
  std::vector<GroupVersionKind> kinds;
  for (const auto& [kind, registered] : types_) {
    if (registered == &type) kinds.push_back(kind);
  }
  return kinds;
}

const Type* Scheme::FindList(const GroupVersionKind& kind) const {
  GroupVersionKind list_kind = kind;
  list_kind.kind += kListSuffix;
  const Type* list = Find(list_kind);
  return list != nullptr && ItemsOf(*list) != nullptr ? list : nullptr;
}

const Type* Scheme::FindElement(const GroupVersionKind& list_kind) const {
  if (!list_kind.kind.ends_with(kListSuffix)) return nullptr;
  GroupVersionKind kind = list_kind;
  kind.kind.resize(kind.kind.size() - kListSuffix.size());
  return FindList(kind) == nullptr ? nullptr : Find(kind);
}

std::vector<std::string> Scheme::Groups() const {
  std::set<std::string> groups;
  for (const auto& [kind, type] : types_) groups.insert(kind.group);
  return {groups.begin(), groups.end()};
}

std::vector<std::string> Scheme::VersionsOf(std::string_view group) const {
  std::set<std::string> known;
  for (const auto& [kind, type] : types_) {
    if (kind.group == group) known.insert(kind.version);
  }
  std::vector<std::string> versions;
  if (const auto priority = priorities_.find(group); priority != priorities_.end()) {
    for (const std::string& version : priority->second) {
      if (known.erase(version) != 0) versions.push_back(version);
    }
  }
  const auto rest = static_cast<std::ptrdiff_t>(versions.size());
  versions.insert(versions.end(), known.begin(), known.end());
  std::sort(versions.begin() + rest, versions.end(), VersionIsPreferred);
  return versions;
}

void Scheme::SetVersionPriority(std::string_view group, std::vector<std::string> versions) {
  priorities_.insert_or_assign(std::string(group), std::move(versions));
}

Result<GroupVersionKind> Scheme::Preferred(const GroupKind& kind) const {
  for (const std::string& version : VersionsOf(kind.group)) {
    GroupVersionKind candidate = kind.WithVersion(version);
    if (types_.contains(candidate)) return candidate;
  }
  return Error::NotFound("no version of \"" + kind.ToString() + "\" is registered");
}

void Scheme::AddDefaulting(const Type& type, Defaulting set_defaults) {
  defaulting_[&type].push_back(std::move(set_defaults));
}

void Scheme::Default(const Type& type, void* object) const {
  if (const auto own = defaulting_.find(&type); own != defaulting_.end()) {
    for (const Defaulting& set_defaults : own->second) set_defaults(object);
  }
  const Field* items = type.is_root() ? ItemsOf(type) : nullptr;
  if (items == nullptr || !defaulting_.contains(items->type->element)) return;
  void* list = WriteField(*items, object);
  const size_t size = Length(*items->type, list);
  for (size_t i = 0; i < size; ++i) Default(*items->type->element, WriteElement(*items->type, list, i));
}

Result<void> Scheme::AddConversion(const Type& spoke, const Type& hub, Conversion to_hub, Conversion from_hub) {
  const GroupVersionKind spoke_kind = GvkOf(spoke);
  const GroupVersionKind hub_kind = GvkOf(hub);
  const std::string what = "cannot convert \"" + spoke_kind.ToString() + "\" through \"" + hub_kind.ToString() + "\": ";
  if (Find(spoke_kind) != &spoke || Find(hub_kind) != &hub) {
    return Error::InvalidArgument(what + "both types must have been added to the scheme before");
  }
  if (spoke_kind.group_kind() != hub_kind.group_kind() || &spoke == &hub) {
    return Error::InvalidArgument(what + "they are not two versions of one kind");
  }
  const auto [entry, added] = hubs_.emplace(hub_kind.group_kind(), &hub);
  if (entry->second != &hub) {
    return Error::AlreadyExists(what + "the hub of that kind is version " + std::string(entry->second->version));
  }
  if (!spokes_.emplace(&spoke, Spoke{&hub, std::move(to_hub), std::move(from_hub)}).second) {
    return Error::AlreadyExists(what + "it has a conversion already");
  }
  return {};
}

Result<AnyValue> Scheme::Apply(const Conversion& convert, const Type& from_type, const void* from,
                               const Type& to) const {
  AnyValue result(to);
  const metav1::ObjectMeta* metadata = FindObjectMeta(from_type, from);
  metav1::ObjectMeta* own = FindObjectMeta(to, result.data());
  if (metadata != nullptr && own != nullptr) {
    *own = *metadata;
    own->unknownFields.clear();
  }
  KEELSON_RETURN_IF_ERROR(convert(from, result.data()));
  return result;
}

Result<AnyValue> Scheme::Convert(const Type& type, const void* object, const GroupVersionKind& to) const {
  const GroupVersionKind from = GvkOf(type);
  const std::string what = "cannot convert \"" + from.ToString() + "\" to \"" + to.ToString() + "\": ";
  const Type* target = Find(to);
  if (target == nullptr) return Error::NotFound(what + "the latter is not registered");
  if (target == &type) {
    AnyValue copy(type);
    AssignValue(type, copy.data(), object);
    return copy;
  }
  const auto hub = hubs_.find(to.group_kind());
  if (from.group_kind() != to.group_kind() || hub == hubs_.end()) {
    return Error::Unsupported(what + "no conversion between them is registered");
  }
  const auto spoke_at = [&](const Type& version) -> Result<const Spoke*> {
    const auto spoke = spokes_.find(&version);
    if (spoke != spokes_.end()) return &spoke->second;
    return Error::Unsupported(what + "version " + std::string(version.version) + " has no conversion");
  };
  if (&type == hub->second) {
    KEELSON_TRY(outgoing, spoke_at(*target));
    return Apply(outgoing->from_hub, type, object, *target);
  }
  KEELSON_TRY(incoming, spoke_at(type));
  KEELSON_TRY(middle, Apply(incoming->to_hub, type, object, *hub->second));
  if (target == hub->second) return middle;
  KEELSON_TRY(outgoing, spoke_at(*target));
  return Apply(outgoing->from_hub, *hub->second, std::as_const(middle).data(), *target);
}

}  // namespace keelson
