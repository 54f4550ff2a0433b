// Changing objects: create, update, patch, apply, delete.
//
//   KEELSON_TRY(created, writer.Create(deployment));
//   deployment.status.replicas = 3;
//   KEELSON_TRY(updated, writer.Status().Update(deployment));
//
// Calls that write an object give back the object as the server has it now. Each takes a typed object or an
// Unstructured one, whose apiVersion and kind say which resource it is. Implementations are thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "keelson/api/object.h"
#include "keelson/client/options.h"
#include "keelson/client/patch.h"
#include "keelson/client/resource.h"
#include "keelson/codec/unstructured.h"
#include "keelson/core/result.h"

namespace keelson {

// A typed object that stands for itself, or an Unstructured one.
template <class T>
concept WritableObject = ApiObject<T> || std::same_as<T, Unstructured>;

namespace internal {
template <WritableObject T>
Target TargetOf(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return {.type = &TypeOf<Unstructured>(), .kind = object.GetGvk()};
  } else {
    return Target::Typed<T>();
  }
}
template <WritableObject T>
ObjectKey KeyOfAny(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return object.GetKey();
  } else {
    return KeyOf(object);
  }
}
}  // namespace internal

class SubresourceWriter;

class Writer {
 public:
  virtual ~Writer() = default;

  template <WritableObject T>
  Result<T> Create(const T& object, const CreateOptions& options = {}) const {
    T created{};
    KEELSON_RETURN_IF_ERROR(CreateObject(internal::TargetOf(object), &object, options, &created));
    return created;
  }

  // With metadata.resourceVersion it fails with a conflict when the object has changed since.
  template <WritableObject T>
  Result<T> Update(const T& object, const UpdateOptions& options = {}) const {
    T updated{};
    KEELSON_RETURN_IF_ERROR(UpdateObject(internal::TargetOf(object), {}, &object, options, &updated));
    return updated;
  }

  template <ApiObject T>
  Result<T> Patch(const ObjectKey& key, const keelson::Patch& patch, const PatchOptions& options = {}) const {
    T patched{};
    KEELSON_RETURN_IF_ERROR(PatchObject(Target::Typed<T>(), key, {}, patch, options, &patched));
    return patched;
  }
  Result<Unstructured> Patch(const Resource& resource, const ObjectKey& key, const keelson::Patch& patch,
                             const PatchOptions& options = {}) const {
    Unstructured patched;
    const Target target{.type = &TypeOf<Unstructured>(), .resource = &resource};
    KEELSON_RETURN_IF_ERROR(PatchObject(target, key, {}, patch, options, &patched));
    return patched;
  }
  Result<Unstructured> Patch(const GroupVersionKind& kind, const ObjectKey& key, const keelson::Patch& patch,
                             const PatchOptions& options = {}) const {
    Unstructured patched;
    const Target target{.type = &TypeOf<Unstructured>(), .kind = kind};
    KEELSON_RETURN_IF_ERROR(PatchObject(target, key, {}, patch, options, &patched));
    return patched;
  }

  // Server-side apply: the object has these fields from now on, or is made with them. A field that another manager
  // owns with another value is a conflict, unless `force` is set.
  template <WritableObject T>
  Result<T> Apply(const T& object, const ApplyOptions& options = {}) const {
    T applied{};
    KEELSON_RETURN_IF_ERROR(PatchObject(internal::TargetOf(object), internal::KeyOfAny(object), {},
                                        keelson::Patch::Apply(object), options, &applied));
    return applied;
  }

  template <ApiObject T>
  Result<void> Delete(const ObjectKey& key, const DeleteOptions& options = {}) const {
    return DeleteObject(Target::Typed<T>(), key, options);
  }
  Result<void> Delete(const Resource& resource, const ObjectKey& key, const DeleteOptions& options = {}) const {
    return DeleteObject({.type = &TypeOf<Unstructured>(), .resource = &resource}, key, options);
  }
  Result<void> Delete(const GroupVersionKind& kind, const ObjectKey& key, const DeleteOptions& options = {}) const {
    return DeleteObject({.type = &TypeOf<Unstructured>(), .kind = kind}, key, options);
  }
  template <WritableObject T>
  Result<void> Delete(const T& object, const DeleteOptions& options = {}) const {
    return DeleteObject(internal::TargetOf(object), internal::KeyOfAny(object), options);
  }

  // All that the selectors match, by one request.
  template <ApiObject T>
  Result<void> DeleteAllOf(const DeleteAllOptions& options = {}) const {
    return DeleteObjects(Target::Typed<T>(), options);
  }
  Result<void> DeleteAllOf(const Resource& resource, const DeleteAllOptions& options = {}) const {
    return DeleteObjects({.type = &TypeOf<Unstructured>(), .resource = &resource}, options);
  }
  Result<void> DeleteAllOf(const GroupVersionKind& kind, const DeleteAllOptions& options = {}) const {
    return DeleteObjects({.type = &TypeOf<Unstructured>(), .kind = kind}, options);
  }

  // Writes to /status, and to any other subresource whose objects are those of the resource.
  SubresourceWriter Status() const;
  SubresourceWriter Subresource(std::string name) const;

  // The core, for code that knows the type at run time only. What comes back fills a default value of the target's
  // type.
  virtual Result<void> CreateObject(const Target& target, const void* object, const CreateOptions& options,
                                    void* created) const = 0;
  virtual Result<void> UpdateObject(const Target& target, std::string_view subresource, const void* object,
                                    const UpdateOptions& options, void* updated) const = 0;
  virtual Result<void> PatchObject(const Target& target, const ObjectKey& key, std::string_view subresource,
                                   const keelson::Patch& patch, const PatchOptions& options, void* patched) const = 0;
  virtual Result<void> DeleteObject(const Target& target, const ObjectKey& key, const DeleteOptions& options) const = 0;
  virtual Result<void> DeleteObjects(const Target& target, const DeleteAllOptions& options) const = 0;
};

// Lives no longer than the writer it is of.
class SubresourceWriter {
 public:
  SubresourceWriter(const Writer& writer, std::string name) : writer_(writer), name_(std::move(name)) {}

  template <WritableObject T>
  Result<T> Update(const T& object, const UpdateOptions& options = {}) const {
    T updated{};
    KEELSON_RETURN_IF_ERROR(writer_.UpdateObject(internal::TargetOf(object), name_, &object, options, &updated));
    return updated;
  }
  template <ApiObject T>
  Result<T> Patch(const ObjectKey& key, const keelson::Patch& patch, const PatchOptions& options = {}) const {
    T patched{};
    KEELSON_RETURN_IF_ERROR(writer_.PatchObject(Target::Typed<T>(), key, name_, patch, options, &patched));
    return patched;
  }
  template <WritableObject T>
  Result<T> Apply(const T& object, const ApplyOptions& options = {}) const {
    T applied{};
    KEELSON_RETURN_IF_ERROR(writer_.PatchObject(internal::TargetOf(object), internal::KeyOfAny(object), name_,
                                                keelson::Patch::Apply(object), options, &applied));
    return applied;
  }

 private:
  const Writer& writer_;
  const std::string name_;
};

inline SubresourceWriter Writer::Status() const { return SubresourceWriter(*this, "status"); }
inline SubresourceWriter Writer::Subresource(std::string name) const {
  return SubresourceWriter(*this, std::move(name));
}

}  // namespace keelson
