// Paths of a small server, and who serves them.
//
//   Routes routes;
//   routes.Add("/metrics", std::make_shared<MetricsPage>(registry));
//   routes.Add("/debug/", debug);                       // all below it
//   HttpServer::Start(routes, …);
//
// Paths are decoded before they are compared; handlers get them as they came. The longest one that fits wins. One that
// nobody serves is 404 with a list of those that there are; one with "//", "/./" or "/../" in it is 400, so that nobody
// can ask for one thing and get another.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/transport/handler.h"

namespace keelson {

// The path of a request, decoded; nothing when it is one that Routes refuse.
std::optional<std::string> DecodedPath(const ServerRequest& request);

// Thread-safe.
class Routes final : public HttpHandler {
 public:
  // kAlreadyExists when the path is taken, kInvalidArgument when it does not begin with a slash.
  Result<void> Add(std::string path, std::shared_ptr<HttpHandler> handler);
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override;

 private:
  std::shared_ptr<HttpHandler> Find(std::string_view path) const;
  std::string Listing() const;

  mutable Mutex mutex_{"routes"};
  std::map<std::string, std::shared_ptr<HttpHandler>, std::less<>> handlers_;  // by path; guarded by mutex_
};

// A page that is made when it is asked for. GET and HEAD; other methods are 405. An exception is 500.
struct Page {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  Headers headers = {};  // more of them
};
using PageFunction = std::function<Page(const ServerRequest& request)>;
std::shared_ptr<HttpHandler> ServePage(PageFunction make);

// Without a body where the request is a HEAD.
void SendPage(const ServerRequest& request, ResponseWriter& response, Page page);

}  // namespace keelson
