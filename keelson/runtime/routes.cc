#include "keelson/runtime/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "keelson/core/log.h"
#include "keelson/transport/form_query.h"

namespace keelson {

namespace {

class PageHandler final : public HttpHandler {
 public:
  explicit PageHandler(PageFunction make) : make_(std::move(make)) {}

  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    if (request.method != "GET" && request.method != "HEAD") {
      return SendPage(request, *response,
                      {.status = 405,
                       .body = fmt::format("{} is not served here: expected GET or HEAD\n", request.method),
                       .headers = {{"Allow", "GET, HEAD"}}});
    }
    SendPage(request, *response, Make(request));
  }

 private:
  Page Make(const ServerRequest& request) const {
    try {
      return make_(request);
    } catch (const std::exception& failure) {
      Logger("http").Error(Error::Internal(failure.what()), "A page cannot be made", "path", request.path);
    }
    return {.status = 500, .body = "internal server error\n"};
  }

  const PageFunction make_;
};

bool IsClean(std::string_view path) {
  if (!path.starts_with('/')) return false;
  while (!path.empty()) {
    path.remove_prefix(1);
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    // The last part may be empty: "/debug/".
    if ((part.empty() && end != path.size()) || part == "." || part == "..") return false;
    if (part.find('\0') != std::string_view::npos) return false;
    path.remove_prefix(end);
  }
  return true;
}

}  // namespace

std::optional<std::string> DecodedPath(const ServerRequest& request) {
  std::optional<std::string> path = PercentDecode(request.path, false);
  if (path && !IsClean(*path)) return std::nullopt;
  return path;
}

void SendPage(const ServerRequest& request, ResponseWriter& response, Page page) {
  Headers headers{{"Content-Type", std::move(page.content_type)},
                  {"X-Content-Type-Options", "nosniff"},
                  {"Content-Length", std::to_string(page.body.size())}};
  for (const auto& [name, value] : page.headers) headers.Add(name, value);
  response.Start(page.status, std::move(headers));
  if (request.method != "HEAD" && !page.body.empty()) response.Write(String(page.body));
  response.Finish();
}

std::shared_ptr<HttpHandler> ServePage(PageFunction make) { return std::make_shared<PageHandler>(std::move(make)); }

Result<void> Routes::Add(std::string path, std::shared_ptr<HttpHandler> handler) {
  if (!IsClean(path) || handler == nullptr) {
    return Error::InvalidArgument(fmt::format(
        "the path \"{}\" cannot be served: expected a handler and a path that begins with a slash, without empty "
        "parts, \".\" and \"..\"",
        path));
  }
  MutexLock lock(mutex_);
  const auto [place, added] = handlers_.emplace(std::move(path), std::move(handler));
  if (!added) return Error::AlreadyExists(fmt::format("the path \"{}\" has a handler already", place->first));
  return {};
}

std::shared_ptr<HttpHandler> Routes::Find(std::string_view path) const {
  MutexLock lock(mutex_);
  if (const auto exact = handlers_.find(path); exact != handlers_.end()) return exact->second;
  // "/a/b/c" is also below "/a/b/", "/a/" and "/".
  for (size_t slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/', slash - 1)) {
    if (const auto above = handlers_.find(path.substr(0, slash + 1)); above != handlers_.end()) return above->second;
    if (slash == 0) break;
  }
  return nullptr;
}

std::string Routes::Listing() const {
  std::string text = "404 page not found\nThis server has:\n";
  MutexLock lock(mutex_);
  for (const auto& [path, handler] : handlers_) text += "  " + path + "\n";
  return text;
}

void Routes::Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) {
  const std::optional<std::string> path = DecodedPath(request);
  if (!path) {
    return SendPage(request, *response, {.status = 400, .body = "400 bad request: this path is not well-formed\n"});
  }
  if (const std::shared_ptr<HttpHandler> handler = Find(*path)) {
    return handler->Handle(std::move(request), std::move(response));
  }
  SendPage(request, *response, {.status = 404, .body = Listing()});
}

}  // namespace keelson
