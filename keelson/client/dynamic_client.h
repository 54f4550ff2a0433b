// The client of any resource by its name, without types, in the shape that users of client-go's dynamic client know.
//
//   DynamicClient widgets = DynamicClient(client).Of({"example.com", "v1", "widgets"}).In("default");
//   KEELSON_TRY(widget, widgets.Get("one"));
//   KEELSON_RETURN_IF_ERROR(widget.SetNested({"spec", "size"}, 3));
//   KEELSON_TRY(updated, widgets.Update(widget));
//
// Needs no discovery except to list (items of some lists do not say their kind). By kind instead of resource:
// client.Get(kind, key) in client.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "keelson/client/client.h"

namespace keelson {

// A handle, cheap to copy, thread-safe.
class DynamicClient {
 public:
  explicit DynamicClient(Client client, Resource resource = {})
      : client_(std::move(client)), resource_(std::move(resource)) {}

  DynamicClient Of(const GroupVersionResource& resource) const {
    DynamicClient of = *this;
    of.resource_ = Resource::Of(resource);
    return of;
  }
  // Objects of that namespace; without one those of the cluster, or of all namespaces.
  DynamicClient In(std::string namespace_) const {
    DynamicClient in = *this;
    in.client_ = client_.Scope(std::move(namespace_));
    return in;
  }

  Result<Unstructured> Get(std::string_view name, const GetOptions& options = {}) const {
    return client_.Get(resource_, Key(name), options);
  }
  Result<ObjectList<Unstructured>> List(const ListOptions& options = {}) const {
    return client_.List(resource_, options);
  }
  Result<WatchStream<Unstructured>> Watch(const WatchOptions& options = {}) const {
    return client_.Watch(resource_, options);
  }
  Result<Unstructured> Create(const Unstructured& object, const CreateOptions& options = {}) const {
    Unstructured created;
    KEELSON_RETURN_IF_ERROR(client_.CreateObject(target(), &object, options, &created));
    return created;
  }
  Result<Unstructured> Update(const Unstructured& object, const UpdateOptions& options = {}) const {
    return UpdateAt(object, {}, options);
  }
  Result<Unstructured> UpdateStatus(const Unstructured& object, const UpdateOptions& options = {}) const {
    return UpdateAt(object, "status", options);
  }
  // `subresource` may be empty.
  Result<Unstructured> Patch(std::string_view name, const keelson::Patch& patch, const PatchOptions& options = {},
                             std::string_view subresource = {}) const {
    Unstructured patched;
    KEELSON_RETURN_IF_ERROR(client_.PatchObject(target(), Key(name), subresource, patch, options, &patched));
    return patched;
  }
  Result<Unstructured> Apply(const Unstructured& object, const ApplyOptions& options = {}) const {
    return Patch(object.GetName(), keelson::Patch::Apply(object), options);
  }
  Result<void> Delete(std::string_view name, const DeleteOptions& options = {}) const {
    return client_.Delete(resource_, Key(name), options);
  }
  Result<void> DeleteCollection(const DeleteAllOptions& options = {}) const {
    return client_.DeleteAllOf(resource_, options);
  }

 private:
  static ObjectKey Key(std::string_view name) { return {.namespace_ = {}, .name = std::string(name)}; }
  Target target() const { return {.type = &TypeOf<Unstructured>(), .resource = &resource_}; }
  Result<Unstructured> UpdateAt(const Unstructured& object, std::string_view subresource,
                                const UpdateOptions& options) const {
    Unstructured updated;
    KEELSON_RETURN_IF_ERROR(client_.UpdateObject(target(), subresource, &object, options, &updated));
    return updated;
  }

  Client client_;
  Resource resource_;
};

}  // namespace keelson
