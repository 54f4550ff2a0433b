// Any requests of an administrator to the API server, one after another: each gets a whole, well-formed answer soon.
//
// An input is requests as they look in HTTP/1, without version and lengths, parted by lines of `%%`:
//
//   POST /api/v1/namespaces/default/configmaps?dryRun=All
//   Content-Type: application/json
//
//   {"metadata":{"name":"a"}}
//   %%
//   GET /api/v1/configmaps?watch=1
//
// Watches stay open until the end of the input. The server is a new one only now and then: what an input finds there
// depends on those before it, so a crash that does not come again with its input alone needs the whole run.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/apiserver/api_server.h"
#include "keelson/codec/json_reader.h"
#include "keelson/core/clock.h"
#include "keelson/transport/in_process_transport.h"

namespace {

using namespace keelson;
using namespace std::chrono_literals;

constexpr std::string_view kSeparator = "\n%%\n";
constexpr size_t kMaxRequests = 16;
constexpr size_t kMaxInput = 100'000;
constexpr int kInputsPerServer = 100;
constexpr Duration kMaxTime = 20s;  // of a request, on a busy machine with sanitizers

void Expect(bool condition, std::string_view what, std::string_view seen) {
  if (condition) return;
  std::fprintf(stderr, "expected %.*s, got: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(seen.size()), seen.data());
  std::abort();
}

// Up to the separator, which is gone then too.
std::string_view Cut(std::string_view& rest, std::string_view separator) {
  const size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + separator.size());
  return part;
}

HttpRequest RequestOf(std::string_view text) {
  std::string_view line = Cut(text, "\n");
  HttpRequest request;
  request.method = Cut(line, " ");
  request.target = line;
  while (!text.empty()) {
    std::string_view header = Cut(text, "\n");
    if (header.empty()) break;
    const std::string_view name = Cut(header, ": ");
    request.headers.Add(name, header);
  }
  request.body = text;
  return request;
}

// What one input does to the server.
class Visit {
 public:
  explicit Visit(ApiServer& server)
      : transport_(server, {.address = "fuzz", .common_name = "admin", .organizations = {"system:masters"}}) {}
  ~Visit() {
    for (const auto& watch : watches_) (void)TakeWhatIsThere(*watch);
  }

  void Send(std::string_view text) {
    const TimePoint began = Clock::Now();
    StopSource source;
    Result<HttpResponse> response =
        transport_.Send(RequestOf(text), {.stop = source.token(), .deadline = began + kMaxTime});
    Expect(response.has_value(), "an answer", response ? "" : response.error().message());
    Expect(Clock::Now() - began < kMaxTime, "an answer in time", text);
    Expect(response->status >= 200 && response->status < 600, "a status", std::to_string(response->status));
    source.RequestStop();  // from here on the body's reader does not wait
    const auto [body, ended] = TakeWhatIsThere(*response->body);
    CheckBody(*response, body);
    if (!ended) watches_.push_back(std::move(response->body));
  }

 private:
  struct Taken {
    std::string bytes = {};
    bool ended = false;
  };

  static Taken TakeWhatIsThere(BodyStream& body) {
    Taken taken;
    while (true) {
      Result<std::string_view> bytes = body.Next();
      if (!bytes) {
        Expect(bytes.error().code() == ErrorCode::kCancelled, "an answer with an end", bytes.error().message());
        return taken;
      }
      if (bytes->empty()) {
        taken.ended = true;
        return taken;
      }
      taken.bytes += *bytes;
    }
  }

  static void CheckBody(const HttpResponse& response, std::string_view body) {
    // The server's own fault, unless it can say why.
    const auto says = [&](std::string_view words) { return body.find(words) != std::string_view::npos; };
    Expect(response.status != 500 || !says("Internal error occurred") || says("range is full") ||
               says("more than one PodDisruptionBudget"),
           "no internal error", body);
    const std::string_view* type = response.headers.Find("Content-Type");
    if (body.empty() || type == nullptr || !type->starts_with("application/json")) return;
    if (response.headers.Find("Content-Encoding") != nullptr || ParseJson(body)) return;
    while (!body.empty()) {  // a watch's frames
      const std::string_view line = Cut(body, "\n");
      Expect(ParseJson(line).has_value(), "JSON", line);
    }
  }

  InProcessTransport transport_;
  std::vector<std::unique_ptr<BodyStream>> watches_;
};

std::unique_ptr<ApiServer> NewServer() {
  ApiServerOptions options;
  options.store.history_events = 200;
  Result<std::unique_ptr<ApiServer>> server = ApiServer::Make(std::move(options));
  Expect(server.has_value(), "a server", server ? "" : server.error().message());
  return std::move(*server);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kMaxInput) return 0;
  static std::unique_ptr<ApiServer> server;
  static int inputs = 0;
  if (inputs++ % kInputsPerServer == 0) server = NewServer();
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Visit visit(*server);
  for (size_t i = 0; i < kMaxRequests && !rest.empty(); ++i) visit.Send(Cut(rest, kSeparator));
  return 0;
}
