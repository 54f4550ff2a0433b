#include "keelson/controllers/garbage_collector_monitors.h"

#include <algorithm>
#include <array>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson::controllers {

using namespace std::chrono_literals;

namespace {

// How long after a look there is another, unless there is a reason before.
constexpr std::array<Duration, 2> kLooksAgain = {1s, 10s};
constexpr Duration kShortestPause = 200ms;
constexpr Duration kLongestPause = 30s;

bool Has(const std::vector<std::string>& verbs, std::string_view verb) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

bool MakesKinds(const Resource& resource) {
  return (resource.group == "apiextensions.k8s.io" && resource.plural == "customresourcedefinitions") ||
         (resource.group == "apiregistration.k8s.io" && resource.plural == "apiservices");
}

}  // namespace

std::vector<Resource> DeletableResources(const Served& served) {
  // Where in the group's order of versions each was found.
  std::map<GroupResource, std::pair<size_t, Resource>> chosen;
  for (const ServedResource& candidate : served.resources) {
    const Resource& resource = candidate.resource;
    if (!Has(candidate.verbs, "list") || !Has(candidate.verbs, "watch") || !Has(candidate.verbs, "delete")) continue;
    const auto group = std::find_if(served.groups.begin(), served.groups.end(),
                                    [&](const ServedGroup& one) { return one.name == resource.group; });
    size_t rank = 0;
    if (group != served.groups.end()) {
      rank = static_cast<size_t>(std::find(group->versions.begin(), group->versions.end(), resource.version) -
                                 group->versions.begin());
    }
    const auto [found, is_new] = chosen.try_emplace(resource.group_resource(), rank, resource);
    if (!is_new && rank < found->second.first) found->second = {rank, resource};
  }
  std::vector<Resource> resources;
  for (auto& [name, ranked] : chosen) resources.push_back(std::move(ranked.second));
  return resources;
}

// The watch of one kind.
class KindMonitors::Monitor final : private ReflectorSink {
 public:
  Monitor(KindMonitors& all, Resource resource)
      : all_(all),
        resource_(std::move(resource)),
        reflector_(all.client_, {.resource = resource_}, ModelOf<metav1::PartialObjectMetadata>(),
                   all.options_.reflector, *this),
        thread_("gc " + resource_.plural, [this](const StopToken& stop) { reflector_.Run(stop); }) {}

  const Resource& resource() const { return resource_; }
  void RequestStop() { thread_.RequestStop(); }

  // Guarded by the mutex of all.
  bool listed = false;
  bool seen = false;

 private:
  static const metav1::ObjectMeta& MetadataOf(const ObjectPtr& object) {
    return static_cast<const metav1::PartialObjectMetadata*>(object.get())->metadata;
  }

  void Replace(std::vector<ObjectPtr> objects, std::string_view) override {
    all_.listener_.OnList(resource_, objects);
    if (MakesKinds(resource_)) all_.LookAgain();
    all_.SetSeen(*this, true);
  }
  void Apply(WatchEventType type, ObjectPtr object, std::string_view) override {
    if (type == WatchEventType::kDeleted) {
      all_.listener_.OnDelete(resource_, MetadataOf(object));
    } else {
      all_.listener_.OnChange(resource_, MetadataOf(object));
    }
    if (MakesKinds(resource_)) all_.LookAgain();
    all_.SetSeen(*this, true);
  }
  void Advance(std::string_view) override { all_.SetSeen(*this, true); }
  void Failed(const Error&, Duration) override { all_.SetSeen(*this, false); }

  KindMonitors& all_;
  const Resource resource_;
  Reflector reflector_;
  Thread thread_;  // declared last: ends first
};

KindMonitors::KindMonitors(Client client, MonitorListener& listener, MonitorOptions options)
    : client_(std::move(client)), listener_(listener), options_(std::move(options)) {}

KindMonitors::~KindMonitors() { Stop(); }

void KindMonitors::Stop() {
  thread_ = Thread();
  std::map<GroupVersionResource, std::unique_ptr<Monitor>> ended;
  {
    MutexLock lock(mutex_);
    ended.swap(monitors_);
  }
  for (const auto& [name, monitor] : ended) monitor->RequestStop();
}

void KindMonitors::Start() {
  {
    MutexLock lock(mutex_);
    started_ = Clock::Now();
  }
  thread_ = Thread("gc discovery", [this](const StopToken& stop) { Loop(stop); });
}

void KindMonitors::LookAgain() {
  MutexLock lock(mutex_);
  asked_ = true;
  changed_.NotifyAll();
}

void KindMonitors::SetSeen(Monitor& monitor, bool seen) {
  MutexLock lock(mutex_);
  if (monitor.seen == seen) return;
  monitor.seen = seen;
  if (seen) monitor.listed = true;
  changed_.NotifyAll();
}

bool KindMonitors::AllSeen() const {
  MutexLock lock(mutex_);
  return discovered_ &&
         std::all_of(monitors_.begin(), monitors_.end(), [](const auto& one) { return one.second->seen; });
}

