// The informers of a program: one for each kind and selection, shared by all who ask for it.
//
//   InformerFactory informers(client, {.resync = 30s});
//   Informer<corev1::Pod> pods = informers.For<corev1::Pod>();
//   Lister<appsv1::Deployment> deployments = informers.For<appsv1::Deployment>().lister();
//   informers.Start(stop);
//   KEELSON_RETURN_IF_ERROR(WaitForCacheSync(stop, informers));
//
// A program that may see some namespaces only has one informer for each of them:
//
//   InformerFactory informers(client, {.namespaces = {"blue", "green"}});
//   for (const Informer<corev1::Pod>& pods : informers.AllOf<corev1::Pod>()) …
//
// An informer is counted: it stops and its cache is freed when the last handle, lister or registration of it is gone.
// Typed and Unstructured users of one kind share one cache, which holds the type of whoever came first (view.h); caches
// of metadata alone are others. A read never starts a watch: only For, AllOf and their siblings do.
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
#include "keelson/cache/internal/informer_table.h"
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
  Duration resync{0};                        // of handlers that do not say otherwise
  std::vector<std::string> namespaces = {};  // of informers that do not say otherwise; empty: all
  ReflectorOptions reflector = {};
  std::function<void(const Error& error)> on_error = {};
};

// Thread-safe.
class InformerFactory {
 public:
  explicit InformerFactory(Client client, InformerFactoryOptions options = {});
  // Informers that somebody holds still do not run on, but can be read.
  ~InformerFactory();

  // What a kind without a selection means from now on, and what is done to its objects before they enter the cache. A
  // selection without a namespace is of the factory's namespaces.
  template <ApiObject T>
  void Configure(Selection selection, std::function<Result<void>(T& object)> transform = {}) {
    std::function<Result<void>(void*)> erased;
    if (transform) {
      erased = [transform = std::move(transform)](void* object) { return transform(*static_cast<T*>(object)); };
    }
    ConfigureKind({GvkOf<T>(), false}, {std::move(selection), std::move(erased), &TypeOf<T>()});
  }

  // One informer for each of the factory's namespaces, or the one of all; of a cluster-scoped type the one that there
  // is. With a selection: exactly that. They start at once where the factory runs already. Of a kind that is known by
  // its name only nobody has asked the scope yet, so there is one for each namespace in any case.
  template <ApiObject T>
  std::vector<Informer<T>> AllOf(const std::optional<Selection>& selection = {}) {
    return Typed<T>(ShareAll(SourceOf<T>(), ModelOf<T>(), selection));
  }
  std::vector<Informer<Unstructured>> AllOf(const GroupVersionKind& kind,
                                            const std::optional<Selection>& selection = {}) {
    return Typed<Unstructured>(ShareAll({.kind = kind}, ModelOf<Unstructured>(), selection));
  }
  std::vector<Informer<Unstructured>> AllOf(const Resource& resource, const std::optional<Selection>& selection = {}) {
    return Typed<Unstructured>(ShareAll(SourceOf(resource), ModelOf<Unstructured>(), selection));
  }
  // Only their metadata, which is all that is sent and held.
  template <ApiObject T>
  std::vector<Informer<metav1::PartialObjectMetadata>> AllMetadataOf(const std::optional<Selection>& selection = {}) {
    return Typed<metav1::PartialObjectMetadata>(
        ShareAll(SourceOf<T>(), ModelOf<metav1::PartialObjectMetadata>(), selection));
  }
  std::vector<Informer<metav1::PartialObjectMetadata>> AllMetadataOf(const GroupVersionKind& kind,
                                                                     const std::optional<Selection>& selection = {}) {
    return Typed<metav1::PartialObjectMetadata>(
        ShareAll({.kind = kind}, ModelOf<metav1::PartialObjectMetadata>(), selection));
  }
  std::vector<Informer<metav1::PartialObjectMetadata>> AllMetadataOf(const Resource& resource,
                                                                     const std::optional<Selection>& selection = {}) {
    return Typed<metav1::PartialObjectMetadata>(
        ShareAll(SourceOf(resource), ModelOf<metav1::PartialObjectMetadata>(), selection));
  }
  // For code that knows the type at run time only. None where its objects have no metadata.
  std::vector<std::shared_ptr<SharedInformer>> AllOf(const Target& target);

