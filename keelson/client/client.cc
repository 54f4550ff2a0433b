#include "keelson/client/client.h"

#include <algorithm>
#include <utility>

#include "keelson/client/config.h"

namespace keelson {

namespace {

// What an object is called, for as long as it is not changed.
class Names {
 public:
  Names(const Type& type, const void* object) {
    if (&type == &TypeOf<Unstructured>()) {
      made_ = static_cast<const Unstructured*>(object)->GetKey();
      space_ = made_.namespace_;
      name_ = made_.name;
    } else if (const metav1::ObjectMeta* metadata = FindObjectMeta(type, object)) {
      space_ = metadata->namespace_.view();
      name_ = metadata->name.view();
    }
  }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  std::string_view space() const { return space_; }
  std::string_view name() const { return name_; }

 private:
  ObjectKey made_;
  std::string_view space_;
  std::string_view name_;
};

Error NameMissing(std::string_view verb, const Resource& resource) {
  return Error::InvalidArgument("cannot " + std::string(verb) + " " + resource.group_resource().ToString() +
                                " without a name: expected metadata.name or the key's name");
}

}  // namespace

// Where a call goes. Of the client and the namespace it was made of, which outlive it.
class Client::Place {
 public:
  // A list or a watch may span all namespaces; items of a list come without their kind.
  enum class Needs { kObject, kList, kWatch };

  static Result<Place> Find(const Client& client, const Target& target, std::string_view namespace_, Needs needs,
                            const CallScope& scope) {
    Place place;
    const bool anonymous = target.resource != nullptr && target.resource->kind.empty() && needs == Needs::kList &&
                           target.type == &TypeOf<Unstructured>();
    if (anonymous) {
      KEELSON_TRY(found, client.mapper().ResourceOf(target.resource->gvr(), scope));
      place.found_ = std::make_unique<const Resource>(std::move(found));
    } else if (target.resource != nullptr) {
      place.known_ = target.resource;
    } else {
      const GroupVersionKind kind = target.kind.empty() ? GvkOf(*target.type) : target.kind;
      if (kind.kind.empty()) {
        return Error::InvalidArgument(
            "the object does not say what it is: expected apiVersion and kind, found neither");
      }
      KEELSON_TRY(found, client.mapper().ResourceOf(kind, scope));
      place.found_ = std::make_unique<const Resource>(std::move(found));
    }
    KEELSON_RETURN_IF_ERROR(place.ChooseNamespace(client.options_.namespace_, namespace_, needs));
    return place;
  }

  const Resource& resource() const { return known_ != nullptr ? *known_ : *found_; }

  RestCall Call(const CallScope& scope, Query query = {}, std::string_view name = {},
                std::string_view subresource = {}) const {
    return {.resource = resource(),
            .namespace_ = namespace_,
            .name = name,
            .subresource = subresource,
            .query = std::move(query),
            .scope = scope};
  }

 private:
  Result<void> ChooseNamespace(std::string_view scoped, std::string_view given, Needs needs) {
    if (resource().scope == ResourceScope::kCluster) return {};
    if (!scoped.empty() && !given.empty() && scoped != given) {
      return Error::InvalidArgument("this client is for namespace \"" + std::string(scoped) +
                                    "\" only, found namespace \"" + std::string(given) + "\" for " +
                                    resource().group_resource().ToString());
    }
    namespace_ = given.empty() ? scoped : given;
    if (namespace_.empty() && needs == Needs::kObject && resource().scope == ResourceScope::kNamespaced) {
      return Error::InvalidArgument(resource().group_resource().ToString() +
                                    " are namespaced: expected a namespace in the key or object, or a client of one "
                                    "(client.Scope(\"default\"))");
    }
    return {};
  }

