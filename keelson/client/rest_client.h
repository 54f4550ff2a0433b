// Requests to an API server in terms of resources, without templates: what all clients here stand on.
//
//   RestClient rest(transport);
//   corev1::Pod pod;
//   KEELSON_RETURN_IF_ERROR(rest.Get({.resource = pods, .namespace_ = "default", .name = "web"}, TypeOf<corev1::Pod>(),
//                                    &pod));
//
// Chooses between JSON and protobuf, encodes and decodes by the types' tables, and turns every answer that is no
// success into an Error that carries the server's Status. Calls end by their scope and by the thread's
// (thread_scope.h). Programs use Client (client.h). Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "keelson/api/meta/v1.h"
#include "keelson/client/item_sink.h"
#include "keelson/client/paths.h"
#include "keelson/client/resource.h"
#include "keelson/client/watch.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/transport/transport.h"

namespace keelson {

enum class ContentType : uint8_t {
  kJson,
  // For built-in kinds; JSON for the others, and for resources where the server refuses protobuf.
  kProtobuf,
};

// What a request is about. The views and the reference live as long as the call.
struct RestCall {
  const Resource& resource;
  std::string_view namespace_ = {};
  std::string_view name = {};
  std::string_view subresource = {};
  Query query = {};
  CallScope scope = {};
};

// What a request sends: an object, or bytes of a media type; neither: nothing.
struct RestBody {
  const Type* type = nullptr;
  const void* object = nullptr;
  std::string_view media_type = {};
  std::string_view bytes = {};
};

class RestClient {
 public:
  static constexpr size_t kMaxAnswerBytes = size_t{64} << 20;  // of one object

  explicit RestClient(std::shared_ptr<Transport> transport, ContentType content_type = ContentType::kJson)
      : transport_(std::move(transport)), content_type_(content_type) {}

  // Fills `object`, a default value of the type.
  Result<void> Get(const RestCall& call, const Type& type, void* object) const;
  // POST, PUT, PATCH or DELETE. The answer fills `object`, unless that is null.
  Result<void> Write(std::string_view method, const RestCall& call, const RestBody& body, const Type* type,
                     void* object) const;
  // One page, its items decoded as they arrive.
  Result<metav1::ListMeta> List(const RestCall& call, const Type& type, KeptVersions* versions, ItemSink& sink) const;
  Result<std::unique_ptr<RawWatch>> Watch(const RestCall& call, const Type& type, KeptVersions* versions) const;
  // An answer of any kind, read while it comes.
  Result<HttpResponse> Stream(const RestCall& call, std::string_view accept) const;

  // Any path; an answer that is no success is an error.
  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) const;
  Result<std::string> GetRaw(std::string_view target, std::string_view accept, const CallScope& scope) const;

  const std::shared_ptr<Transport>& transport() const { return transport_; }

 private:
  enum class Shape : uint8_t { kObject, kList, kWatch };

  Result<HttpResponse> Exchange(std::string_view method, const RestCall& call, const RestBody& body, const Type* type,
                                Shape shape, const CallScope& scope) const;
  Result<HttpResponse> SendOne(std::string_view method, const RestCall& call, const RestBody& body, const Type* type,
                               Shape shape, bool protobuf, const CallScope& scope) const;
  Result<HttpResponse> SendChecked(HttpRequest& request, const RestCall* call, const CallScope& scope) const;
  bool RefusesProtobuf(const Resource& resource) const;

  // Constant after construction.
  const std::shared_ptr<Transport> transport_;
  const ContentType content_type_;

  mutable SharedMutex mutex_{"rest client"};
  // Guarded by mutex_.
  mutable std::set<GroupVersionResource> json_only_;

  // Whether there are any, which hardly ever is: to be asked without the lock, whose count would travel from processor
  // to processor with each request.
  mutable std::atomic<bool> has_json_only_ = false;
};

}  // namespace keelson
