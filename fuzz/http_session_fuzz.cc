// Any bytes from a client, as HTTP/1 or as HTTP/2: the server's sessions keep their bounds, and which requests they
// see does not depend on how the bytes were cut on their way.
//
// The first byte of an input chooses: its lowest bit the protocol (1: HTTP/2), the rest where the bytes are cut.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/transport/internal/http_session.h"

namespace {

using namespace keelson;
using namespace keelson::internal;

void Expect(bool condition) {
  if (!condition) std::abort();
}

constexpr size_t kMaxBody = 2000;

class Handler final : public HttpHandler {
 public:
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    Expect(request.path.starts_with('/') || request.path == "*");
    Expect(request.body.size() <= kMaxBody);
    ++handled;
    if (request.path == "/drop") return;
    if (request.path == "/keep") {
      kept.push_back(std::move(response));
      return;
    }
    Respond(*response, 200, "text/plain", request.method + request.path + request.query + request.body);
  }

  int handled = 0;
  std::vector<std::shared_ptr<ResponseWriter>> kept;
};

// A connection whose client takes all at once.
class Host final : public SessionHost, public std::enable_shared_from_this<Host> {
 public:
  explicit Host(Handler& handler) : handler_(handler) {
    options_.max_header_bytes = 1000;
    options_.max_body_bytes = kMaxBody;
    options_.max_streams = 10;
  }

  const HttpServerOptions& options() const override { return options_; }
  const std::shared_ptr<const Peer>& peer() const override { return peer_; }
  HttpHandler& handler() override { return handler_; }
  OutputQueue& output() override { return output_; }
  void Schedule(TimePoint) override {}
  std::weak_ptr<ExchangeOwner> owner() override { return weak_from_this(); }
  void Wake(std::shared_ptr<Exchange>) override {}

  void Take() {
    while (!output_.empty()) {
      iovec piece;
      output_.Gather({&piece, 1});
      std::vector<std::shared_ptr<Exchange>> drained;
      output_.Consume(piece.iov_len, drained);
    }
  }

 private:
  Handler& handler_;
  HttpServerOptions options_;
  const std::shared_ptr<const Peer> peer_ = std::make_shared<Peer>(Peer{.address = "fuzz"});
  OutputQueue output_;
};

// Returns how many requests the handler saw.
int Play(std::string_view bytes, bool http2, size_t piece) {
  Handler handler;
  const auto host = std::make_shared<Host>(handler);
  const TimePoint now = Clock::Now();
  const std::unique_ptr<HttpSession> session = http2 ? MakeHttp2Session(*host, now) : MakeHttp1Session(*host, now);
  const auto advance = [&] {
    do {
      session->Advance();
      host->Take();
      // What one took lets the next go on.
    } while (!session->done() && (session->Advance(), !host->output().empty()));
  };
  while (!bytes.empty() && session->wants_input()) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    session->Receive(part);
    advance();
  }
  const int handled = handler.handled;
  session->Expire(now);
  session->EndInput();
  advance();
  session->Drain();
  advance();
  session->Abandon();
  for (const auto& writer : handler.kept) Expect(!writer->Write("too late"));
  return handled;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0 || size > 20000) return 0;
  const bool http2 = (data[0] & 1) != 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const int whole = Play(bytes, http2, bytes.size() + 1);
  const int cut = Play(bytes, http2, static_cast<size_t>(data[0] >> 1) + 1);
  // In HTTP/2 requests that are reset in the same breath are not handled at all.
  Expect(http2 ? cut >= whole : cut == whole);
  return 0;
}
