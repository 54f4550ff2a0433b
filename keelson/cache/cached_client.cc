#include "keelson/cache/cached_client.h"

#include <algorithm>
#include <functional>

#include "keelson/api/node.h"
#include "keelson/api/status_error.h"
#include "keelson/cache/internal/list_filter.h"
#include "keelson/cache/view.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/read_scope.h"
#include "keelson/transport/thread_scope.h"

namespace keelson {

namespace {

bool IsMetadata(const Type& type) { return &type == &TypeOf<metav1::PartialObjectMetadata>(); }

GroupKind GroupKindOf(const Target& target) {
  const internal::KindNames names(target);
  if (!names.kind.empty() || names.resource == nullptr) return {std::string(names.group), std::string(names.kind)};
  return {names.resource->group, names.resource->plural};
}

ObjectIdentity IdentityOf(const Type& type, const void* object) {
  if (&type == &TypeOf<Unstructured>()) return internal::IdentifyUnstructured(object);
  const metav1::ObjectMeta* metadata = FindObjectMeta(type, object);
  return metadata == nullptr ? ObjectIdentity() : internal::IdentityOf(*metadata);
}

// The metadata of a whole object, as a server gives it.
Result<void> GiveMetadata(const ObjectModel& model, const void* object, metav1::PartialObjectMetadata& to) {
  if (model.type == &TypeOf<Unstructured>()) {
    KEELSON_TRY(metadata, static_cast<const Unstructured*>(object)->GetMetadata());
    to.metadata = std::move(metadata);
  } else {
    to.metadata = *FindObjectMeta(*model.type, object);
  }
  to.kind = "PartialObjectMetadata";
  to.apiVersion = "meta.k8s.io/v1";
  return {};
}

// Fills `to`, a default value of that type.
Result<void> Give(const ObjectModel& model, const void* object, const Type& type, void* to) {
  if (model.type == &type) {
    internal::DestroyValue(type, to);
    internal::CopyValue(type, to, object);  // unlike AssignValue, which minds values that are parts of each other
    return {};
  }
  if (IsMetadata(type)) return GiveMetadata(model, object, *static_cast<metav1::PartialObjectMetadata*>(to));
  return internal::ConvertObject(*model.type, object, type, to);
}

}  // namespace

size_t CachedClient::PlaceHash::operator()(const Place& place) const {
  const std::hash<std::string_view> hash;
  return (hash(place.name) * 31 + hash(place.namespace_)) * 31 + place.kind;
}

CachedClient::CachedClient(Client live, InformerFactory& informers, CachedClientOptions options)
    : live_(std::move(live)), informers_(informers), options_(std::move(options)) {}

CachedClient::~CachedClient() = default;

bool CachedClient::IsLive(const Target& target) const {
  if (options_.live_kinds.empty()) return false;
  const internal::KindNames names(target);
  return std::any_of(options_.live_kinds.begin(), options_.live_kinds.end(),
                     [&](const GroupKind& live) { return live.kind == names.kind && live.group == names.group; });
}

Result<bool> CachedClient::HandleUncached(const Target& target) const {
  const GroupKind kind = GroupKindOf(target);
  const auto own = options_.uncached_by_kind.find(kind);
  UncachedRead rule = own == options_.uncached_by_kind.end() ? options_.uncached : own->second;
  if (rule == UncachedRead::kServer) return false;
  if (rule == UncachedRead::kError) {
    return Error::Unsupported("there is no informer that has these objects of " + kind.ToString() +
                              ": watch the kind, ask the factory for an informer of it, or read from the server "
                              "(live(), CachedClientOptions::live_kinds)");
  }
  if (rule == UncachedRead::kStart && informers_.FindAll(target).empty()) {
    if (std::vector<std::shared_ptr<SharedInformer>> made = informers_.AllOf(target); !made.empty()) {
      MutexLock lock(mutex_);
      started_.insert(started_.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
      return true;
    }
  }
  {
    MutexLock lock(mutex_);
    if (!warned_.insert(kind).second) return false;
  }
  Logger("cache").Warning(
      "Reading from the server: there is no informer that has these objects. Watch the kind, or say in "
      "CachedClientOptions that it is to be read so (live_kinds), or that reads start informers (UncachedRead::kStart)",
      "kind", kind.ToString());
  return false;
}

// Empty for a cluster-scoped kind, where that is known.
std::string_view CachedClient::NamespaceOf(const Target& target, const std::string& given) const {
  if (target.resource != nullptr && target.resource->scope == ResourceScope::kCluster) return {};
  return given.empty() ? live_.scoped_namespace() : given;
}

Result<KindCache> CachedClient::FindCache(const Target& target, std::string_view namespace_) const {
  if (IsLive(target)) return KindCache();
  KindCache found = informers_.Find(target, namespace_);
  if (found) return found;
  KEELSON_TRY(again, HandleUncached(target));
  return again ? informers_.Find(target, namespace_) : KindCache();
}

Result<std::vector<KindCache>> CachedClient::FindCaches(const Target& target, std::string_view namespace_) const {
  std::vector<KindCache> caches;
  if (!namespace_.empty()) {
    KEELSON_TRY(one, FindCache(target, namespace_));
    if (one) caches.push_back(std::move(one));
    return caches;
  }
  if (IsLive(target)) return caches;
  caches = informers_.FindAll(target);
  if (!caches.empty()) return caches;
  KEELSON_TRY(again, HandleUncached(target));
  if (again) caches = informers_.FindAll(target);
  return caches;
}

Result<void> CachedClient::GetObject(const Target& target, const ObjectKey& key, const GetOptions& options,
                                     void* object) const {
  const std::string_view namespace_ = NamespaceOf(target, key.namespace_);
  KEELSON_TRY(cache, FindCache(target, namespace_));
  if (!cache) return live_.GetObject(target, key, options, object);
  const SharedInformer& informer = *cache.informer;
  KEELSON_RETURN_IF_ERROR(CatchUp(cache, namespace_, key.name, options.scope));
  const ReadScope scope;
  const void* found = informer.store().Find(scope, namespace_, key.name);
  if (found == nullptr) return internal::NotInCache(informer.source(), namespace_, key.name);
  return Give(informer.model(), found, *target.type, object);
}

Result<metav1::ListMeta> CachedClient::ListObjects(const Target& target, const ListOptions& options,
                                                   ItemSink& sink) const {
  const std::string_view namespace_ = NamespaceOf(target, options.namespace_);
  KEELSON_TRY(caches, FindCaches(target, namespace_));
  if (caches.empty()) return live_.ListObjects(target, options, sink);
  for (const KindCache& cache : caches) KEELSON_RETURN_IF_ERROR(CatchUp(cache, namespace_, {}, options.scope));
  std::string oldest;
  for (const KindCache& cache : caches) {
    const SharedInformer& informer = *cache.informer;
    const std::string version = informer.version();
    if (oldest.empty() || IsOlderVersion(version, oldest)) oldest = version;
    KEELSON_TRY(filter, internal::ListFilter::Make(informer, options, namespace_));
    for (const ObjectPtr& object : filter.candidates()) {
      // An informer for each namespace of a kind that turned out to be cluster-scoped: each has all of them.
      if (&cache != &caches.front() && informer.model().identify(object.get()).namespace_.empty()) break;
      KEELSON_TRY(matches, filter.Matches(object.get()));
      if (!matches) continue;
      KEELSON_RETURN_IF_ERROR(Give(informer.model(), object.get(), *target.type, sink.NextItem()));
      KEELSON_RETURN_IF_ERROR(sink.Accept());
    }
  }
  return metav1::ListMeta{.resourceVersion = oldest};
}

Result<void> CachedClient::CreateObject(const Target& target, const void* object, const CreateOptions& options,
                                        void* created) const {
  Result<void> result = live_.CreateObject(target, object, options, created);
  if (options.dry_run) return result;
  if (result) {
    RememberAnswer(target, created);
  } else {
    const ObjectIdentity identity = IdentityOf(*target.type, object);
    RememberDoubt(target, NamespaceOf(target, std::string(identity.namespace_)), identity.name, {}, result.error());
  }
  return result;
}

Result<void> CachedClient::UpdateObject(const Target& target, std::string_view subresource, const void* object,
                                        const UpdateOptions& options, void* updated) const {
  Result<void> result = live_.UpdateObject(target, subresource, object, options, updated);
  if (options.dry_run) return result;
  if (result) {
    RememberAnswer(target, updated);
  } else {
    const ObjectIdentity identity = IdentityOf(*target.type, object);
    RememberDoubt(target, NamespaceOf(target, std::string(identity.namespace_)), identity.name, identity.uid,
                  result.error());
  }
  return result;
}

Result<void> CachedClient::PatchObject(const Target& target, const ObjectKey& key, std::string_view subresource,
                                       const keelson::Patch& patch, const PatchOptions& options, void* patched) const {
  Result<void> result = live_.PatchObject(target, key, subresource, patch, options, patched);
  if (options.dry_run) return result;
  if (result) {
    RememberAnswer(target, patched);
  } else {
    RememberDoubt(target, NamespaceOf(target, key.namespace_), key.name, {}, result.error());
  }
  return result;
}

Result<void> CachedClient::DeleteObject(const Target& target, const ObjectKey& key,
                                        const DeleteOptions& options) const {
  // Which object it was: the one of the precondition, else the one that the cache has now.
  Written deleted{.uid = options.uid};
  const std::string_view namespace_ = NamespaceOf(target, key.namespace_);
  if (deleted.uid.empty() && !options.dry_run) {
    if (const KindCache cache = informers_.Find(target, namespace_)) {
      if (const ObjectPtr known = cache.informer->store().Get(namespace_, key.name)) {
        deleted.uid = cache.informer->model().identify(known.get()).uid;
      }
    }
  }
  Result<void> result = live_.DeleteObject(target, key, options);
  if (options.dry_run || deleted.uid.empty()) return result;
  if (result) {
    Remember(target, namespace_, key.name, std::move(deleted));
  } else {
    RememberDoubt(target, namespace_, key.name, deleted.uid, result.error());
  }
  return result;
}

Result<void> CachedClient::DeleteObjects(const Target& target, const DeleteAllOptions& options) const {
  return live_.DeleteObjects(target, options);
}

Result<void> CachedClient::GetSubobject(const Target& target, const ObjectKey& key, std::string_view subresource,
                                        const GetOptions& options, const Type& type, void* object) const {
  return live_.GetSubobject(target, key, subresource, options, type, object);
}

Result<void> CachedClient::WriteSubobject(std::string_view method, const Target& target, const ObjectKey& key,
                                          std::string_view subresource, const WriteOptions& options, const Type& type,
                                          const void* object, void* answer) const {
  KEELSON_RETURN_IF_ERROR(live_.WriteSubobject(method, target, key, subresource, options, type, object, answer));
  // A scale has the version of the object that it belongs to.
  if (method != "PUT" || answer == nullptr || options.dry_run) return {};
  const ObjectIdentity identity = IdentityOf(type, answer);
  if (identity.name != key.name || identity.resource_version.empty()) return {};
  Remember(target, NamespaceOf(target, key.namespace_), key.name,
           {.version = std::string(identity.resource_version), .uid = std::string(identity.uid)});
  return {};
}

void CachedClient::RememberAnswer(const Target& target, const void* answer) const {
  const ObjectIdentity identity = IdentityOf(*target.type, answer);
  Remember(target, identity.namespace_, identity.name,
           {.version = std::string(identity.resource_version), .uid = std::string(identity.uid)});
}

void CachedClient::RememberDoubt(const Target& target, std::string_view namespace_, std::string_view name,
                                 std::string_view uid, const Error& error) const {
  switch (error.code()) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal: break;
    default: return;  // the server said that it did not do it
  }
  const auto* detail = error.detail<TransportErrorDetail>();
  if (name.empty() || (detail != nullptr && !detail->sent())) return;
  Remember(target, namespace_, name, {.uid = std::string(uid), .in_doubt = true});
}

Result<std::optional<CachedClient::Written>> CachedClient::Clarified(const SharedInformer& informer,
                                                                     const Awaited& doubtful,
                                                                     const CallScope& scope) const {
  const ReflectorSource& source = informer.source();
  const Target target{.type = &TypeOf<metav1::PartialObjectMetadata>(),
                      .resource = source.resource ? &*source.resource : nullptr,
                      .kind = source.kind};
  metav1::PartialObjectMetadata found;
  Result<void> asked = live_.GetObject(target, doubtful.id.key, {.scope = scope}, &found);
  if (asked) return std::optional(Written{.version = found.metadata.resourceVersion.str()});
  if (!IsNotFound(asked.error())) {
    return std::move(asked).error().WithContext("cannot find out whether the last write of \"" +
                                                doubtful.id.key.ToString() + "\" happened");
  }
  if (doubtful.written.uid.empty()) return std::optional<Written>();
  return std::optional(Written{.uid = doubtful.written.uid});
}

void CachedClient::Remember(const Target& target, std::string_view namespace_, std::string_view name,
                            Written written) const {
  if (IsLive(target)) return;
  const KindCache cache = informers_.Find(target, namespace_);
  if (!cache) return;
  ForgetOldest();
  const Place place{cache.kind, namespace_, name};
  if (cache.only && !written.in_doubt && !written.version.empty() && cache.informer->HasSeen(written.version)) return;
  MutexLock lock(mutex_);
  written.number = ++writes_;
  Id id{cache.kind, {std::string(namespace_), std::string(name)}};
  const auto found = written_.find(place);
  // Of two writes by different threads the later version counts, in whichever order their answers came.
  if (found != written_.end() && IsOlderVersion(written.version, found->second.version)) return;
  order_.emplace_back(written.number, id);
  written_.insert_or_assign(std::move(id), std::move(written));
  while (order_.size() > options_.max_remembered) {
    const auto oldest = written_.find(Place(order_.front().second));
    if (oldest != written_.end() && oldest->second.number == order_.front().first) written_.erase(oldest);
    order_.pop_front();
  }
  remembered_.store(written_.size(), std::memory_order_release);
}

void CachedClient::Forget(const Awaited& seen) const {
  MutexLock lock(mutex_);
  const auto found = written_.find(Place(seen.id));
  if (found == written_.end() || found->second.number != seen.written.number) return;
  written_.erase(found);
  remembered_.store(written_.size(), std::memory_order_release);
}

bool CachedClient::HasSeen(const SharedInformer& informer, const Awaited& awaited) {
  if (awaited.written.in_doubt) return false;
  if (!awaited.written.version.empty()) return informer.HasSeen(awaited.written.version);
  return informer.WaitUntilGone(awaited.id.key, awaited.written.uid, TimePoint::min(), {}) == Wake::kReady;
}

// Each write forgets up to two older ones that their caches have seen, so that those which nobody reads do not gather.
void CachedClient::ForgetOldest() const {
  for (int i = 0; i < 2; ++i) {
    std::optional<Awaited> oldest;
    {
      MutexLock lock(mutex_);
      while (!order_.empty() && !oldest) {
        const auto& [number, id] = order_.front();
        const auto found = written_.find(Place(id));
        if (found != written_.end() && found->second.number == number) {
          oldest = Awaited{id, found->second};
        } else {
          order_.pop_front();
        }
      }
    }
    if (!oldest) return;
    const KindCache cache = informers_.FindAgain(oldest->id.kind, oldest->id.key.namespace_);
    // What several caches have is forgotten by its age alone.
    if (cache && (!cache.only || !HasSeen(*cache.informer, *oldest))) return;
    Forget(*oldest);
  }
}

Result<void> CachedClient::CatchUp(const KindCache& cache, std::string_view namespace_, std::string_view name,
                                   const CallScope& scope) const {
  std::vector<Awaited> awaited;
  if (remembered_.load(std::memory_order_acquire) != 0) {
    MutexLock lock(mutex_);
    if (!name.empty()) {
      const auto found = written_.find(Place{cache.kind, namespace_, name});
      if (found != written_.end()) awaited.push_back({found->first, found->second});
    } else {
      for (const auto& [id, written] : written_) {
        if (id.kind == cache.kind && (namespace_.empty() || id.key.namespace_ == namespace_)) {
          awaited.push_back({id, written});
        }
      }
    }
  }
  if (awaited.empty() && cache.informer->HasSynced()) return {};
  return WaitFor(cache, awaited, scope);
}

Result<void> CachedClient::WaitFor(const KindCache& cache, const std::vector<Awaited>& awaited,
                                   const CallScope& scope) const {
  const SharedInformer& informer = *cache.informer;
  const JoinedScope joined(scope);
  const StopToken& stop = joined.get().stop;
  const TimePoint patience = SaturatingAdd(Clock::Now(), options_.wait);
  const TimePoint deadline = std::min(joined.get().deadline, patience);
  const auto lacks = [&](Wake wake, const std::string& what) {
    const std::string message = "the cache of " + informer.source().ToString() + " has not seen " + what;
    if (wake == Wake::kStopped) return Error::Cancelled("stopped: " + message);
    return Error(ErrorCode::kTimeout,
                 message + (deadline == patience ? " within " + FormatDuration(options_.wait) : " by the deadline"));
  };
  if (const Wake wake = informer.WaitForSync(stop, deadline); wake != Wake::kReady) {
    Error error = lacks(wake, "a whole list");
    if (const std::optional<Error> reason = informer.last_error()) {
      return Error(error.code(), error.message() + ": " + reason->message());
    }
    return error;
  }
  for (const Awaited& one : awaited) {
    // Of an informer of one namespace: writes to others are not its.
    if (!informer.source().namespace_.empty() && informer.source().namespace_ != one.id.key.namespace_) continue;
    std::optional<Written> clarified = one.written;
    if (one.written.in_doubt) {
      KEELSON_TRY(asked, Clarified(informer, one, {.stop = stop, .deadline = deadline}));
      clarified = std::move(asked);
    }
    if (!clarified) {
      if (cache.only) Forget(one);
      continue;
    }
    const Written& write = *clarified;
    const bool deletion = write.version.empty();
    const Wake wake = deletion ? informer.WaitUntilGone(one.id.key, write.uid, deadline, stop)
                               : informer.WaitUntilVersion(write.version, deadline, stop);
    if (wake != Wake::kReady) {
      const std::string key = one.id.key.ToString();
      return lacks(wake, deletion ? "the deletion of \"" + key + "\" (uid " + write.uid + ")"
                                  : "the write of \"" + key + "\" (resource version " + write.version + ")");
    }
    if (cache.only) Forget(one);
  }
  return {};
}

}  // namespace keelson
