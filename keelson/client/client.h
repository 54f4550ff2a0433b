// The client of an API server: typed, dynamic and metadata-only, reading and writing.
//
//   KEELSON_TRY(config, LoadClientConfig());             // kubeconfig.h
//   KEELSON_TRY(client, Client::Connect(config));
//   KEELSON_TRY(web, client.Get<appsv1::Deployment>({"default", "web"}));
//   KEELSON_TRY(pods, client.Scope("default").List<corev1::Pod>({.labels = *labels::Parse("app=web")}));
//   KEELSON_TRY(created, client.Create(config_map, {.scope = {.deadline = Clock::Now() + 5s}}));
//   KEELSON_TRY(widget, client.Get(GroupVersionKind{"example.com", "v1", "Widget"}, {"default", "one"}));
//
// A handle: copies share connections and what is known about the server, and are cheap. Thread-safe. More that one can
// do with it: subresources.h, logs.h, create_or_update.h, typed_client.h, dynamic_client.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "keelson/client/discovery.h"
#include "keelson/client/object_client.h"
#include "keelson/client/pager.h"
#include "keelson/client/rest_client.h"
#include "keelson/client/rest_mapper.h"
#include "keelson/client/watch.h"
#include "keelson/core/result.h"
#include "keelson/transport/transport.h"
#include "keelson/transport/transport_wrapper.h"

namespace keelson {

struct ClientOptions {
  std::string namespace_ = {};     // see Client::Scope
  std::string field_manager = {};  // for writes that name none; empty: the server takes the user agent's program
  ContentType content_type = ContentType::kJson;
};

struct ClientConfig;

class Client final : public ObjectClient {
 public:
  explicit Client(std::shared_ptr<Transport> transport, ClientOptions options = {});
  // Over sockets, with all that the configuration asks for (config.h). Nothing is sent yet.
  static Result<Client> Connect(const ClientConfig& config, ClientOptions options = {});

  // The same client for the objects of one namespace: keys, objects and lists that name none get it, and others are
  // refused. Cluster-scoped resources are as they were.
  Client Scope(std::string namespace_) const;
  // The same client whose calls end by this stop token and deadline. A call's own scope goes before: its stop token
  // where it has one, the earlier of the two deadlines. What the thread has (transport/thread_scope.h) ends them too.
  Client With(CallScope scope) const;
  // The same client through what the wrapper puts around its transport: above retries (below them:
  // transport_family.h).
  Client Over(const TransportWrapper& wrapper) const;

  // The changes of a resource (watch.h).
  template <ApiObject T>
  Result<WatchStream<T>> Watch(const WatchOptions& options = {}) const {
    return WatchAs<T>(Target::Typed<T>(), options);
  }
  Result<WatchStream<Unstructured>> Watch(const Resource& resource, const WatchOptions& options = {}) const {
    return WatchAs<Unstructured>({.type = &TypeOf<Unstructured>(), .resource = &resource}, options);
  }
  Result<WatchStream<Unstructured>> Watch(const GroupVersionKind& kind, const WatchOptions& options = {}) const {
    return WatchAs<Unstructured>({.type = &TypeOf<Unstructured>(), .kind = kind}, options);
  }
  template <ApiObject T>
  Result<WatchStream<metav1::PartialObjectMetadata>> WatchMetadata(const WatchOptions& options = {}) const {
    return WatchAs<metav1::PartialObjectMetadata>(Target::Metadata<T>(), options);
  }
  Result<WatchStream<metav1::PartialObjectMetadata>> WatchMetadata(const Resource& resource,
                                                                   const WatchOptions& options = {}) const {
    return WatchAs<metav1::PartialObjectMetadata>(
        {.type = &TypeOf<metav1::PartialObjectMetadata>(), .resource = &resource}, options);
  }

  // A list page by page (pager.h).
  template <ApiObject T>
  PageRange<T> Pages(const ListOptions& options = {}) const {
    return PageRange<T>(options, [client = *this](const ListOptions& page, ItemSink& sink) {
      return client.ListPage(Target::Typed<T>(), page, sink);
    });
  }

  const RestClient& rest() const { return core_->rest; }
  const DiscoveryClient& discovery() const { return core_->discovery; }
  const RestMapper& mapper() const { return core_->mapper; }
  const std::string& scoped_namespace() const { return options_.namespace_; }

  // The core, for code that knows the type at run time only.
  Result<void> GetObject(const Target& target, const ObjectKey& key, const GetOptions& options,
                         void* object) const override;
  Result<metav1::ListMeta> ListObjects(const Target& target, const ListOptions& options, ItemSink& sink) const override;
  Result<metav1::ListMeta> ListPage(const Target& target, const ListOptions& options, ItemSink& sink) const;
  Result<std::unique_ptr<RawWatch>> WatchObjects(const Target& target, const WatchOptions& options) const;
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
  // An answer that is no object, as it comes: logs, proxies.
  Result<HttpResponse> StreamSubresource(const Target& target, const ObjectKey& key, std::string_view subresource,
                                         Query query, const CallScope& scope) const;

 private:
  struct Core {
    Core(std::shared_ptr<Transport> transport, ContentType content_type)
        : rest(std::move(transport), content_type),
          discovery(rest),
          mapper([this](const CallScope& scope) { return discovery.Fetch(scope); }) {}
    const RestClient rest;
    const DiscoveryClient discovery;
    const RestMapper mapper;
  };
  // The resource of a target and the namespace to use, for the time of a call.
  class Place;

  template <class T>
  Result<WatchStream<T>> WatchAs(const Target& target, const WatchOptions& options) const {
    KEELSON_TRY(core, WatchObjects(target, options));
    return WatchStream<T>(std::move(core));
  }
  CallScope Effective(const CallScope& scope) const;
  template <class Options>
  Options Completed(const Options& options) const;

  std::shared_ptr<const Core> core_;
  ClientOptions options_;
  CallScope scope_;
};

}  // namespace keelson
