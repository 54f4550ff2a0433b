// Reading objects from an informer's cache: by key, by namespace, by labels, by index.
//
//   Lister<corev1::Service> services = informer.lister();
//   KEELSON_TRY(service, services.In("default").Get("web"));       // a CachedPtr, to a constant Service
//   for (const corev1::Service& one : services.List(*labels::Parse("app=web"))) …
//   KEELSON_TRY(on_node, pods.ByIndex("spec.nodeName", "node-1"));
//
//   const CacheReader<corev1::Service> reader = services.Read();    // where many are looked up
//   if (const corev1::Service* web = reader.Find("default", "web")) …
//   reader.FindEach(keys, [&](const ObjectKey& key, const corev1::Service* found) { … });
//
// Nothing is asked of the server: what is given is what the watch has brought so far. Objects are shared with the cache
// and constant; a copy to change costs next to nothing (docs/values.md).
//
// No read by key takes a lock. Get gives an object to keep. Read is for looking at several and going on.
#pragma once

#include <forward_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/cache/cached_ptr.h"
#include "keelson/cache/objects.h"
#include "keelson/cache/shared_informer.h"
#include "keelson/core/read_scope.h"
#include "keelson/core/result.h"

namespace keelson {

namespace internal {
Error NotInCache(const ReflectorSource& source, std::string_view namespace_, std::string_view name);
// Those of the snapshot that match, or nothing where all do.
std::vector<const ObjectPtr*> Matching(const ObjectModel& model, const Snapshot& all, const labels::Selector& selector);
}  // namespace internal

// A look into a cache, on the stack of one thread. What Find gave stays as it is and alive until the reader ends, also
// when the cache has a newer state by then; each Find looks at the state of its own moment. While a reader is there,
// caches keep what is replaced or removed in them, so it is for a few lookups and not for a wait; it need not be made
// anew for each either. The lister outlives it.
template <class T>
class CacheReader {
 public:
  CacheReader(const CacheReader&) = delete;
  CacheReader& operator=(const CacheReader&) = delete;
  static void* operator new(size_t) = delete;

  // Null when the cache does not have it or, where the cache holds another type, when it does not fit T.
  const T* Find(std::string_view namespace_, std::string_view name) const {
    const void* found = informer_.store().Find(scope_, namespace_, name);
    if (found == nullptr || IsStoredAs<T>(informer_.model())) [[likely]]
      return static_cast<const T*>(found);
    return Convert(found);
  }
  const T* Find(const ObjectKey& key) const {
    return Find(key.namespace_.empty() ? namespace_ : std::string_view(key.namespace_), key.name);
  }
  // Of the lister's namespace, or cluster-scoped.
  const T* Find(std::string_view name) const { return Find(namespace_, name); }

  // Calls visit(key, found) for each key, in order; `found` as Find gives it. With many keys it is several times as
  // quick: while one is looked at, the memory of the next ones is being fetched.
  template <class Visit>
  void FindEach(std::span<const ObjectKey> keys, Visit visit) const {
    const auto key_of = [&](size_t i) {
      const ObjectKey& key = keys[i];
      return std::pair(key.namespace_.empty() ? namespace_ : std::string_view(key.namespace_),
                       std::string_view(key.name));
    };
    const bool as_stored = IsStoredAs<T>(informer_.model());
    informer_.store().FindEach(scope_, keys.size(), key_of, [&](size_t i, const void* found) {
      visit(keys[i], found == nullptr || as_stored ? static_cast<const T*>(found) : Convert(found));
    });
  }

 private:
  template <class>
  friend class Lister;
  CacheReader(const SharedInformer& informer, std::string_view namespace_)
      : informer_(informer), namespace_(namespace_) {}

  [[gnu::noinline]] const T* Convert(const void* found) const {
    T& made = converted_.emplace_front();
    if (internal::ConvertObject(*informer_.model().type, found, TypeOf<T>(), &made)) return &made;
    converted_.pop_front();
    return nullptr;
  }