  const Resource* known_ = nullptr;
  std::unique_ptr<const Resource> found_;
  std::string_view namespace_;
};

Client::Client(std::shared_ptr<Transport> transport, ClientOptions options)
    : core_(std::make_shared<const Core>(std::move(transport), options.content_type)), options_(std::move(options)) {}

Result<Client> Client::Connect(const ClientConfig& config, ClientOptions options) {
  KEELSON_TRY(transport, MakeTransport(config));
  return Client(std::move(transport), std::move(options));
}

Client Client::Scope(std::string namespace_) const {
  Client client = *this;
  client.options_.namespace_ = std::move(namespace_);
  return client;
}

Client Client::With(CallScope scope) const {
  Client client = *this;
  client.scope_ = std::move(scope);
  return client;
}

Client Client::Over(const TransportWrapper& wrapper) const {
  Client client(wrapper(rest().transport()), options_);
  client.scope_ = scope_;
  return client;
}

CallScope Client::Effective(const CallScope& scope) const {
  return {.stop = scope.stop.StopPossible() ? scope.stop : scope_.stop,
          .deadline = std::min(scope.deadline, scope_.deadline)};
}

template <class Options>
Options Client::Completed(const Options& options) const {
  Options completed = options;
  if (completed.field_manager.empty()) completed.field_manager = options_.field_manager;
  return completed;
}

Result<void> Client::GetObject(const Target& target, const ObjectKey& key, const GetOptions& options,
                               void* object) const {
  const CallScope scope = Effective(options.scope);
  KEELSON_TRY(place, Place::Find(*this, target, key.namespace_, Place::Needs::kObject, scope));
  if (key.name.empty()) return NameMissing("get", place.resource());
  return rest().Get(place.Call(scope, internal::ToQuery(options), key.name), *target.type, object);
}

Result<metav1::ListMeta> Client::ListPage(const Target& target, const ListOptions& options, ItemSink& sink) const {
  KEELSON_RETURN_IF_ERROR(internal::CheckSelectors(options.labels, options.fields));
  const CallScope scope = Effective(options.scope);
  KEELSON_TRY(place, Place::Find(*this, target, options.namespace_, Place::Needs::kList, scope));
  return rest().List(place.Call(scope, internal::ToQuery(options)), *target.type, options.versions, sink);
}

Result<metav1::ListMeta> Client::ListObjects(const Target& target, const ListOptions& options, ItemSink& sink) const {
  return ListAllPages(options, sink,
                      [&](const ListOptions& page, ItemSink& into) { return ListPage(target, page, into); });
}

Result<std::unique_ptr<RawWatch>> Client::WatchObjects(const Target& target, const WatchOptions& options) const {
  KEELSON_RETURN_IF_ERROR(internal::CheckSelectors(options.labels, options.fields));
  const CallScope scope = Effective(options.scope);
  KEELSON_TRY(place, Place::Find(*this, target, options.namespace_, Place::Needs::kWatch, scope));
  return rest().Watch(place.Call(scope, internal::ToQuery(options)), *target.type, options.versions);
}

Result<void> Client::CreateObject(const Target& target, const void* object, const CreateOptions& options,
                                  void* created) const {
  const CallScope scope = Effective(options.scope);
  const Names names(*target.type, object);
  KEELSON_TRY(place, Place::Find(*this, target, names.space(), Place::Needs::kObject, scope));
  return rest().Write("POST", place.Call(scope, internal::ToQuery(Completed(options))),
                      {.type = target.type, .object = object}, target.type, created);
}

Result<void> Client::UpdateObject(const Target& target, std::string_view subresource, const void* object,
                                  const UpdateOptions& options, void* updated) const {
  const CallScope scope = Effective(options.scope);
  const Names names(*target.type, object);
  KEELSON_TRY(place, Place::Find(*this, target, names.space(), Place::Needs::kObject, scope));
  if (names.name().empty()) return NameMissing("update", place.resource());
  return rest().Write("PUT", place.Call(scope, internal::ToQuery(Completed(options)), names.name(), subresource),
                      {.type = target.type, .object = object}, target.type, updated);
}

Result<void> Client::PatchObject(const Target& target, const ObjectKey& key, std::string_view subresource,
                                 const keelson::Patch& patch, const PatchOptions& options, void* patched) const {
  const CallScope scope = Effective(options.scope);
  KEELSON_TRY(place, Place::Find(*this, target, key.namespace_, Place::Needs::kObject, scope));
  if (key.name.empty()) return NameMissing("patch", place.resource());
  const PatchOptions completed = Completed(options);
  if (patch.type() == PatchType::kApply && completed.field_manager.empty()) {
    return Error::InvalidArgument(
        "server-side apply needs a field manager: set ApplyOptions::field_manager, or ClientOptions::field_manager for "
        "all calls of the client");
  }
  if (patch.type() != PatchType::kApply && completed.force) {
    return Error::InvalidArgument("force is for server-side apply only, found it with another kind of patch");
  }
  return rest().Write("PATCH", place.Call(scope, internal::ToQuery(completed), key.name, subresource),
                      {.media_type = MediaTypeOf(patch.type()), .bytes = patch.text()}, target.type, patched);
}

Result<void> Client::DeleteObject(const Target& target, const ObjectKey& key, const DeleteOptions& options) const {
  const CallScope scope = Effective(options.scope);
  KEELSON_TRY(place, Place::Find(*this, target, key.namespace_, Place::Needs::kObject, scope));
  if (key.name.empty()) return NameMissing("delete", place.resource());
  const std::string body = internal::ToBody(options);
  return rest().Write("DELETE", place.Call(scope, {}, key.name), {.media_type = "application/json", .bytes = body},
                      nullptr, nullptr);
}

Result<void> Client::DeleteObjects(const Target& target, const DeleteAllOptions& options) const {
  KEELSON_RETURN_IF_ERROR(internal::CheckSelectors(options.labels, options.fields));
  const CallScope scope = Effective(options.scope);
  KEELSON_TRY(place, Place::Find(*this, target, options.namespace_, Place::Needs::kObject, scope));
  const std::string body = internal::ToBody(options);
  return rest().Write("DELETE", place.Call(scope, internal::ToQuery(options)),
                      {.media_type = "application/json", .bytes = body}, nullptr, nullptr);
}

Result<void> Client::GetSubobject(const Target& target, const ObjectKey& key, std::string_view subresource,
                                  const GetOptions& options, const Type& type, void* object) const {
  const CallScope scope = Effective(options.scope);
  KEELSON_TRY(place, Place::Find(*this, target, key.namespace_, Place::Needs::kObject, scope));
  return rest().Get(place.Call(scope, internal::ToQuery(options), key.name, subresource), type, object);
}

Result<void> Client::WriteSubobject(std::string_view method, const Target& target, const ObjectKey& key,
                                    std::string_view subresource, const WriteOptions& options, const Type& type,
                                    const void* object, void* answer) const {
  const CallScope scope = Effective(options.scope);
  KEELSON_TRY(place, Place::Find(*this, target, key.namespace_, Place::Needs::kObject, scope));
  return rest().Write(method, place.Call(scope, internal::ToQuery(Completed(options)), key.name, subresource),
                      {.type = &type, .object = object}, answer == nullptr ? nullptr : &type, answer);
}

Result<HttpResponse> Client::StreamSubresource(const Target& target, const ObjectKey& key, std::string_view subresource,
                                               Query query, const CallScope& call_scope) const {
  const CallScope scope = Effective(call_scope);
  KEELSON_TRY(place, Place::Find(*this, target, key.namespace_, Place::Needs::kObject, scope));
  return rest().Stream(place.Call(scope, std::move(query), key.name, subresource), "*/*");
}

}  // namespace keelson
