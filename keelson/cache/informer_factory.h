// The informers of a program: one for each kind and selection, shared by all who ask for it.
//
//   InformerFactory informers(client, {.resync = 30s});
//   Informer<corev1::Pod> pods = informers.For<corev1::Pod>();
//   Lister<appsv1::Deployment> deployments = informers.For<appsv1::Deployment>().lister();
//   informers.Start(stop);
//   KEELSON_RETURN_IF_ERROR(WaitForCacheSync(stop, informers));
//
// An informer is counted: it stops and its cache is freed when the last handle, lister or registration of it is gone.
// Typed and Unstructured users of one kind share one cache, which holds the type of whoever came first (view.h); caches
// of metadata alone are others. A read never starts a watch: only For does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "keelson/cache/informer.h"
#include "keelson/client/client.h"
#include "keelson/core/mutex.h"

namespace keelson {

// Which objects of a kind.
struct Selection {
  std::string namespace_ = {};  // empty: all
  labels::Selector labels = {};
  fields::Selector fields = {};
};

struct InformerFactoryOptions {
  Duration resync{0};           // of handlers that do not say otherwise
  std::string namespace_ = {};  // of informers that do not say otherwise; empty: all
  ReflectorOptions reflector = {};
  std::function<void(const Error& error)> on_error = {};
};

// Thread-safe.
class InformerFactory {
 public:
  explicit InformerFactory(Client client, InformerFactoryOptions options = {});
  // Informers that somebody holds still do not run on, but can be read.
  ~InformerFactory();

  // What For<T>() without a selection means from now on, and what is done to objects before they enter the cache.
  template <ApiObject T>
  void Configure(Selection selection, std::function<Result<void>(T& object)> transform = {}) {
    std::function<Result<void>(void*)> erased;
    if (transform) {
      erased = [transform = std::move(transform)](void* object) { return transform(*static_cast<T*>(object)); };
    }
    ConfigureKind({GvkOf<T>(), false}, {std::move(selection), std::move(erased), &TypeOf<T>()});
  }

  // Starts at once where the factory runs already.
  template <ApiObject T>
  Informer<T> For(std::optional<Selection> selection = {}) {
    return Informer<T>(Share(SourceOf<T>(), ModelOf<T>(), std::move(selection)));
  }
  Informer<Unstructured> For(const GroupVersionKind& kind, std::optional<Selection> selection = {}) {
    return Informer<Unstructured>(Share({.kind = kind}, ModelOf<Unstructured>(), std::move(selection)));
  }
  Informer<Unstructured> For(const Resource& resource, std::optional<Selection> selection = {}) {
    return Informer<Unstructured>(
        Share({.resource = resource, .kind = KindOf(resource)}, ModelOf<Unstructured>(), std::move(selection)));
  }
  // Only their metadata, which is all that is sent and held.
  template <ApiObject T>
  Informer<metav1::PartialObjectMetadata> MetadataFor(std::optional<Selection> selection = {}) {
    return Informer<metav1::PartialObjectMetadata>(
        Share(SourceOf<T>(), ModelOf<metav1::PartialObjectMetadata>(), std::move(selection)));
  }
  Informer<metav1::PartialObjectMetadata> MetadataFor(const Resource& resource,
                                                      std::optional<Selection> selection = {}) {
    return Informer<metav1::PartialObjectMetadata>(Share({.resource = resource, .kind = KindOf(resource)},
                                                         ModelOf<metav1::PartialObjectMetadata>(),
                                                         std::move(selection)));
  }

  // Starts all informers, also those that are asked for later. They run until stop or the factory's end.
  void Start(const StopToken& stop);
  // Until every informer that is there now has synced.
  [[nodiscard]] Wake WaitForSync(const StopToken& stop, TimePoint deadline = TimePoint::max()) const;
  std::string description() const;
  std::optional<Error> last_error() const;

  // The informer that can answer for that kind and namespace (empty: all), if there is one. Asks nobody and starts
  // nothing. `metadata`: one of metadata alone.
  std::shared_ptr<SharedInformer> Find(const GroupVersionKind& kind, const Resource* resource,
                                       const std::string& namespace_, bool metadata) const;
  size_t size() const;  // informers in use

 private:
  struct KindId {
    GroupVersionKind kind;
    bool metadata;
    friend auto operator<=>(const KindId&, const KindId&) = default;
  };
  struct KindOptions {
    Selection selection;
    std::function<Result<void>(void* object)> transform;
    const Type* type = nullptr;  // that transform is for
  };
  struct Id {
    KindId kind;
    std::string namespace_;
    std::string labels;
    std::string fields;
    friend auto operator<=>(const Id&, const Id&) = default;
  };

  template <class T>
  static ReflectorSource SourceOf() {
    const Resource* known = KnownResource<T>();
    return {.resource = known != nullptr ? std::optional<Resource>(*known) : std::nullopt, .kind = GvkOf<T>()};
  }
  // A resource whose kind nobody said stands for itself.
  static GroupVersionKind KindOf(const Resource& resource) {
    return {resource.group, resource.version, resource.kind.empty() ? resource.plural : resource.kind};
  }
  void ConfigureKind(KindId kind, KindOptions options);
  std::shared_ptr<SharedInformer> Share(ReflectorSource source, const ObjectModel& model,
                                        std::optional<Selection> selection);
  std::vector<std::shared_ptr<SharedInformer>> All() const;

  // Constant after construction.
  const Client client_;
  const InformerFactoryOptions options_;

  mutable Mutex mutex_{"informer factory"};
  // Guarded by mutex_.
  std::map<Id, std::weak_ptr<SharedInformer>> informers_;
  std::map<KindId, KindOptions> kinds_;
  bool started_ = false;
  std::unique_ptr<StopCallback<std::function<void()>>> chain_;

  StopSource stop_;
};

}  // namespace keelson
