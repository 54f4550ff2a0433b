#include "keelson/cache/cached_client.h"

#include <algorithm>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/status_error.h"
#include "keelson/cache/view.h"
#include "keelson/codec/field_path.h"
#include "keelson/core/clock.h"

namespace keelson {

namespace {

GroupVersionKind KindOf(const Target& target) {
  if (!target.kind.empty()) return target.kind;
  if (target.resource != nullptr && !target.resource->kind.empty()) return target.resource->gvk();
  return GvkOf(*target.type);
}

bool IsMetadata(const Type& type) { return &type == &TypeOf<metav1::PartialObjectMetadata>(); }

ObjectIdentity IdentityOf(const Type& type, const void* object) {
  if (&type == &TypeOf<Unstructured>()) return internal::IdentifyUnstructured(object);
  const metav1::ObjectMeta* metadata = FindObjectMeta(type, object);
  return metadata == nullptr ? ObjectIdentity() : internal::IdentityOf(*metadata);
}

Result<void> Give(const ObjectModel& model, const void* object, const Type& type, void* to) {
  if (model.type != &type) return internal::ConvertObject(*model.type, object, type, to);
  AssignValue(type, to, object);
  return {};
}

Result<bool> FieldsMatch(const ObjectModel& model, const void* object, const fields::Selector& selector) {
  std::optional<Error> error;
  std::vector<std::unique_ptr<std::string>> texts;  // what the views given to the selector point to
  const bool matches = selector.Matches([&](const std::string& field) -> std::optional<std::string_view> {
    const Result<FieldPath> path = FieldPath::Parse(field);
    if (!path) {
      error = path.error();
      return std::nullopt;
    }
    Result<std::optional<std::string>> text = ReadFieldText(*model.type, object, *path);
    if (!text) {
      error = std::move(text).error();
      return std::nullopt;
    }
    if (!*text) return std::nullopt;
    texts.push_back(std::make_unique<std::string>(std::move(**text)));
    return *texts.back();
  });
  if (error) return *std::move(error);
  return matches;
}

}  // namespace

CachedClient::CachedClient(Client live, const InformerFactory& informers, CachedClientOptions options)
    : live_(std::move(live)), informers_(informers), options_(options) {}

ObjectKey CachedClient::Completed(const ObjectKey& key) const {
  if (!key.namespace_.empty() || live_.scoped_namespace().empty()) return key;
  return {.namespace_ = live_.scoped_namespace(), .name = key.name};
}

std::shared_ptr<SharedInformer> CachedClient::Find(const Target& target, const std::string& namespace_) const {
  return informers_.Find(KindOf(target), target.resource, namespace_, IsMetadata(*target.type));
}

Result<void> CachedClient::GetObject(const Target& target, const ObjectKey& given, const GetOptions& options,
                                     void* object) const {
  const bool cluster = target.resource != nullptr && target.resource->scope == ResourceScope::kCluster;
  const ObjectKey key = cluster ? ObjectKey{.namespace_ = {}, .name = given.name} : Completed(given);
  const std::shared_ptr<SharedInformer> informer = Find(target, key.namespace_);
  if (informer == nullptr) {
    if (options_.read_uncached_from_server) return live_.GetObject(target, given, options, object);
    return Error::Unsupported("there is no informer of " + KindOf(target).ToString() +
                              ": ask the factory for one, or read from the server (live())");
  }
  KEELSON_RETURN_IF_ERROR(CatchUp(*informer, KindOf(target), &key, options.scope));
  const ObjectPtr found = informer->store().Get(key.namespace_, key.name);
  if (found == nullptr) return internal::NotInCache(informer->source(), key.namespace_, key.name);
  return Give(informer->model(), found.get(), *target.type, object);
}

Result<metav1::ListMeta> CachedClient::ListObjects(const Target& target, const ListOptions& options,
                                                   ItemSink& sink) const {
  const std::string namespace_ = options.namespace_.empty() ? live_.scoped_namespace() : options.namespace_;
  const std::shared_ptr<SharedInformer> informer = Find(target, namespace_);
  if (informer == nullptr) {
    if (options_.read_uncached_from_server) return live_.ListObjects(target, options, sink);
    return Error::Unsupported("there is no informer of " + KindOf(target).ToString() +
                              ": ask the factory for one, or read from the server (live())");
  }
  KEELSON_RETURN_IF_ERROR(CatchUp(*informer, KindOf(target), nullptr, options.scope));
  const Store& store = informer->store();
  const std::string version = informer->version();
  // The narrowest index that the selectors allow: a field's, else the namespace's.
  Snapshot objects;
  const auto requirements = options.fields.Requirements();
  const auto indexed = std::find_if(requirements.begin(), requirements.end(), [&](const fields::Requirement& one) {
    return one.op == fields::Operator::kEquals && !one.value.empty() && store.HasIndex(one.field);
  });
  if (indexed != requirements.end()) {
    objects = store.ByIndex(indexed->field, indexed->value).value();
  } else {
    objects = namespace_.empty() ? store.List() : store.ByIndex(Store::kNamespaceIndex, namespace_).value();
  }
  for (const ObjectPtr& object : objects) {
    if (!namespace_.empty() && informer->model().identify(object.get()).namespace_ != namespace_) continue;
    if (!options.labels.empty() && !informer->model().labels_match(object.get(), options.labels)) continue;
    if (!options.fields.empty()) {
      KEELSON_TRY(matches, FieldsMatch(informer->model(), object.get(), options.fields));
      if (!matches) continue;
    }
    KEELSON_RETURN_IF_ERROR(Give(informer->model(), object.get(), *target.type, sink.NextItem()));
    KEELSON_RETURN_IF_ERROR(sink.Accept());
  }
  return metav1::ListMeta{.resourceVersion = version};
}

Result<void> CachedClient::CreateObject(const Target& target, const void* object, const CreateOptions& options,
                                        void* created) const {
  KEELSON_RETURN_IF_ERROR(live_.CreateObject(target, object, options, created));
  if (!options.dry_run) RememberAnswer(target, created);
  return {};
}

Result<void> CachedClient::UpdateObject(const Target& target, std::string_view subresource, const void* object,
                                        const UpdateOptions& options, void* updated) const {
  KEELSON_RETURN_IF_ERROR(live_.UpdateObject(target, subresource, object, options, updated));
  if (!options.dry_run) RememberAnswer(target, updated);
  return {};
}

Result<void> CachedClient::PatchObject(const Target& target, const ObjectKey& key, std::string_view subresource,
                                       const keelson::Patch& patch, const PatchOptions& options, void* patched) const {
  KEELSON_RETURN_IF_ERROR(live_.PatchObject(target, key, subresource, patch, options, patched));
  if (!options.dry_run) RememberAnswer(target, patched);
  return {};
}

Result<void> CachedClient::DeleteObject(const Target& target, const ObjectKey& key,
                                        const DeleteOptions& options) const {
  // Which object it was: the one of the precondition, else the one that the cache has now.
  Written deleted{.kind = KindOf(target), .key = Completed(key), .version = {}, .uid = options.uid};
  if (deleted.uid.empty()) {
    if (const std::shared_ptr<SharedInformer> informer = Find(target, deleted.key.namespace_)) {
      if (const ObjectPtr known = informer->store().Get(deleted.key.namespace_, deleted.key.name)) {
        deleted.uid = informer->model().identify(known.get()).uid;
      }
    }
  }
  KEELSON_RETURN_IF_ERROR(live_.DeleteObject(target, key, options));
  if (!options.dry_run && !deleted.uid.empty()) Remember(target, std::move(deleted));
  return {};
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
  if (method == "PUT" && answer != nullptr && !options.dry_run) {
    const ObjectIdentity identity = IdentityOf(type, answer);
    if (identity.name == key.name && !identity.resource_version.empty()) {
      Remember(target, {.kind = KindOf(target),
                        .key = Completed(key),
                        .version = std::string(identity.resource_version),
                        .uid = std::string(identity.uid)});
    }
  }
  return {};
}

void CachedClient::RememberAnswer(const Target& target, const void* answer) const {
  const ObjectIdentity identity = IdentityOf(*target.type, answer);
  Remember(target, {.kind = KindOf(target),
                    .key = identity.key(),
                    .version = std::string(identity.resource_version),
                    .uid = std::string(identity.uid)});
}

void CachedClient::Remember(const Target& target, Written written) const {
  if (Find(target, written.key.namespace_) == nullptr) return;
  std::pair<GroupVersionKind, ObjectKey> id{written.kind, written.key};
  MutexLock lock(mutex_);
  const auto found = written_.find(id);
  // Of two writes by different threads the later version counts, in whichever order their answers came.
  if (found != written_.end() && IsOlderVersion(written.version, found->second.version)) return;
  written_.insert_or_assign(id, std::move(written));
  order_.push_back(std::move(id));
  while (order_.size() > options_.max_remembered) {
    written_.erase(order_.front());
    order_.pop_front();
  }
}

Result<void> CachedClient::CatchUp(const SharedInformer& informer, const GroupVersionKind& kind, const ObjectKey* key,
                                   const CallScope& scope) const {
  const TimePoint deadline = std::min(scope.deadline, SaturatingAdd(Clock::Now(), options_.wait));
  std::vector<Written> awaited;
  {
    MutexLock lock(mutex_);
    if (written_.empty() && informer.HasSynced()) return {};
    for (auto at = written_.lower_bound({kind, ObjectKey()}); at != written_.end() && at->first.first == kind; ++at) {
      if (key == nullptr || at->first.second == *key) awaited.push_back(at->second);
    }
  }
  const auto lacks = [&](Wake wake, const std::string& what) {
    const std::string message = "the cache of " + informer.source().ToString() + " has not seen " + what;
    if (wake == Wake::kStopped) return Error::Cancelled("stopped: " + message);
    return Error(ErrorCode::kTimeout, message + " within " + FormatDuration(options_.wait));
  };
  if (const Wake wake = informer.WaitForSync(scope.stop, deadline); wake != Wake::kReady) {
    return lacks(wake, "a whole list");
  }
  for (const Written& write : awaited) {
    const bool deletion = write.version.empty();
    const Wake wake = deletion ? informer.WaitUntilGone(write.key, write.uid, deadline, scope.stop)
                               : informer.WaitUntilVersion(write.version, deadline, scope.stop);
    if (wake != Wake::kReady) {
      return lacks(wake,
                   deletion ? "the deletion of \"" + write.key.ToString() + "\" (uid " + write.uid + ")"
                            : "the write of \"" + write.key.ToString() + "\" (resource version " + write.version + ")");
    }
    MutexLock lock(mutex_);
    const auto found = written_.find({write.kind, write.key});
    if (found != written_.end() && found->second.version == write.version) written_.erase(found);
  }
  return {};
}

}  // namespace keelson