size_t KindMonitors::size() const {
  MutexLock lock(mutex_);
  return monitors_.size();
}

std::optional<Resource> KindMonitors::ResourceOf(const GroupVersionKind& kind) {
  MutexLock lock(mutex_);
  if (const auto found = kinds_.find(kind); found != kinds_.end()) return found->second;
  asked_ = true;
  changed_.NotifyAll();
  return std::nullopt;
}

Wake KindMonitors::WaitForSync(Duration patience, const StopToken& stop, TimePoint deadline) const {
  MutexLock lock(mutex_);
  Wake wake = changed_.WaitUntil(lock, deadline, stop, [&] { return discovered_; });
  if (wake != Wake::kReady) return wake;
  const TimePoint until = started_ + patience;
  wake = changed_.WaitUntil(lock, std::min(deadline, until), stop, [&] {
    return std::all_of(monitors_.begin(), monitors_.end(), [](const auto& one) { return one.second->listed; });
  });
  if (wake != Wake::kTimeout || deadline < until) return wake;
  log_.Warning("Collects garbage although some kinds could not be listed yet");
  return Wake::kReady;
}

void KindMonitors::Loop(const StopToken& stop) {
  TimePoint due = Clock::Now();
  TimePoint last{};
  size_t looks = 0;  // since there was a reason
  Duration pause = 0s;
  while (!stop.StopRequested()) {
    {
      MutexLock lock(mutex_);
      const Wake wake = changed_.WaitUntil(lock, due, stop, [&] { return asked_; });
      if (wake == Wake::kStopped) return;
      if (wake == Wake::kReady) looks = 0;
      asked_ = false;
    }
    if (last != TimePoint{} && SleepFor(last + kShortestPause - Clock::Now(), stop) == Wake::kStopped) return;
    const Result<void> looked = Look(stop);
    last = Clock::Now();
    if (!looked) {
      if (stop.StopRequested()) return;
      pause = std::clamp<Duration>(pause * 2, 1s, kLongestPause);
      log_.Warning("Cannot find out which kinds there are", "after", pause, "reason", looked.error().message());
      due = last + pause;
      continue;
    }
    pause = 0s;
    MutexLock lock(mutex_);
    if (looks < kLooksAgain.size()) {
      due = last + kLooksAgain[looks++];
    } else if (!missing_.empty()) {
      due = last + kLooksAgain[0];
    } else {
      due = incomplete_ ? last + kLongestPause : TimePoint::max();
    }
  }
}

Result<void> KindMonitors::Look(const StopToken& stop) {
  KEELSON_TRY(served, client_.discovery().Fetch({.stop = stop}));
  std::map<GroupVersionKind, Resource> kinds;
  for (const ServedResource& one : served.resources) kinds.emplace(one.resource.gvk(), one.resource);
  std::map<GroupVersionResource, Resource> wanted;
  for (const Resource& resource : DeletableResources(served)) {
    if (!options_.ignored.contains(resource.group_resource())) wanted.emplace(resource.gvr(), resource);
  }
  if (wanted.empty()) return Error(ErrorCode::kUnavailable, "discovery shows no kind that can be deleted");

  const auto unanswered = [&](const Resource& resource) {
    return std::any_of(served.failed.begin(), served.failed.end(), [&](const FailedGroupVersion& failed) {
      return failed.group_version.group == resource.group && failed.group_version.version == resource.version;
    });
  };
  std::vector<std::unique_ptr<Monitor>> removed;
  std::set<GroupVersionResource> missing;
  bool changed = false;
  {
    MutexLock lock(mutex_);
    for (const auto& [kind, resource] : kinds_) {
      if (unanswered(resource)) kinds.emplace(kind, resource);
    }
    changed = kinds != kinds_;
    kinds_ = std::move(kinds);
    incomplete_ = !served.failed.empty();
    for (auto at = monitors_.begin(); at != monitors_.end();) {
      const Resource& resource = at->second->resource();
      if (wanted.contains(at->first) || unanswered(resource)) {
        ++at;
        continue;
      }
      if (missing_.contains(at->first)) {
        removed.push_back(std::move(at->second));
        at = monitors_.erase(at);
      } else {
        // The deletion of its last objects may still be on the way: it is watched until the next look.
        missing.insert(at->first);
        ++at;
      }
    }
    for (const auto& [name, resource] : wanted) {
      if (!monitors_.contains(name)) monitors_.emplace(name, std::make_unique<Monitor>(*this, resource));
    }
    discovered_ = true;
    changed_.NotifyAll();
  }
  missing_ = std::move(missing);
  for (std::unique_ptr<Monitor>& monitor : removed) {
    const Resource resource = monitor->resource();
    monitor.reset();
    log_.V(2).Info("No longer watches", "resource", resource.group_resource().ToString());
    listener_.OnUnwatched(resource);
  }
  if (changed) listener_.OnKindsChanged();
  return {};
}

}  // namespace keelson::controllers
