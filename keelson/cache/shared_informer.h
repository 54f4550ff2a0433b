// One watch, one cache, many handlers: the core of informers, for code that knows the type at run time only.
//
// Programs use its typed skins: informer.h, lister.h and, to share informers among all parts of a program,
// informer_factory.h.
//
// What a handler is promised:
// - It is called by one thread at a time, its own unless it says that it is brief; a slow one delays nobody else, and
//   what waits for it is bounded (delta_queue.h).
// - It first gets every object that is there as an addition marked initial, whenever it comes.
// - The states that it sees of an object are states that the object had, in order; none is older than one before. It
//   need not see all of them, but it comes to see the last.
// - An object that was deleted and made again in a gap is told as a deletion and an addition.
// - When it is called, the cache has the object in that state or a later one.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/cache/delta.h"
#include "keelson/cache/reflector.h"
#include "keelson/cache/store.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"

namespace keelson {

namespace internal {
class Listener;
}

struct InformerOptions {
  // How often handlers that do not say otherwise are shown all objects again, as updates without a change. 0: never.
  Duration resync{0};
  ReflectorOptions reflector = {};
  // Changes an object before it enters the cache: drop what nobody reads. An object for which it fails enters as it is.
  std::function<Result<void>(void* object)> transform = {};
  // Told of each failure to list or watch, and of what transform and handlers make fail. On the threads of the
  // informer.
  std::function<void(const Error& error)> on_error = {};
};

struct HandlerOptions {
  std::optional<Duration> resync = {};  // else the informer's
  std::string name = "handler";         // of its thread
  // It never waits, throws or calls its informer. While nothing is left for its own thread it is called by the
  // informer's, under the informer's lock: that costs less than waking another.
  bool brief = false;
};

class SharedInformer;

// A handler's place at an informer; keeps the informer alive. Movable. Destroying it removes the handler and returns
// when its calls have ended.
class [[nodiscard]] HandlerRegistration {
 public:
  HandlerRegistration() = default;
  HandlerRegistration(std::shared_ptr<SharedInformer> informer, std::shared_ptr<internal::Listener> listener);
  ~HandlerRegistration() { Remove(); }
  HandlerRegistration(HandlerRegistration&&) noexcept = default;
  HandlerRegistration& operator=(HandlerRegistration&& other) noexcept;

  // Whether the handler has been called for all objects that were there when it came, or for the first list.
  bool HasSynced() const;
  [[nodiscard]] Wake WaitForSync(const StopToken& stop, TimePoint deadline = TimePoint::max()) const;
  // No call begins behind it. From inside the handler itself it returns at once, and this call is the last.
  void Remove();
  std::string description() const;

 private:
  std::shared_ptr<SharedInformer> informer_;
  std::shared_ptr<internal::Listener> listener_;
};

// Thread-safe. Held by shared pointers. Not to be destroyed by one of its own handlers.
class SharedInformer final : private ReflectorSink, public std::enable_shared_from_this<SharedInformer> {
 public:
  using Handler = std::function<void(const Delta& delta)>;

  SharedInformer(Client client, ReflectorSource source, const ObjectModel& model, InformerOptions options = {});
  ~SharedInformer() override;

  // Begins to list and watch, on a thread of its own, until stop or destruction. Further calls do nothing.
  void Start(const StopToken& stop);
  bool started() const;
  // Start, and returns when stop is requested.
  void Run(const StopToken& stop);

  // Whether the cache has had a whole list.
  bool HasSynced() const { return synced_.load(std::memory_order_acquire); }
  [[nodiscard]] Wake WaitForSync(const StopToken& stop, TimePoint deadline = TimePoint::max()) const;
  // Why it has not synced, or what failed last and has not worked since.
  std::optional<Error> last_error() const;

  HandlerRegistration AddHandler(Handler handler, HandlerOptions options = {});
  Result<void> AddIndex(std::string name, IndexFunction values_of) {
    return store_.AddIndex(std::move(name), values_of);
  }
  // An index of that name by the text of a field; objects without it are left out.
  Result<void> AddFieldIndex(std::string_view path);

  const Store& store() const { return store_; }
  const ObjectModel& model() const { return model_; }
  const ReflectorSource& source() const { return source_; }

  // Up to which everything on the server is in the cache.
  std::string version() const;
  // Whether the cache has seen that version.
  bool HasSeen(std::string_view version) const;
  // Until the cache has seen that version.
  [[nodiscard]] Wake WaitUntilVersion(std::string_view version, TimePoint deadline, const StopToken& stop) const;
  // Until the cache has no object of that key and uid, or one that is being deleted.
  [[nodiscard]] Wake WaitUntilGone(const ObjectKey& key, std::string_view uid, TimePoint deadline,
                                   const StopToken& stop) const;

 private:
  friend class HandlerRegistration;
  friend class internal::Listener;

  // ReflectorSink
  ObjectPtr Known(std::string_view namespace_, std::string_view name) override;
  void Expect(std::string_view namespace_, std::string_view name) override;
  ObjectPtr Admit(std::shared_ptr<void> object) override;
  void Replace(std::vector<ObjectPtr> objects, std::string_view version) override;
  void Apply(WatchEventType type, ObjectPtr object, std::string_view version) override;
  void Advance(std::string_view version) override;
  void Failed(const Error& error, Duration wait) override;

  // Many can wait at once, and versions come quickly: each is woken when its own is there and not before.
  struct VersionWait {
    std::string_view version;
    CondVar reached{"informer version"};
  };

  // The object of that name. Only for the thread of the reflector, which alone writes the store: it asks for the same
  // one several times in a row.
  const ObjectPtr& FindKnown(std::string_view namespace_, std::string_view name);

  void Remove(const std::shared_ptr<internal::Listener>& listener);
  void Resync(internal::Listener& listener);
  void Report(const Error& error) const;
  // Under mutex_.
  // Changes the store. Nothing where that tells nothing new.
  std::optional<Delta> Change(WatchEventType type, ObjectPtr object);
  // Behind SetVersion: who is called finds the cache to be as new as what it hears.
  void Distribute(std::span<Delta> deltas);
  void SetVersion(std::string_view version);
  bool HasReached(std::string_view version) const;

  // Constant after construction.
  const ReflectorSource source_;
  const ObjectModel& model_;
  const InformerOptions options_;

  Store store_;  // written under mutex_, so that handlers hear of changes in the order of the store

  mutable Mutex mutex_{"informer"};
  mutable CondVar changed_{"informer changed"};
  // Guarded by mutex_.
  std::vector<std::shared_ptr<internal::Listener>> listeners_;
  std::vector<std::shared_ptr<internal::Listener>> retired_;  // removed by their own handlers; joined at the end
  std::atomic<bool> synced_ = false;                          // read without it, too
  std::string version_;
  mutable std::vector<VersionWait*> version_waits_;
  std::optional<Error> last_error_;
  bool started_ = false;

  ObjectPtr known_;  // that FindKnown found last; of the thread of the reflector

  Reflector reflector_;
  StopSource stop_;
  std::unique_ptr<StopCallback<std::function<void()>>> chain_;
  Thread thread_;
};

}  // namespace keelson
