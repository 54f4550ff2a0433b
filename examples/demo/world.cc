#include "world.h"

#include <set>
#include <utility>

#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/core/clock.h"

namespace demo {
namespace {

using keelson::GroupVersionKind;
using keelson::Informer;
using keelson::Unstructured;
using keelson::corev1::Event;

constexpr std::string_view kOwner = "owner";          // index: the uids of an object's owners
constexpr std::string_view kConcerned = "concerned";  // index: the uid of the object that an event is about
constexpr keelson::Duration kSyncTimeout = std::chrono::seconds(30);

// What operators make.
const std::vector<GroupVersionKind>& KindsOfChildren() {
  static const std::vector<GroupVersionKind> kinds = {
      {"", "v1", "ConfigMap"},
      {"", "v1", "PersistentVolume"},
      {"", "v1", "PersistentVolumeClaim"},
      {"", "v1", "Pod"},
      {"", "v1", "Secret"},
      {"", "v1", "Service"},
      {"apps", "v1", "Deployment"},
      {"networking.k8s.io", "v1", "Ingress"},
  };
  return kinds;
}

}  // namespace

World::World(keelson::Client client, std::vector<Applied> applied)
    : applied_(std::move(applied)), factory_(std::move(client)), events_(factory_.For<Event>()) {
  std::set<GroupVersionKind> kinds(KindsOfChildren().begin(), KindsOfChildren().end());
  for (const Applied& one : applied_) kinds.insert(one.kind);
  for (const GroupVersionKind& kind : kinds) kinds_.push_back(factory_.For(kind));
}

template <class T>
void World::Follow(const Informer<T>& informer) {
  registrations_.push_back(informer.AddHandler({.on_add = [this](const T&, bool) { NoteChange(); },
                                                .on_update = [this](const T&, const T&) { NoteChange(); },
                                                .on_delete = [this](const T&, bool) { NoteChange(); }}));
}

keelson::Result<void> World::Start(const keelson::StopToken& stop) {
  for (const Informer<Unstructured>& kind : kinds_) {
    KEELSON_RETURN_IF_ERROR(kind.AddIndex(std::string(kOwner), [](const Unstructured& object) {
      std::vector<std::string> uids;
      for (const keelson::metav1::OwnerReference& owner : object.GetOwnerReferences()) uids.push_back(owner.uid.str());
      return uids;
    }));
    Follow(kind);
  }
  KEELSON_RETURN_IF_ERROR(events_.AddIndex(std::string(kConcerned), [](const Event& event) {
    return std::vector<std::string>{event.involvedObject.uid.str()};
  }));
  Follow(events_);
  factory_.Start(stop);
  return keelson::WaitForCacheSync(stop, keelson::Clock::Now() + kSyncTimeout, factory_);
}

std::vector<ObjectState> World::Look() const {
  std::vector<ObjectState> states;
  for (const Applied& applied : applied_) {
    ObjectState state{.applied = applied};
    for (const Informer<Unstructured>& kind : kinds_) {
      if (kind.core()->source().kind != applied.kind) continue;
      if (const auto found = kind.lister().Get(applied.key)) state.object = **found;
    }
    if (state.object) {
      const std::string uid = state.object->GetUid();
      for (const Informer<Unstructured>& kind : kinds_) {
        const auto owned = kind.lister().ByIndex(kOwner, uid);
        if (!owned) continue;
        for (const Unstructured& child : *owned) state.children.push_back(child);
      }
      // The last one is the one that was written last.
      const auto concerning = events_.lister().ByIndex(kConcerned, uid);
      for (const Event& event : concerning.value()) {
        if (!state.event || keelson::IsOlderVersion(state.event->metadata.resourceVersion.view(),
                                                    event.metadata.resourceVersion.view())) {
          state.event = event;
        }
      }
    }
    states.push_back(std::move(state));
  }
  return states;
}

void World::NoteChange() {
  {
    keelson::MutexLock lock(mutex_);
    has_changed_ = true;
  }
  changed_.NotifyAll();
}

void World::WaitForChange(keelson::Duration at_most, const keelson::StopToken& stop) {
  keelson::MutexLock lock(mutex_);
  (void)changed_.WaitFor(lock, at_most, stop, [this] { return has_changed_; });
  has_changed_ = false;
}

}  // namespace demo