  // The one informer of AllOf: for programs that have one namespace, or all. Where there are several it is that of the
  // first, and a warning is logged.
  template <ApiObject T>
  Informer<T> For(const std::optional<Selection>& selection = {}) {
    return Informer<T>(ShareOne(SourceOf<T>(), ModelOf<T>(), selection));
  }
  Informer<Unstructured> For(const GroupVersionKind& kind, const std::optional<Selection>& selection = {}) {
    return Informer<Unstructured>(ShareOne({.kind = kind}, ModelOf<Unstructured>(), selection));
  }
  Informer<Unstructured> For(const Resource& resource, const std::optional<Selection>& selection = {}) {
    return Informer<Unstructured>(ShareOne(SourceOf(resource), ModelOf<Unstructured>(), selection));
  }
  template <ApiObject T>
  Informer<metav1::PartialObjectMetadata> MetadataFor(const std::optional<Selection>& selection = {}) {
    return Informer<metav1::PartialObjectMetadata>(
        ShareOne(SourceOf<T>(), ModelOf<metav1::PartialObjectMetadata>(), selection));
  }
  Informer<metav1::PartialObjectMetadata> MetadataFor(const GroupVersionKind& kind,
                                                      const std::optional<Selection>& selection = {}) {
    return Informer<metav1::PartialObjectMetadata>(
        ShareOne({.kind = kind}, ModelOf<metav1::PartialObjectMetadata>(), selection));
  }
  Informer<metav1::PartialObjectMetadata> MetadataFor(const Resource& resource,
                                                      const std::optional<Selection>& selection = {}) {
    return Informer<metav1::PartialObjectMetadata>(
        ShareOne(SourceOf(resource), ModelOf<metav1::PartialObjectMetadata>(), selection));
  }

  // Starts all informers, also those that are asked for later. They run until stop or the factory's end.
  void Start(const StopToken& stop);
  // Until every informer that is there now has synced.
  [[nodiscard]] Wake WaitForSync(const StopToken& stop, TimePoint deadline = TimePoint::max()) const;
  std::string description() const;
  std::optional<Error> last_error() const;

  // Asking nobody and starting nothing, in a few dozen nanoseconds. A cache of some objects answers for the kind only
  // where Configure made it the kind's; metadata is also found in a cache of whole objects.
  //
  // The informer that has the objects of that namespace; without one, those of a cluster-scoped kind.
  KindCache Find(const Target& target, std::string_view namespace_) const;
  // Those that together have all objects of the kind: the one of all namespaces, or one for each of the kind's. Empty
  // where one is missing.
  std::vector<KindCache> FindAll(const Target& target) const;
  // The one that `kind` and the namespace led to.
  KindCache FindAgain(uint32_t kind, std::string_view namespace_) const;
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

  struct Shared {
    std::weak_ptr<SharedInformer> informer;
    std::optional<GroupVersionResource> resource;
  };

  template <class T>
  static ReflectorSource SourceOf() {
    const Resource* known = KnownResource<T>();
    return {.resource = known != nullptr ? std::optional<Resource>(*known) : std::nullopt, .kind = GvkOf<T>()};
  }
  static ReflectorSource SourceOf(const Resource& resource) { return {.resource = resource, .kind = KindOf(resource)}; }
  // A resource whose kind nobody said stands for itself.
  static GroupVersionKind KindOf(const Resource& resource) {
    return {resource.group, resource.version, resource.kind.empty() ? resource.plural : resource.kind};
  }
  template <class T>
  static std::vector<Informer<T>> Typed(std::vector<std::shared_ptr<SharedInformer>> shared) {
    std::vector<Informer<T>> typed;
    for (std::shared_ptr<SharedInformer>& informer : shared) typed.emplace_back(std::move(informer));
    return typed;
  }
  void ConfigureKind(KindId kind, KindOptions options);
  std::vector<std::shared_ptr<SharedInformer>> ShareAll(const ReflectorSource& source, const ObjectModel& model,
                                                        const std::optional<Selection>& selection);
  std::shared_ptr<SharedInformer> ShareOne(const ReflectorSource& source, const ObjectModel& model,
                                           const std::optional<Selection>& selection);
  std::vector<std::shared_ptr<SharedInformer>> All() const;
  // These are called under mutex_.
  std::shared_ptr<SharedInformer> Share(ReflectorSource source, const ObjectModel& model, Selection selection);
  std::vector<std::string> NamespacesOf(const KindId& kind) const;
  void MakeTable();

  // Constant after construction.
  const Client client_;
  const InformerFactoryOptions options_;

  mutable Mutex mutex_{"informer factory"};
  // Guarded by mutex_.
  std::map<Id, Shared> informers_;
  std::map<KindId, KindOptions> kinds_;
  bool started_ = false;
  std::unique_ptr<StopCallback<std::function<void()>>> chain_;

  // What Find looks at: made anew, under mutex_, when informers come or kinds are configured. Those that have ended are
  // passed over until then.
  internal::InformerTable table_;

  StopSource stop_;
};

}  // namespace keelson
