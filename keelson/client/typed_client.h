// The client of one kind, in the shape that users of generated clientsets know.
//
//   TypedClient<AppService> services(client, "default");
//   KEELSON_TRY(service, services.Get("web"));
//   service.spec.replicas = 3;
//   KEELSON_TRY(updated, services.Update(service));
//
// The verbs that a kind has can be fewer (`+genclient:onlyVerbs=get,list`): calling another one does not compile.
//
//   using NodesReader = TypedClient<corev1::Node, kGetVerb | kListVerb>;
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "keelson/client/client.h"

namespace keelson {

using VerbSet = uint32_t;
inline constexpr VerbSet kGetVerb = 1 << 0;
inline constexpr VerbSet kListVerb = 1 << 1;
inline constexpr VerbSet kWatchVerb = 1 << 2;
inline constexpr VerbSet kCreateVerb = 1 << 3;
inline constexpr VerbSet kUpdateVerb = 1 << 4;
inline constexpr VerbSet kUpdateStatusVerb = 1 << 5;
inline constexpr VerbSet kPatchVerb = 1 << 6;
inline constexpr VerbSet kApplyVerb = 1 << 7;
inline constexpr VerbSet kApplyStatusVerb = 1 << 8;
inline constexpr VerbSet kDeleteVerb = 1 << 9;
inline constexpr VerbSet kDeleteCollectionVerb = 1 << 10;
inline constexpr VerbSet kStatusVerbs = kUpdateStatusVerb | kApplyStatusVerb;
inline constexpr VerbSet kAllVerbs = (1 << 11) - 1;

// All verbs that the kind has: without those of /status where the type says that there is none.
template <class T>
constexpr VerbSet VerbsOf() {
  if constexpr (ApiResource<T>) {
    if (!ResourceOf<T>().has_status) return kAllVerbs & ~kStatusVerbs;
  }
  return kAllVerbs;
}

// A handle, cheap to copy, thread-safe.
template <ApiObject T, VerbSet kVerbs = VerbsOf<T>()>
class TypedClient {
 public:
  // Without a namespace: for cluster-scoped kinds, or to list and watch those of all namespaces.
  explicit TypedClient(const Client& client, std::string namespace_ = {})
      : client_(namespace_.empty() ? client : client.Scope(std::move(namespace_))) {}

  Result<T> Get(std::string name, const GetOptions& options = {}) const
    requires((kVerbs & kGetVerb) != 0)
  {
    return client_.template Get<T>(Key(std::move(name)), options);
  }
  Result<ObjectList<T>> List(const ListOptions& options = {}) const
    requires((kVerbs & kListVerb) != 0)
  {
    return client_.template List<T>(options);
  }
  Result<WatchStream<T>> Watch(const WatchOptions& options = {}) const
    requires((kVerbs & kWatchVerb) != 0)
  {
    return client_.template Watch<T>(options);
  }
  Result<T> Create(const T& object, const CreateOptions& options = {}) const
    requires((kVerbs & kCreateVerb) != 0)
  {
    return client_.Create(object, options);
  }
  Result<T> Update(const T& object, const UpdateOptions& options = {}) const
    requires((kVerbs & kUpdateVerb) != 0)
  {
    return client_.Update(object, options);
  }
  Result<T> UpdateStatus(const T& object, const UpdateOptions& options = {}) const
    requires((kVerbs & kUpdateStatusVerb) != 0)
  {
    return client_.Status().Update(object, options);
  }
  // `subresource` may be empty.
  Result<T> Patch(std::string name, const keelson::Patch& patch, const PatchOptions& options = {},
                  std::string subresource = {}) const
    requires((kVerbs & kPatchVerb) != 0)
  {
    return client_.Subresource(std::move(subresource)).template Patch<T>(Key(std::move(name)), patch, options);
  }
  Result<T> Apply(const T& object, const ApplyOptions& options = {}) const
    requires((kVerbs & kApplyVerb) != 0)
  {
    return client_.Apply(object, options);
  }
  Result<T> ApplyStatus(const T& object, const ApplyOptions& options = {}) const
    requires((kVerbs & kApplyStatusVerb) != 0)
  {
    return client_.Status().Apply(object, options);
  }
  Result<void> Delete(std::string name, const DeleteOptions& options = {}) const
    requires((kVerbs & kDeleteVerb) != 0)
  {
    return client_.template Delete<T>(Key(std::move(name)), options);
  }
  Result<void> DeleteCollection(const DeleteAllOptions& options = {}) const
    requires((kVerbs & kDeleteCollectionVerb) != 0)
  {
    return client_.template DeleteAllOf<T>(options);
  }

  const Client& client() const { return client_; }

 private:
  static ObjectKey Key(std::string name) { return {.namespace_ = {}, .name = std::move(name)}; }

  Client client_;
};

}  // namespace keelson
