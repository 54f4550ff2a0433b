#include "keelson/apiserver/reads.h"

#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/continue_token.h"
#include "keelson/apiserver/options.h"

namespace keelson::apiserver {

namespace {

// The first page's revision is forgotten: here is a token that goes on with what is newest.
Error ExpiredToken(const ContinueToken& token) {
  metav1::Status status = ToStatus(apierrors::Expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new list "
      "without "
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
      "deleted between the time the first chunk was returned and now may show up in the list."));
  ContinueToken fresh = token;
  fresh.revision = -1;
  status.metadata.continue_ = String(fresh.Encode());
  return ErrorFromStatus(std::move(status));
}

struct ListRequest {
  ListOptions options;
  ListQuery query;
  std::optional<ContinueToken> token;
};

Result<ListRequest> ReadListRequest(const Exchange& exchange, Objects& objects) {
  const Resource& resource = *exchange.resource;
  ListRequest request;
  KEELSON_TRY(options, ReadListOptions(exchange, false));
  request.options = std::move(options);
  ListQuery& query = request.query;
  query.namespace_ = resource.namespaced ? exchange.info.namespace_ : std::string();
  query.limit = request.options.limit;
  if (!request.options.labels.empty() || !request.options.fields.empty()) {
    query.matches = [&resource, options = request.options](const StoredObject& object) {
      return Selects(resource, options, object);
    };
  }
  if (!request.options.continue_token.empty()) {
    KEELSON_TRY(token, ContinueToken::Parse(request.options.continue_token));
    if (request.options.resource_version && *request.options.resource_version != "0") {
      return apierrors::BadRequest("specifying resource version is not allowed when using continue");
    }
    // Inside one namespace a token may name the object alone.
    if (token.after_namespace.empty()) token.after_namespace = query.namespace_;
    query.after_namespace = token.after_namespace;
    query.after_name = token.after_name;
    query.revision = token.revision > 0 ? token.revision : 0;
    request.token = std::move(token);
    return request;
  }
  const Revision asked = request.options.revision;
  const Revision current = objects.store().revision();
  if (asked > current) return TooLargeRevision(asked, current);
  const bool exact =
      request.options.match == "Exact" || (asked != 0 && request.options.match.empty() && request.options.limit != 0);
  if (exact) query.revision = asked;
  // Any state will do: then all of it is given at once.
  if (request.options.resource_version == "0" && !exact) query.limit = 0;
  return request;
}

Result<std::pair<ListRequest, ListPage>> RunList(const Exchange& exchange, Objects& objects) {
  KEELSON_TRY(request, ReadListRequest(exchange, objects));
  Result<ListPage> page = objects.store().List(exchange.resource->collection, request.query);
  if (!page) {
    if (page.error().code() != ErrorCode::kExpired) return std::move(page).error();
    if (request.token) return ExpiredToken(*request.token);
    return apierrors::Expired("The resourceVersion for the provided list is too old.");
  }
  return std::pair(std::move(request), std::move(*page));
}

}  // namespace

Result<Reply> GetObject(Exchange& exchange, Objects& objects) {
  if (const std::string version = exchange.query.Text("resourceVersion"); !version.empty()) {
    Result<Revision> revision = ParseRevision(version);
    if (!revision) return UnreadableRevision(version);
    const Revision current = objects.store().revision();
    if (*revision > current) return TooLargeRevision(*revision, current);
  }
  const std::string_view namespace_ =
      exchange.resource->namespaced ? std::string_view(exchange.info.namespace_) : std::string_view();
  KEELSON_TRY(found, objects.Get(*exchange.resource, namespace_, exchange.info.name));
  return Reply::Of(std::move(found));
}

void ListObjects(Exchange& exchange, Objects& objects) {
  Result<Representation> representation = Negotiate(
      exchange.request.headers, Answer::kList, exchange.query.IsTrue("pretty"), exchange.resource->custom != nullptr);
  if (!representation) return SendError(exchange, representation.error());
  Result<std::pair<ListRequest, ListPage>> listed = RunList(exchange, objects);
  if (!listed) return SendError(exchange, listed.error());
  auto& [request, page] = *listed;

  metav1::ListMeta meta;
  meta.resourceVersion = String(std::to_string(page.revision));
  if (page.more && !page.items.empty()) {
    const StoredObject& last = *page.items.back();
    const ContinueToken token{.revision = request.token && request.token->revision < 0 ? -1 : page.revision,
                              .after_namespace = last.namespace_().str(),
                              .after_name = last.name().str()};
    meta.continue_ = String(token.Encode());
    // With a selector nobody has counted.
    if (!request.query.matches) meta.remainingItemCount = static_cast<int64_t>(page.remaining);
  }
  SendList(exchange, std::move(page.items), meta, *representation);
}

Result<ListPage> SelectObjects(const Exchange& exchange, Objects& objects) {
  KEELSON_TRY(listed, RunList(exchange, objects));
  return std::move(listed.second);
}

}  // namespace keelson::apiserver
