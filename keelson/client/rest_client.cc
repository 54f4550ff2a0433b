#include "keelson/client/rest_client.h"

#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/client/response_error.h"
#include "keelson/codec/json_list_cutter.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_list_cutter.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/protobuf_writer.h"
#include "keelson/codec/unstructured.h"
#include "keelson/transport/thread_scope.h"

namespace keelson {

namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kEither = "application/vnd.kubernetes.protobuf,application/json";
// A server that does not know these sends whole objects, whose metadata is taken.
constexpr std::string_view kMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
constexpr std::string_view kMetadataList =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
constexpr size_t kMaxErrorBytes = size_t{4} << 20;

bool SpeaksProtobuf(const Headers& headers) {
  const std::string_view* type = headers.Find("Content-Type");
  return type != nullptr && type->starts_with(kProtobuf);
}

bool IsMetadata(const Type& type) { return &type == &TypeOf<metav1::PartialObjectMetadata>(); }

// What a proxy or a login page in the server's place says about itself.
Error NotUnderstood(const Headers& headers, Error error) {
  const std::string_view* type = headers.Find("Content-Type");
  if (type == nullptr || type->starts_with(kJson) || type->starts_with(kProtobuf)) return error;
  return std::move(error).WithContext("the answer is " + std::string(*type) +
                                      " and not an object; is this address that of a Kubernetes API server?");
}

Result<void> DecodeObject(const HttpResponse& response, const Type& type, void* object, std::string_view body) {
  if (SpeaksProtobuf(response.headers)) {
    KEELSON_TRY(envelope, OpenProtobufEnvelope(body));
    return DecodeProtobuf(type, object, envelope.raw);
  }
  Result<void> decoded = DecodeJson(type, object, body);
  if (!decoded) return NotUnderstood(response.headers, std::move(decoded).error());
  return {};
}

template <class Cutter>
auto Cut(HttpResponse& response, Cutter cutter) -> decltype(cutter.Finish()) {
  while (true) {
    KEELSON_TRY(bytes, response.body->Next());
    if (bytes.empty()) break;
    if (Result<void> fed = cutter.Feed(bytes); !fed) {
      return NotUnderstood(response.headers, std::move(fed).error());
    }
  }
  return cutter.Finish();
}

// Items of a list of a built-in kind come without it.
void NameItem(const Resource& resource, void* item) {
  auto& object = *static_cast<Unstructured*>(item);
  if (!object.GetKind().empty() || resource.kind.empty()) return;
  object.SetGvk(resource.gvk());
}

}  // namespace

bool RestClient::RefusesProtobuf(const Resource& resource) const {
  if (!has_json_only_.load(std::memory_order_acquire)) return false;
  ReaderLock lock(mutex_);
  return json_only_.contains(resource.gvr());
}

Result<HttpResponse> RestClient::SendChecked(HttpRequest& request, const RestCall* call, const CallScope& scope) const {
  Result<HttpResponse> outcome = transport_->SendKept(request, scope);
  if (!outcome || (outcome->status >= 200 && outcome->status < 300)) return outcome;
  HttpResponse& response = *outcome;
  std::string body;
  while (body.size() < kMaxErrorBytes) {
    const Result<std::string_view> bytes = response.body->Next();
    if (!bytes || bytes->empty()) break;  // the status says enough
    body += *bytes;
  }
  internal::RequestSubject subject{.method = request.method};
  if (call != nullptr) {
    subject.resource = call->resource.group_resource();
    subject.name = call->name;
  }
  return internal::ErrorFromResponse(response.status, response.headers, body, subject);
}

Result<HttpResponse> RestClient::SendOne(std::string_view method, const RestCall& call, const RestBody& body,
                                         const Type* type, Shape shape, bool protobuf, const CallScope& scope) const {
  KEELSON_TRY(target, ResourcePath(call.resource, call.namespace_, call.name, call.subresource));
  if (!call.query.empty()) {
    target += '?';
    target += call.query.ToString();
  }
  HttpRequest request{.method = std::string(method), .target = std::move(target)};
  request.streaming = shape == Shape::kWatch;
  request.headers.Reserve(8, 512);  // ours, and what the transports on the way add
  if (type != nullptr && IsMetadata(*type)) {
    request.headers.Add("Accept", shape == Shape::kList ? kMetadataList : kMetadata);
  } else {
    request.headers.Add("Accept", protobuf ? kEither : kJson);
  }
  if (body.type != nullptr) {
    if (protobuf && HasProtobuf(*body.type)) {
      request.headers.Add("Content-Type", kProtobuf);
      AppendProtobufEnvelope(*body.type, body.object, request.body);
    } else {
      request.headers.Add("Content-Type", kJson);
      AppendJson(*body.type, body.object, request.body);
    }
  } else if (!body.media_type.empty()) {
    request.headers.Add("Content-Type", body.media_type);
    request.body = body.bytes;
  }
  return SendChecked(request, &call, scope);
}

