// Reading objects, wherever they come from: a server (Client) or a cache.
//
//   Result<std::string> ImageOf(const Reader& reader, const ObjectKey& key) {
//     KEELSON_TRY(pod, reader.Get<corev1::Pod>(key));
//     return pod.spec.containers[0].image.str();
//   }
//
// Each call comes in three forms: typed (Get<T>), dynamic (of a Resource, or of a kind that discovery finds), and the
// metadata alone. Implementations are thread-safe.
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "keelson/api/object.h"
#include "keelson/client/item_sink.h"
#include "keelson/client/options.h"
#include "keelson/client/resource.h"
#include "keelson/codec/unstructured.h"
#include "keelson/core/result.h"

namespace keelson {

class Reader {
 public:
  virtual ~Reader() = default;

  template <ApiObject T>
  Result<T> Get(const ObjectKey& key, const GetOptions& options = {}) const {
    T object{};
    KEELSON_RETURN_IF_ERROR(GetObject(Target::Typed<T>(), key, options, &object));
    return object;
  }
  Result<Unstructured> Get(const Resource& resource, const ObjectKey& key, const GetOptions& options = {}) const {
    return GetAs<Unstructured>({.type = &TypeOf<Unstructured>(), .resource = &resource}, key, options);
  }
  Result<Unstructured> Get(const GroupVersionKind& kind, const ObjectKey& key, const GetOptions& options = {}) const {
    return GetAs<Unstructured>({.type = &TypeOf<Unstructured>(), .kind = kind}, key, options);
  }
  template <ApiObject T>
  Result<metav1::PartialObjectMetadata> GetMetadata(const ObjectKey& key, const GetOptions& options = {}) const {
    return GetAs<metav1::PartialObjectMetadata>(Target::Metadata<T>(), key, options);
  }
  Result<metav1::PartialObjectMetadata> GetMetadata(const Resource& resource, const ObjectKey& key,
                                                    const GetOptions& options = {}) const {
    return GetAs<metav1::PartialObjectMetadata>(
        {.type = &TypeOf<metav1::PartialObjectMetadata>(), .resource = &resource}, key, options);
  }
  Result<metav1::PartialObjectMetadata> GetMetadata(const GroupVersionKind& kind, const ObjectKey& key,
                                                    const GetOptions& options = {}) const {
    return GetAs<metav1::PartialObjectMetadata>({.type = &TypeOf<metav1::PartialObjectMetadata>(), .kind = kind}, key,
                                                options);
  }

  // All of them, however many pages that takes.
  template <ApiObject T>
  Result<ObjectList<T>> List(const ListOptions& options = {}) const {
    return ListAs<T>(Target::Typed<T>(), options);
  }
  Result<ObjectList<Unstructured>> List(const Resource& resource, const ListOptions& options = {}) const {
    return ListAs<Unstructured>({.type = &TypeOf<Unstructured>(), .resource = &resource}, options);
  }
  Result<ObjectList<Unstructured>> List(const GroupVersionKind& kind, const ListOptions& options = {}) const {
    return ListAs<Unstructured>({.type = &TypeOf<Unstructured>(), .kind = kind}, options);
  }
  template <ApiObject T>
  Result<ObjectList<metav1::PartialObjectMetadata>> ListMetadata(const ListOptions& options = {}) const {
    return ListAs<metav1::PartialObjectMetadata>(Target::Metadata<T>(), options);
  }
  Result<ObjectList<metav1::PartialObjectMetadata>> ListMetadata(const Resource& resource,
                                                                 const ListOptions& options = {}) const {
    return ListAs<metav1::PartialObjectMetadata>(
        {.type = &TypeOf<metav1::PartialObjectMetadata>(), .resource = &resource}, options);
  }
  Result<ObjectList<metav1::PartialObjectMetadata>> ListMetadata(const GroupVersionKind& kind,
                                                                 const ListOptions& options = {}) const {
    return ListAs<metav1::PartialObjectMetadata>({.type = &TypeOf<metav1::PartialObjectMetadata>(), .kind = kind},
                                                 options);
  }

  // Hands objects on as they arrive: visit(T&&) gives nothing, or a Result<void> whose error ends the list. An
  // error of code Expired means that a later page is gone after some objects were visited.
  template <ApiObject T, class Visit>
  Result<metav1::ListMeta> ForEach(const ListOptions& options, Visit visit) const {
    const std::function<Result<void>(T&&)> take = [&](T&& object) -> Result<void> {
      if constexpr (std::is_void_v<std::invoke_result_t<Visit&, T&&>>) {
        visit(std::move(object));
        return {};
      } else {
        return visit(std::move(object));
      }
    };
    internal::FunctionSink<T> sink(take);
    return ListObjects(Target::Typed<T>(), options, sink);
  }

  // The core, for code that knows the type at run time only. `object` is a default value of the target's type.
  virtual Result<void> GetObject(const Target& target, const ObjectKey& key, const GetOptions& options,
                                 void* object) const = 0;
  virtual Result<metav1::ListMeta> ListObjects(const Target& target, const ListOptions& options,
                                               ItemSink& sink) const = 0;

 private:
  template <class T>
  Result<T> GetAs(const Target& target, const ObjectKey& key, const GetOptions& options) const {
    T object{};
    KEELSON_RETURN_IF_ERROR(GetObject(target, key, options, &object));
    return object;
  }
  template <class T>
  Result<ObjectList<T>> ListAs(const Target& target, const ListOptions& options) const {
    ObjectList<T> list;
    internal::VectorSink<T> sink(list.items);
    KEELSON_TRY(metadata, ListObjects(target, options, sink));
    list.metadata = std::move(metadata);
    return list;
  }
};

}  // namespace keelson
