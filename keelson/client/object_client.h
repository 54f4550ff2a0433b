// What a program that manages objects needs of a client: reading, writing, and subresources of other kinds.
//
//   class AppReconciler {
//    public:
//     explicit AppReconciler(const ObjectClient& client) : client_(client) {}    // of the server, or of a cache
//
// Client and CachedClient (cache/cached_client.h) are such clients. A test, or a program that wants to see every call,
// has one of its own: the virtual functions are all there is. Implementations are thread-safe.
#pragma once

#include <string_view>

#include "keelson/client/reader.h"
#include "keelson/client/writer.h"

namespace keelson {

class ObjectClient : public Reader, public Writer {
 public:
  // Subresources whose objects are of another kind than the resource, such as /scale. Always of the server.
  template <ApiObject T, class Sub>
  Result<Sub> GetSubresource(const ObjectKey& key, std::string_view subresource, const GetOptions& options = {}) const {
    Sub object{};
    KEELSON_RETURN_IF_ERROR(GetSubobject(Target::Typed<T>(), key, subresource, options, TypeOf<Sub>(), &object));
    return object;
  }
  template <ApiObject T, class Sub>
  Result<Sub> CreateSubresource(const ObjectKey& key, std::string_view subresource, const Sub& object,
                                const CreateOptions& options = {}) const {
    Sub created{};
    KEELSON_RETURN_IF_ERROR(
        WriteSubobject("POST", Target::Typed<T>(), key, subresource, options, TypeOf<Sub>(), &object, &created));
    return created;
  }
  template <ApiObject T, class Sub>
  Result<Sub> UpdateSubresource(const ObjectKey& key, std::string_view subresource, const Sub& object,
                                const UpdateOptions& options = {}) const {
    Sub updated{};
    KEELSON_RETURN_IF_ERROR(
        WriteSubobject("PUT", Target::Typed<T>(), key, subresource, options, TypeOf<Sub>(), &object, &updated));
    return updated;
  }

  // The core, for code that knows the type at run time only. `target` is the resource, `type` that of the subresource's
  // objects.
  virtual Result<void> GetSubobject(const Target& target, const ObjectKey& key, std::string_view subresource,
                                    const GetOptions& options, const Type& type, void* object) const = 0;
  // By POST or PUT. `answer` may be null.
  virtual Result<void> WriteSubobject(std::string_view method, const Target& target, const ObjectKey& key,
                                      std::string_view subresource, const WriteOptions& options, const Type& type,
                                      const void* object, void* answer) const = 0;
};

}  // namespace keelson