Result<HttpResponse> RestClient::Exchange(std::string_view method, const RestCall& call, const RestBody& body,
                                          const Type* type, Shape shape, const CallScope& scope) const {
  const bool possible = (type == nullptr || HasProtobuf(*type)) && (body.type == nullptr || HasProtobuf(*body.type)) &&
                        (type != nullptr || body.type != nullptr);
  const bool protobuf = content_type_ == ContentType::kProtobuf && possible && !RefusesProtobuf(call.resource);
  Result<HttpResponse> response = SendOne(method, call, body, type, shape, protobuf, scope);
  if (response || !protobuf) return response;
  const metav1::Status* status = StatusOf(response.error());
  if (status == nullptr || (status->code != 406 && status->code != 415)) return response;
  {
    WriterLock lock(mutex_);
    json_only_.insert(call.resource.gvr());
    has_json_only_.store(true, std::memory_order_release);
  }
  return SendOne(method, call, body, type, shape, false, scope);
}

Result<void> RestClient::Get(const RestCall& call, const Type& type, void* object) const {
  const JoinedScope scope(call.scope);
  KEELSON_TRY(response, Exchange("GET", call, {}, &type, Shape::kObject, scope.get()));
  std::string buffer;
  KEELSON_TRY(body, ReadInPlace(*response.body, kMaxAnswerBytes, buffer));
  return DecodeObject(response, type, object, body);
}

Result<void> RestClient::Write(std::string_view method, const RestCall& call, const RestBody& body, const Type* type,
                               void* object) const {
  const JoinedScope scope(call.scope);
  KEELSON_TRY(response, Exchange(method, call, body, type, Shape::kObject, scope.get()));
  std::string buffer;
  KEELSON_TRY(answer, ReadInPlace(*response.body, kMaxAnswerBytes, buffer));
  if (object == nullptr) return {};
  return DecodeObject(response, *type, object, answer);
}

Result<metav1::ListMeta> RestClient::List(const RestCall& call, const Type& type, KeptVersions* versions,
                                          ItemSink& sink) const {
  const JoinedScope scope(call.scope);
  KEELSON_TRY(response, Exchange("GET", call, {}, &type, Shape::kList, scope.get()));
  if (SpeaksProtobuf(response.headers)) {
    ProtobufReader reader({.share_nodes = versions != nullptr, .versions = versions});
    KEELSON_TRY(head, Cut(response, ProtobufListCutter([&](std::string_view item) -> Result<void> {
                            KEELSON_RETURN_IF_ERROR(reader.Read(type, sink.NextItem(), item));
                            return sink.Accept();
                          })));
    return std::move(head.metadata);
  }
  JsonReader reader({.share_nodes = versions != nullptr, .versions = versions});
  const bool unstructured = &type == &TypeOf<Unstructured>();
  KEELSON_TRY(head, Cut(response, JsonListCutter([&](std::string_view text) -> Result<void> {
                          void* const item = sink.NextItem();
                          KEELSON_RETURN_IF_ERROR(reader.Read(type, item, text));
                          if (unstructured) NameItem(call.resource, item);
                          return sink.Accept();
                        })));
  return std::move(head.metadata);
}

Result<std::unique_ptr<RawWatch>> RestClient::Watch(const RestCall& call, const Type& type,
                                                    KeptVersions* versions) const {
  const CallScope scope = EffectiveScope(call.scope);
  return RawWatch::Open(type, versions, scope.stop, [&](const StopToken& stop) {
    return Exchange("GET", call, {}, &type, Shape::kWatch, {.stop = stop, .deadline = scope.deadline});
  });
}

Result<HttpResponse> RestClient::Stream(const RestCall& call, std::string_view accept) const {
  KEELSON_TRY(target, ResourcePath(call.resource, call.namespace_, call.name, call.subresource));
  if (!call.query.empty()) target += "?" + call.query.ToString();
  HttpRequest request{.target = std::move(target), .streaming = true};
  request.headers.Add("Accept", accept);
  return SendChecked(request, &call, EffectiveScope(call.scope));
}

Result<HttpResponse> RestClient::Send(HttpRequest request, const CallScope& scope) const {
  return SendChecked(request, nullptr, EffectiveScope(scope));
}

Result<std::string> RestClient::GetRaw(std::string_view target, std::string_view accept, const CallScope& scope) const {
  HttpRequest request{.target = std::string(target)};
  request.headers.Add("Accept", accept);
  const JoinedScope joined(scope);
  KEELSON_TRY(response, SendChecked(request, nullptr, joined.get()));
  return ReadAll(*response.body, kMaxAnswerBytes);
}

}  // namespace keelson
