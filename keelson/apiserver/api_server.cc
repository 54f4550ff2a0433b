#include "keelson/apiserver/api_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/bootstrap.h"
#include "keelson/apiserver/custom/custom_version.h"
#include "keelson/apiserver/discovery.h"
#include "keelson/apiserver/health.h"
#include "keelson/apiserver/impersonation.h"
#include "keelson/apiserver/reads.h"
#include "keelson/apiserver/reviews.h"
#include "keelson/apiserver/subresources.h"
#include "keelson/apiserver/writes.h"

namespace keelson {

using apiserver::Answer;
using apiserver::Exchange;
using apiserver::Reply;
using apiserver::Representation;
using apiserver::Resource;
using apiserver::SendError;

namespace {

Error NoSuchResource() {
  return apiserver::ErrorWithoutDetails(404, "NotFound", "the server could not find the requested resource");
}
Error NoSuchMethod() {
  return apiserver::ErrorWithoutDetails(405, "MethodNotAllowed",
                                        "the server does not allow this method on the requested resource");
}

void SendNoSuchPath(Exchange& exchange) {
  apiserver::SendText(exchange, 404, "text/plain; charset=utf-8", "404 page not found\n", false);
}

bool Contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

void WarnOfDeprecation(Exchange& exchange) {
  if (exchange.resource->custom != nullptr) exchange.warnings = exchange.resource->custom->warnings;
  if (!exchange.resource->group.empty()) return;
  if (exchange.resource->plural == "endpoints") {
    exchange.warnings.push_back("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
  } else if (exchange.resource->plural == "componentstatuses") {
    exchange.warnings.push_back("v1 ComponentStatus is deprecated in v1.19+");
  }
}

// Counts a request for as long as it takes.
class InFlight {
 public:
  InFlight(std::atomic<int>& count, int limit) : count_(count), admitted_(++count <= limit) {}
  ~InFlight() { --count_; }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  bool admitted() const { return admitted_; }

 private:
  std::atomic<int>& count_;
  const bool admitted_;
};

}  // namespace

Result<std::unique_ptr<ApiServer>> ApiServer::Make(ApiServerOptions options) {
  KEELSON_TRY(store, apiserver::Store::Open(options.store));
  std::unique_ptr<ApiServer> server(new ApiServer(std::move(options), std::move(store)));
  // Those of a data directory.
  server->definitions_.ServeAll();
  KEELSON_RETURN_IF_ERROR(apiserver::Bootstrap(server->objects_));
  const ApiServerOptions& given = server->options_;
  if (given.service_account_admission.value_or(false)) {
    server->objects_.AddAdmission(server->service_account_admission_);
  }
  if (!given.node.empty()) KEELSON_RETURN_IF_ERROR(apiserver::EnsureNode(server->objects_, given.node));
  if (given.tend_namespaces) {
    server->objects_.AddObserver(server->namespaces_);
    server->namespaces_.TendAll();
  }
  return server;
}

ApiServer::ApiServer(ApiServerOptions options, std::unique_ptr<apiserver::Store> store)
    : options_(std::move(options)),
      authorizer_(options_.authorizer ? options_.authorizer : std::make_shared<apiserver::MastersOnly>()),
      rules_(apiserver::RulesTable::Builtin()),
      store_(std::move(store)),
      resources_(rules_, *store_),
      objects_(*store_, resources_),
      service_account_tokens_(objects_),
      authenticator_(options_.authentication, &service_account_tokens_),
      definitions_(objects_, resources_),
      namespaces_(objects_),
      openapi_(resources_),
      request_total_(*metrics_.AddCounter({.name = "apiserver_request_total",
                                           .help = "Requests by verb, resource and the code of their answer.",
                                           .labels = {"verb", "group", "version", "resource", "subresource", "code"},
                                           .max_series = 10'000})) {}

ApiServer::~ApiServer() = default;

void ApiServer::SetAddress(const std::string& host, uint16_t port) {
  {
    MutexLock lock(address_mutex_);
    address_ = fmt::format("{}:{}", host, port);
  }
  // Without that Service nothing is lost but the Service's port.
  (void)apiserver::SetServicePort(objects_, port);
  if (options_.tend_namespaces) (void)apiserver::SetServiceEndpoints(objects_, host, port);
}

void ApiServer::SetRootCa(std::string certificate) {
  if (options_.tend_namespaces) namespaces_.SetRootCa(std::move(certificate));
}

void ApiServer::Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) {
  Exchange exchange;
  exchange.request = std::move(request);
  exchange.response = std::move(response);
  const std::shared_ptr<ResponseWriter> writer = exchange.response;
  try {
    Serve(std::move(exchange));
  } catch (const std::exception& exception) {
    // Memory, most likely. The client learns that it was not its fault.
    Exchange failed;
    failed.response = writer;
    SendError(failed, apierrors::Internal(exception.what()));
  }
}

void ApiServer::Serve(Exchange exchange) {
  exchange.query = apiserver::Query::Parse(exchange.request.query);
  if (!apiserver::PercentDecode(exchange.request.path, false)) {
    return apiserver::SendText(exchange, 400, "text/plain; charset=utf-8", "400 Bad Request");
  }
  exchange.info = apiserver::ParseRequest(exchange.request.method, exchange.request.path, exchange.query);
  if (exchange.request.body.size() > options_.max_body_bytes) {
    return SendError(exchange, apierrors::RequestEntityTooLarge(fmt::format("limit is {}", options_.max_body_bytes)));
  }

  Result<apiserver::User> user = authenticator_.Authenticate(exchange.request);
  if (!user) return SendError(exchange, apierrors::Unauthorized("Unauthorized"));
  Result<apiserver::User> acting = ActingUser(*user, exchange.request.headers, exchange.info, *authorizer_);
  if (!acting) return SendError(exchange, acting.error(), false);
  exchange.user = std::move(*acting);
  const apiserver::Decision decision = authorizer_->Authorize(exchange.user, exchange.info);
  if (!decision.allowed)
    return SendError(exchange, RefusedRequest(exchange.user, exchange.info, decision.reason), false);

  const bool is_watch = exchange.info.verb == "watch";
  const bool reads = exchange.request.method == "GET" || exchange.request.method == "HEAD";
  const InFlight in_flight(reads ? reads_in_flight_ : writes_in_flight_,
                           reads ? options_.max_reads_in_flight : options_.max_writes_in_flight);
  if (!in_flight.admitted() && !is_watch) {
    return SendError(exchange, apierrors::TooManyRequests("too many requests, please try again later", 1));
  }
  if (exchange.info.is_resource) return ServeResource(exchange);
  if (openapi_.Serve(exchange)) return;
  if (ServeHealth(exchange, resources_, metrics_, !draining_)) return;
  std::string address;
  {
    MutexLock lock(address_mutex_);
    address = address_;
  }
  if (ServeDiscovery(exchange, resources_, address)) return;
  if (resources_.HasGroup(exchange.info.path)) {
    const bool known = exchange.request.method == "GET" || exchange.request.method == "HEAD";
    return SendError(exchange, known ? NoSuchResource() : NoSuchMethod());
  }
  SendNoSuchPath(exchange);
}

void ApiServer::ServeResource(Exchange& exchange) {
  const apiserver::RequestInfo& info = exchange.info;
  const apiserver::ResourcePtr resource = resources_.Find(info.group, info.version, info.resource);
  if (resource == nullptr) {
    if (!resources_.HasGroup(info.path)) return SendNoSuchPath(exchange);
    return SendError(exchange, NoSuchResource());
  }
  exchange.resource = resource;
  const bool in_namespace = !info.namespace_.empty();
  const bool is_namespace = resource->group.empty() && resource->plural == "namespaces";
  // The scope of a resource is part of its path.
  if (in_namespace != resource->namespaced && !is_namespace) {
    const bool lists = info.verb == "list" || info.verb == "watch";
    if (resource->custom != nullptr && (in_namespace || !lists)) return SendNoSuchPath(exchange);
    if (in_namespace || !info.name.empty()) return SendError(exchange, NoSuchResource());
    if (!lists) return SendError(exchange, NoSuchMethod());
  }
  if (info.name == "." || info.name == "..") {
    return SendError(
        exchange, apierrors::BadRequest(fmt::format("Name parameter invalid: \"{0}\": may not be '{0}'", info.name)));
  }
  if (!info.subpath.empty() && info.subresource != "proxy") return SendError(exchange, NoSuchResource());
  if (info.verb.empty()) return SendError(exchange, NoSuchMethod());
  WarnOfDeprecation(exchange);

  const auto count = [&] {
    request_total_
        .With({info.verb, info.group, info.version, info.resource, info.subresource,
               std::to_string(exchange.sent_status)})
        .Increment();
  };
  if (!info.subresource.empty()) {
    const apiserver::Subresource* subresource = resource->FindSubresource(info.subresource);
    if (subresource == nullptr) {
      return SendError(
          exchange, resource->custom ? apierrors::NotFound(resource->group_resource(), info.name) : NoSuchResource());
    }
    if (!Contains(subresource->verbs, info.verb)) {
      return SendError(exchange, resource->custom ? apierrors::MethodNotAllowed(resource->group_resource(), info.verb)
                                                  : NoSuchMethod());
    }
    ServeSubresource(exchange, objects_, service_account_tokens_);
    return count();
  }
  if (!resource->has_verb(info.verb)) return SendError(exchange, NoSuchMethod());
  const bool of_one = info.verb == "update" || info.verb == "patch";
  if ((of_one && info.name.empty()) || (info.verb == "create" && !info.name.empty())) {
    return SendError(exchange, NoSuchMethod());
  }

  if (info.verb == "list") {
    ListObjects(exchange, objects_);
    return count();
  }
  if (info.verb == "watch") {
    exchange.sent_status = 200;
    count();
    return StartWatch(std::move(exchange), objects_, options_.watch);
  }
  if (info.verb == "deletecollection") {
    DeleteCollection(exchange, objects_);
    return count();
  }
  const bool review = IsReview(*resource);
  const bool binding = resource->group.empty() && resource->plural == "bindings";
  Result<Representation> representation =
      Negotiate(exchange.request.headers, review || binding ? Answer::kPlain : Answer::kObject,
                exchange.query.IsTrue("pretty"), resource->custom != nullptr);
  if (!representation) return SendError(exchange, representation.error());
  Result<Reply> reply = [&]() -> Result<Reply> {
    if (review) return AnswerReview(exchange, authenticator_, *authorizer_);
    if (binding) return CreateBinding(exchange, objects_);
    if (info.verb == "get") return GetObject(exchange, objects_);
    if (info.verb == "create") return CreateObject(exchange, objects_);
    if (info.verb == "update") return UpdateObject(exchange, objects_);
    if (info.verb == "patch") return PatchObject(exchange, objects_);
    return DeleteObject(exchange, objects_);
  }();
  if (!reply) {
    SendError(exchange, reply.error());
  } else {
    SendReply(exchange, *reply, *representation);
  }
  count();
}

}  // namespace keelson
