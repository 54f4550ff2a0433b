#include "keelson/client/rest_mapper.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/ascii.h"
#include "keelson/core/clock.h"
#include "keelson/transport/thread_scope.h"

namespace keelson {

namespace {}  // namespace

// What the server said, arranged for looking up. Pointers go into `served`.
struct RestMapper::Index {
  std::shared_ptr<const Served> served;
  std::map<GroupVersionKind, const Resource*> by_kind;
  std::map<GroupVersionResource, const Resource*> by_resource;
  std::map<std::string, std::vector<std::string>> versions;  // of a group
  // By plural, singular, kind and short names in lower case, the best match first: names before short names, then
  // groups and versions in the server's order.
  std::map<std::string, std::vector<const Resource*>> by_name;

  explicit Index(Served all) : served(std::make_shared<const Served>(std::move(all))) {
    for (const ServedGroup& group : served->groups) versions[group.name] = group.versions;
    for (const ServedResource& one : served->resources) {
      by_kind.emplace(one.resource.gvk(), &one.resource);
      by_resource.emplace(one.resource.gvr(), &one.resource);
    }
    for (const bool short_names : {false, true}) {
      for (const ServedGroup& group : served->groups) {
        for (const std::string& version : group.versions) AddNames(group.name, version, short_names);
      }
    }
  }

  void AddNames(const std::string& group, const std::string& version, bool short_names) {
    for (const ServedResource& one : served->resources) {
      if (one.resource.group != group || one.resource.version != version) continue;
      if (short_names) {
        for (const std::string& name : one.short_names) AddName(name, one.resource);
      } else {
        AddName(one.resource.plural, one.resource);
        AddName(one.singular, one.resource);
        AddName(one.resource.kind, one.resource);
      }
    }
  }

  void AddName(const std::string& name, const Resource& resource) {
    if (name.empty()) return;
    std::vector<const Resource*>& all = by_name[AsciiLower(name)];
    if (std::find(all.begin(), all.end(), &resource) == all.end()) all.push_back(&resource);
  }

  const Resource* Find(const GroupKind& kind) const {
    const auto group = versions.find(kind.group);
    if (group == versions.end()) return nullptr;
    for (const std::string& version : group->second) {
      const auto found = by_kind.find(kind.WithVersion(version));
      if (found != by_kind.end()) return found->second;
    }
    return nullptr;
  }

  const Resource* Find(std::string_view text) const {
    const ResourceArgument argument = ResourceArgument::Parse(text);
    if (argument.with_version) {
      const GroupVersionResource& wanted = *argument.with_version;
      for (const Resource* resource : Named(wanted.resource)) {
        if (resource->group == wanted.group && resource->version == wanted.version) return resource;
      }
    }
    const GroupResource& wanted = argument.without_version;
    const bool any_group = text.find('.') == std::string_view::npos;
    for (const Resource* resource : Named(wanted.resource)) {
      if (any_group || resource->group == wanted.group) return resource;
    }
    return nullptr;
  }

  std::vector<const Resource*> Named(std::string_view name) const {
    const auto found = by_name.find(AsciiLower(name));
    return found == by_name.end() ? std::vector<const Resource*>() : found->second;
  }
};

RestMapper::RestMapper(Fetch fetch) : fetch_(std::move(fetch)) {}
RestMapper::~RestMapper() = default;

bool RestMapper::MayAsk() const {
  const TimePoint now = Clock::Now();
  if (tokens_ == kBurst) refilled_ = now;
  const auto earned = (now - refilled_) / kInterval;
  if (earned > 0) {
    tokens_ = static_cast<int>(std::min<int64_t>(kBurst, tokens_ + earned));
    refilled_ += earned * kInterval;
  }
  if (tokens_ == 0) return false;
  --tokens_;
  return true;
}

Result<std::shared_ptr<const RestMapper::Index>> RestMapper::Newer(const std::shared_ptr<const Index>& seen,
                                                                   const CallScope& given) const {
  const JoinedScope joined(given);
  const CallScope& scope = joined.get();
  MutexLock lock(mutex_);
  while (true) {
    if (index_ != nullptr && index_ != seen) return index_;
    if (!asking_) break;
    const Wake wake = changed_.WaitUntil(lock, scope.deadline, scope.stop, [&] { return !asking_; });
    if (wake == Wake::kStopped) return Error::Cancelled("stopped while the server's resources were being found out");
    if (wake == Wake::kTimeout) {
      return Error(ErrorCode::kTimeout, "the server's resources were not found out within the deadline");
    }
  }
  if (index_ != nullptr && !MayAsk()) return index_;
  asking_ = true;
  lock.Unlock();
  Result<Served> served = fetch_(scope);
  std::shared_ptr<const Index> made;
  if (served) made = std::make_shared<const Index>(*std::move(served));
  lock.Lock();
  asking_ = false;
  changed_.NotifyAll();
  if (!served) return std::move(served).error();
  index_ = std::move(made);
  return index_;
}

Result<Resource> RestMapper::LookUp(const std::string& what, const CallScope& scope, const Lookup& lookup) const {
  std::shared_ptr<const Index> index;
  {
    MutexLock lock(mutex_);
    index = index_;
  }
  if (index != nullptr) {
    if (const Resource* found = lookup(*index)) return *found;
  }
  KEELSON_TRY(newer, Newer(index, scope));
  if (const Resource* found = lookup(*newer)) return *found;
  std::string message = "no matches for " + what;
  if (!newer->served->failed.empty()) {
    const FailedGroupVersion& failed = newer->served->failed.front();
    message += " (discovery is not complete: " + failed.group_version.ToString() + ": " + failed.reason + ")";
  }
  return Error::Unsupported(std::move(message)).WithDetail(std::make_shared<NoMatchDetail>());
}

Result<Resource> RestMapper::ResourceOf(const GroupVersionKind& kind, const CallScope& scope) const {
  return LookUp("kind \"" + kind.kind + "\" in version \"" + kind.group_version().ToString() + "\"", scope,
                [&](const Index& index) {
                  const auto found = index.by_kind.find(kind);
                  return found == index.by_kind.end() ? nullptr : found->second;
                });
}

Result<Resource> RestMapper::ResourceOf(const GroupKind& kind, const CallScope& scope) const {
  return LookUp("kind \"" + kind.kind + "\" in group \"" + kind.group + "\"", scope,
                [&](const Index& index) { return index.Find(kind); });
}

Result<Resource> RestMapper::ResourceOf(const GroupVersionResource& resource, const CallScope& scope) const {
  return LookUp(resource.ToString(), scope, [&](const Index& index) {
    const auto found = index.by_resource.find(resource);
    return found == index.by_resource.end() ? nullptr : found->second;
  });
}

Result<Resource> RestMapper::Find(std::string_view text, const CallScope& scope) const {
  return LookUp("\"" + std::string(text) + "\", looked for as plural, singular, short name and kind", scope,
                [&](const Index& index) { return index.Find(text); });
}

Result<std::shared_ptr<const Served>> RestMapper::All(const CallScope& scope) const {
  {
    MutexLock lock(mutex_);
    if (index_ != nullptr) return index_->served;
  }
  KEELSON_TRY(index, Newer(nullptr, scope));
  return index->served;
}

void RestMapper::Forget() {
  MutexLock lock(mutex_);
  index_ = nullptr;
}

}  // namespace keelson
