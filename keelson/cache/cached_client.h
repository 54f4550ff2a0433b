// A client that reads from caches what has one, and sees its own writes there.
//
//   CachedClient client(live, informers);
//   KEELSON_TRY(updated, client.Update(deployment));
//   KEELSON_TRY(same, client.Get<appsv1::Deployment>(key));    // from the cache, and not older than `updated`
//
// Writes go to the server. The next read of what was written, or of a list that it belongs to, waits until the cache
// has seen the write: that version or a later one; after a delete, until it no longer has that uid, or has it with a
// deletionTimestamp (finalizers, a grace period). DeleteAllOf is not followed. The wait is bounded by
// `wait` and by the call's own scope; when it is over the read fails with kTimeout and says what the cache lacks,
// rather than give an old state. Kinds without an informer are read from the server; a read never starts a watch.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "keelson/cache/informer_factory.h"
#include "keelson/client/client.h"
#include "keelson/core/mutex.h"

namespace keelson {

struct CachedClientOptions {
  Duration wait = std::chrono::seconds(5);
  // Kinds without an informer: read from the server, or an error of code Unsupported.
  bool read_uncached_from_server = true;
  // Writes that no read has asked for yet and that are remembered; of more, the oldest are forgotten.
  size_t max_remembered = 10'000;
};

// Thread-safe. The factory outlives it.
class CachedClient final : public ObjectClient {
 public:
  CachedClient(Client live, const InformerFactory& informers, CachedClientOptions options = {});

  // The client without a cache.
  const Client& live() const { return live_; }

  Result<void> GetObject(const Target& target, const ObjectKey& key, const GetOptions& options,
                         void* object) const override;
  // `continue_token` and versions are for servers: a list from the cache is whole, and the newest that it has.
  Result<metav1::ListMeta> ListObjects(const Target& target, const ListOptions& options, ItemSink& sink) const override;

  Result<void> CreateObject(const Target& target, const void* object, const CreateOptions& options,
                            void* created) const override;
  Result<void> UpdateObject(const Target& target, std::string_view subresource, const void* object,
                            const UpdateOptions& options, void* updated) const override;
  Result<void> PatchObject(const Target& target, const ObjectKey& key, std::string_view subresource,
                           const keelson::Patch& patch, const PatchOptions& options, void* patched) const override;
  Result<void> DeleteObject(const Target& target, const ObjectKey& key, const DeleteOptions& options) const override;
  Result<void> DeleteObjects(const Target& target, const DeleteAllOptions& options) const override;
  Result<void> GetSubobject(const Target& target, const ObjectKey& key, std::string_view subresource,
                            const GetOptions& options, const Type& type, void* object) const override;
  Result<void> WriteSubobject(std::string_view method, const Target& target, const ObjectKey& key,
                              std::string_view subresource, const WriteOptions& options, const Type& type,
                              const void* object, void* answer) const override;

 private:
  // A write that the cache may not have seen yet.
  struct Written {
    GroupVersionKind kind;
    ObjectKey key;
    std::string version;  // of a deletion: empty
    std::string uid;
  };

  std::shared_ptr<SharedInformer> Find(const Target& target, const std::string& namespace_) const;
  ObjectKey Completed(const ObjectKey& key) const;
  void Remember(const Target& target, Written written) const;
  void RememberAnswer(const Target& target, const void* answer) const;
  // Waits for the writes to that key, or of that kind where it is null.
  Result<void> CatchUp(const SharedInformer& informer, const GroupVersionKind& kind, const ObjectKey* key,
                       const CallScope& scope) const;

  // Constant after construction.
  const Client live_;
  const InformerFactory& informers_;
  const CachedClientOptions options_;

  mutable Mutex mutex_{"cached client"};
  // Guarded by mutex_.
  mutable std::map<std::pair<GroupVersionKind, ObjectKey>, Written> written_;
  mutable std::deque<std::pair<GroupVersionKind, ObjectKey>> order_;  // of writing; may name what is gone
};

}  // namespace keelson
