#include "keelson/runtime/enqueuer.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>

#include "keelson/core/log.h"
#include "keelson/core/periodic.h"

namespace keelson {

namespace {

using References = List<metav1::OwnerReference>;

// A request whose text keeps its memory from event to event.
Request& Reused(std::string_view namespace_, std::string_view name) {
  thread_local Request request;
  request.namespace_.assign(namespace_);
  request.name.assign(name);
  return request;
}

class OwnersOfKind {
 public:
  OwnersOfKind(GroupKind kind, OwnerOptions options) : kind_(std::move(kind)), options_(options) {}

  void Enqueue(const ObjectEvent& event, bool namespaced, RequestSink<Request>& sink) const {
    const ObjectIdentity identity = event.identity();
    // An owner with a namespace cannot own what has none: the reference is a mistake.
    if (namespaced && identity.namespace_.empty()) return;
    const std::string_view namespace_ = namespaced ? identity.namespace_ : std::string_view();
    const References now = ReferencesOf(event, event.object());
    Add(now, References(), namespace_, sink);
    if (event.old_object() == nullptr || event.resync()) return;
    const References before = ReferencesOf(event, event.old_object());
    if (!(before == now)) Add(before, now, namespace_, sink);
  }

 private:
  static References ReferencesOf(const ObjectEvent& event, const ObjectPtr& object) {
    if (IsStoredAs<Unstructured>(event)) return static_cast<const Unstructured*>(object.get())->GetOwnerReferences();
    return (object == event.object() ? event.metadata() : *event.old_metadata()).ownerReferences;
  }
  template <class T>
  static bool IsStoredAs(const ObjectEvent& event) {
    return event.model().type == &TypeOf<T>();
  }

  bool Wanted(const metav1::OwnerReference& reference) const {
    if (reference.kind != kind_.kind) return false;
    if (!options_.any_owner && !reference.controller.value_or(false)) return false;
    const std::string_view version = reference.apiVersion;
    const size_t slash = version.find('/');
    return (slash == std::string_view::npos ? std::string_view() : version.substr(0, slash)) == kind_.group;
  }
  bool Names(const References& references, size_t up_to, const String& name) const {
    for (size_t i = 0; i < up_to; ++i) {
      if (references[i].name == name && Wanted(references[i])) return true;
    }
    return false;
  }
  // Those of `references` that are not in `added`, each once.
  void Add(const References& references, const References& added, std::string_view namespace_,
           RequestSink<Request>& sink) const {
    for (size_t i = 0; i < references.size(); ++i) {
      const metav1::OwnerReference& reference = references[i];
      if (!Wanted(reference) || Names(references, i, reference.name)) continue;
      if (!Names(added, added.size(), reference.name)) sink.Add(Reused(namespace_, reference.name));
    }
  }

  const GroupKind kind_;
  const OwnerOptions options_;
};

// Whether a kind has a namespace, asked of the server until it says so.
class ScopeOfKind {
 public:
  ScopeOfKind(GroupVersionKind kind, Client client) : kind_(std::move(kind)), client_(std::move(client)) {}

  // Nothing when stop came first.
  std::optional<bool> Namespaced(const StopToken& stop) {
    Backoff backoff;
    static_cast<void>(UntilDone(stop, backoff, [&] { return known_.load() != Known::kNothing || Ask(stop); }));
    const Known known = known_.load();
    return known == Known::kNothing ? std::nullopt : std::optional<bool>(known == Known::kNamespaced);
  }
  std::optional<bool> known() const {
    const Known known = known_.load(std::memory_order_relaxed);
    return known == Known::kNothing ? std::nullopt : std::optional<bool>(known == Known::kNamespaced);
  }

 private:
  enum class Known : uint8_t { kNothing, kNamespaced, kCluster };

  bool Ask(const StopToken& stop) {
    const Result<Resource> resource = client_.mapper().ResourceOf(kind_, {.stop = stop});
    if (!resource) {
      Logger("controller")
          .Error(resource.error(), "Events wait: whether their owners have a namespace is not known yet", "owner",
                 kind_.ToString());
      return false;
    }
    known_.store(resource->scope == ResourceScope::kCluster ? Known::kCluster : Known::kNamespaced);
    return true;
  }

  const GroupVersionKind kind_;
  const Client client_;
  std::atomic<Known> known_ = Known::kNothing;
};

}  // namespace

Enqueuer<Request> EnqueueSelf() {
  return [](const ObjectEvent& event, RequestSink<Request>& sink) {
    const ObjectIdentity identity = event.identity();
    sink.Add(Reused(identity.namespace_, identity.name));
  };
}

Enqueuer<Request> EnqueueOwner(GroupKind owner, bool namespaced, OwnerOptions options) {
  auto owners = std::make_shared<const OwnersOfKind>(std::move(owner), options);
  return [owners, namespaced](const ObjectEvent& event, RequestSink<Request>& sink) {
    owners->Enqueue(event, namespaced, sink);
  };
}

Enqueuer<Request> EnqueueOwner(GroupVersionKind owner, Client client, OwnerOptions options) {
  auto owners = std::make_shared<const OwnersOfKind>(owner.group_kind(), options);
  auto scope = std::make_shared<ScopeOfKind>(std::move(owner), std::move(client));
  return [owners, scope](const ObjectEvent& event, RequestSink<Request>& sink) {
    std::optional<bool> namespaced = scope->known();
    if (!namespaced) namespaced = scope->Namespaced(sink.stop());
    if (namespaced) owners->Enqueue(event, *namespaced, sink);
  };
}

}  // namespace keelson