  const ReadScope scope_;
  const SharedInformer& informer_;
  const std::string_view namespace_;
  mutable std::forward_list<T> converted_;
};

// A handle: cheap to copy, thread-safe. Keeps the informer alive.
template <class T>
class Lister {
 public:
  explicit Lister(std::shared_ptr<const SharedInformer> informer, std::string namespace_ = {})
      : informer_(std::move(informer)), namespace_(std::move(namespace_)) {}

  // The same for the objects of one namespace.
  Lister In(std::string namespace_) const { return Lister(informer_, std::move(namespace_)); }

  // kNotFound when the cache does not have it; the message names the key.
  Result<CachedPtr<T>> Get(std::string_view namespace_, std::string_view name) const {
    if (!IsStoredAs<T>(informer_->model())) [[unlikely]]
      return GetConverted(namespace_, name);
    KeptObject object = informer_->store().Keep(namespace_, name);
    if (object.get() == nullptr) [[unlikely]]
      return internal::NotInCache(informer_->source(), namespace_, name);
    return CachedPtr<T>(std::move(object));
  }
  Result<CachedPtr<T>> Get(const ObjectKey& key) const {
    return Get(key.namespace_.empty() ? namespace_ : key.namespace_, key.name);
  }
  // Of the lister's namespace, or cluster-scoped.
  Result<CachedPtr<T>> Get(std::string_view name) const { return Get(namespace_, name); }

  // To look objects up and not keep them.
  CacheReader<T> Read() const& { return CacheReader<T>(*informer_, namespace_); }
  CacheReader<T> Read() && = delete;  // it would outlive the lister

  // Objects that do not fit T, where the cache holds another type, are left out.
  Objects<T> List(const labels::Selector& selector = {}) const {
    const Store& store = informer_->store();
    if (namespace_.empty()) return Chosen(store.List(), selector);
    return Chosen(store.ByIndex(Store::kNamespaceIndex, namespace_).value(), selector);
  }

  // kNotFound when there is no such index (AddIndex, AddFieldIndex). Of a lister of one namespace: those that are in
  // it.
  Result<Objects<T>> ByIndex(std::string_view index, std::string_view value) const {
    KEELSON_TRY(found, informer_->store().ByIndex(index, value));
    if (namespace_.empty()) return Chosen(std::move(found), {});
    std::vector<const ObjectPtr*> inside;
    for (const ObjectPtr& object : found) {
      if (informer_->model().identify(object.get()).namespace_ == namespace_) inside.push_back(&object);
    }
    return As(std::move(found), std::move(inside));
  }
  Result<std::vector<std::string>> IndexValues(std::string_view index) const {
    return informer_->store().IndexValues(index);
  }

  size_t size() const { return List().size(); }

 private:
  [[gnu::noinline]] Result<CachedPtr<T>> GetConverted(std::string_view namespace_, std::string_view name) const {
    const ObjectPtr object = informer_->store().Get(namespace_, name);
    if (object == nullptr) return internal::NotInCache(informer_->source(), namespace_, name);
    KEELSON_TRY(converted, ViewAs<T>(informer_->model(), object));
    return CachedPtr<T>(std::move(converted));
  }

  Objects<T> Chosen(Snapshot all, const labels::Selector& selector) const {
    if (selector.empty() && IsStoredAs<T>(informer_->model())) return Objects<T>(std::move(all));
    std::vector<const ObjectPtr*> chosen = internal::Matching(informer_->model(), all, selector);
    return As(std::move(all), std::move(chosen));
  }
  Objects<T> As(Snapshot all, std::vector<const ObjectPtr*> chosen) const {
    if (IsStoredAs<T>(informer_->model())) return Objects<T>(std::move(all), std::move(chosen));
    std::vector<ObjectPtr> made;
    for (const ObjectPtr* object : chosen) {
      if (Result<std::shared_ptr<const T>> view = ViewAs<T>(informer_->model(), *object)) {
        made.push_back(*std::move(view));
      }
    }
    return Objects<T>(std::move(made));
  }

  std::shared_ptr<const SharedInformer> informer_;
  std::string namespace_;
};

}  // namespace keelson
