#include <algorithm>

#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/library_cost.h"
#include "keelson/apiserver/cel/library_object.h"
#include "keelson/apiserver/cel/url.h"

namespace keelson::apiserver::cel {

namespace {

struct UrlValue final : LibraryObject<UrlValue> {
  static constexpr std::string_view kTypeName = "kubernetes.URL";
  explicit UrlValue(Url parsed) : url(std::move(parsed)) {}
  bool SameAs(const UrlValue& other) const { return url.ToString() == other.url.ToString(); }

  Url url;
};

const Url& UrlOf(std::span<const Value> args) { return UrlValue::Of(args[0]).url; }

Value ToUrl(EvalContext& context, std::span<const Value> args) {
  const std::string_view text = args[0].text();
  if (const Result<Url> request = Url::ParseRequest(text); !request) {
    return context.Error("URL parse error during conversion from string: " + request.error().message());
  }
  // The form of a request keeps a fragment in the path; read again to tell it apart.
  Result<Url> url = Url::Parse(text);
  if (!url) return context.Error("URL parse error during conversion from string: " + url.error().message());
  return UrlValue::Make(context, *std::move(url));
}

Value IsUrl(EvalContext&, std::span<const Value> args) {
  return Value::OfBool(Url::ParseRequest(args[0].text()).has_value());
}

Value GetScheme(EvalContext& context, std::span<const Value> args) { return context.Text(UrlOf(args).scheme); }
Value GetHost(EvalContext& context, std::span<const Value> args) { return context.Text(UrlOf(args).host); }
Value GetHostname(EvalContext& context, std::span<const Value> args) { return context.Text(UrlOf(args).Hostname()); }
Value GetPort(EvalContext& context, std::span<const Value> args) { return context.Text(UrlOf(args).Port()); }
Value GetEscapedPath(EvalContext& context, std::span<const Value> args) {
  return context.Text(UrlOf(args).EscapedPath());
}

Value GetQuery(EvalContext& context, std::span<const Value> args) {
  auto query = UrlOf(args).Query();
  std::sort(query.begin(), query.end());
  MapEntry* entries = context.arena().Array<MapEntry>(query.size());
  for (size_t i = 0; i < query.size(); ++i) {
    std::vector<Value> values;
    for (const std::string& value : query[i].second) values.push_back(context.Text(value));
    entries[i] = {context.Text(query[i].first), context.List(values)};
  }
  return Value::OfMap({entries, query.size()});
}

}  // namespace

Type UrlType() { return LibraryObjectType(UrlValue::kTypeName); }

void AddUrlsLibrary(FunctionTable& table) {
  const std::vector<Type> text = {Type::String()};
  table.Add("url", {.id = "string_to_url", .parameters = text, .result = UrlType(), .implementation = &ToUrl});
  table.Add("isURL", {.id = "is_url_string", .parameters = text, .result = Type::Bool(), .implementation = &IsUrl});
  table.SetCost("url", &TraversalCost);
  const auto accessor = [&](std::string_view name, std::string id, Type result, Implementation implementation) {
    table.Add(name, {.id = std::move(id),
                     .member = true,
                     .parameters = {UrlType()},
                     .result = std::move(result),
                     .implementation = implementation});
    table.SetCost(name, &UnitCost);
  };
  accessor("getScheme", "url_get_scheme", Type::String(), &GetScheme);
  accessor("getHost", "url_get_host", Type::String(), &GetHost);
  accessor("getHostname", "url_get_hostname", Type::String(), &GetHostname);
  accessor("getPort", "url_get_port", Type::String(), &GetPort);
  accessor("getEscapedPath", "url_get_escaped_path", Type::String(), &GetEscapedPath);
  accessor("getQuery", "url_get_query", Type::Map(Type::String(), Type::List(Type::String())), &GetQuery);
}

}  // namespace keelson::apiserver::cel
