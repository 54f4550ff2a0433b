// A client that reads from caches what has one, and sees its own writes there.
//
//   CachedClient client(live, informers);
//   KEELSON_TRY(updated, client.Update(deployment));
//   KEELSON_TRY(same, client.Get<appsv1::Deployment>(key));    // from the cache, and not older than `updated`
//
// Writes go to the server. The next read of what was written, or of a list that it belongs to, waits until the cache
// has seen the write: that version or a later one; after a delete, until it no longer has that uid, or has it with a
// deletionTimestamp (finalizers, a grace period). DeleteAllOf is not followed. The wait is bounded by `wait` and by the
// call's own scope; when it is over the read fails with kTimeout and says what the cache lacks, rather than give an old
// state. Of a write whose answer never came the next such read first asks the server whether it happened; only objects
// that were to get a generated name are not found that way.
//
// A list by labels or fields looks at the objects of the cache, or, where a field that must have a value is the name of
// an index (Informer::AddFieldIndex, AddIndex), only at those that the index has for it. Without a namespace it is of
// all that the factory is limited to.
//
// What has no informer is read from the server, and said in the log once for each kind: a read never starts a watch
// unless CachedClientOptions says so.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "keelson/cache/informer_factory.h"
#include "keelson/client/client.h"
#include "keelson/core/mutex.h"

namespace keelson {

// What becomes of a read for which there is no informer.
enum class UncachedRead : uint8_t {
  kServer,  // it goes to the server
  kWarn,    // the same, and the log says once for each kind what to do about it
  kError,   // it fails with kUnsupported
  // It starts an informer of the kind, of the factory's namespaces, and waits for it. The informer lives as long as the
  // client.
  kStart,
};

struct CachedClientOptions {
  Duration wait = std::chrono::seconds(5);
  UncachedRead uncached = UncachedRead::kWarn;
  std::map<GroupKind, UncachedRead> uncached_by_kind = {};  // where a kind has another rule
  // Always read from the server, even where there is an informer: {{"", "Secret"}}.
  std::set<GroupKind> live_kinds = {};
  // Writes that no read has asked for yet and that are remembered; of more, the oldest are forgotten.
  size_t max_remembered = 10'000;
};

// Thread-safe. The factory outlives it.
class CachedClient final : public ObjectClient {
 public:
  CachedClient(Client live, InformerFactory& informers, CachedClientOptions options = {});
  ~CachedClient() override;

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
  // Which object, by the factory's number for its kind.
  struct Place {
    uint32_t kind;
    std::string_view namespace_;
    std::string_view name;
  };
  struct Id {
    uint32_t kind = 0;
    ObjectKey key = {};
    operator Place() const { return {kind, key.namespace_, key.name}; }
  };
  struct PlaceHash {
    using is_transparent = void;
    size_t operator()(const Place& place) const;
  };
  struct PlaceEqual {
    using is_transparent = void;
    bool operator()(const Place& a, const Place& b) const {
      return a.kind == b.kind && a.name == b.name && a.namespace_ == b.namespace_;
    }
  };
  // A write that the cache may not have seen yet.
  struct Written {
    std::string version = {};  // of a deletion: empty
    std::string uid = {};
    // Its answer never came, so nobody knows whether it happened: the server is asked before the next read.
    bool in_doubt = false;
    uint64_t number = 0;  // of the writes of this client
  };
  // What was written and a read waits for.
  struct Awaited {
    Id id;
    Written written;
  };

  bool IsLive(const Target& target) const;
  // Whether a read that found no informer is to look once more; if not, it goes to the server.
  Result<bool> HandleUncached(const Target& target) const;
  std::string_view NamespaceOf(const Target& target, const std::string& given) const;
  Result<KindCache> FindCache(const Target& target, std::string_view namespace_) const;
  Result<std::vector<KindCache>> FindCaches(const Target& target, std::string_view namespace_) const;

  void Remember(const Target& target, std::string_view namespace_, std::string_view name, Written written) const;
  void RememberAnswer(const Target& target, const void* answer) const;
  // After a write that failed; does nothing when it certainly did not happen.
  void RememberDoubt(const Target& target, std::string_view namespace_, std::string_view name, std::string_view uid,
                     const Error& error) const;
  // What has become of a write that is in doubt, as a write that is not; nothing where there is nothing to wait for.
  Result<std::optional<Written>> Clarified(const SharedInformer& informer, const Awaited& doubtful,
                                           const CallScope& scope) const;
  void Forget(const Awaited& seen) const;
  void ForgetOldest() const;
  static bool HasSeen(const SharedInformer& informer, const Awaited& awaited);
  // Waits for the writes to that object, or of that kind and namespace (empty: all) where the name is empty.
  Result<void> CatchUp(const KindCache& cache, std::string_view namespace_, std::string_view name,
                       const CallScope& scope) const;
  Result<void> WaitFor(const KindCache& cache, const std::vector<Awaited>& awaited, const CallScope& scope) const;

  // Constant after construction.
  const Client live_;
  InformerFactory& informers_;
  const CachedClientOptions options_;

  // How many are in written_: a read with none to wait for takes no lock.
  mutable std::atomic<size_t> remembered_ = 0;
  mutable Mutex mutex_{"cached client"};
  // Guarded by mutex_.
  mutable std::unordered_map<Id, Written, PlaceHash, PlaceEqual> written_;
  mutable std::deque<std::pair<uint64_t, Id>> order_;  // of writing; may name what is gone
  mutable uint64_t writes_ = 0;
  mutable std::set<GroupKind> warned_;
  mutable std::vector<std::shared_ptr<SharedInformer>> started_;  // by reads
};

}  // namespace keelson
