#include "keelson/transport/internal/direct_exchange.h"

#include <poll.h>

#include <charconv>
#include <cstring>
#include <utility>

#include "keelson/core/ascii.h"
#include "keelson/transport/internal/curl_call.h"
#include "keelson/transport/internal/request_check.h"

namespace keelson::internal {

namespace {

constexpr size_t kMaxHeaderBytes = size_t{64} << 10;
constexpr int kMaxInterimAnswers = 16;
// A body up to this size is sent in one piece with the headers.
constexpr size_t kSmallBody = size_t{64} << 10;

// A connection keeps as much memory for its next request.
constexpr size_t kKeptOutput = size_t{4} << 10;

// A body that was longer than this so far goes on for a while.
constexpr size_t kLongBody = size_t{128} << 10;

struct Interrupter {
  DirectConnection* connection;
  void operator()() const { connection->Interrupt(); }
};

// Head of the request, and its body where that is small. The view is one of `buffer`.
std::string_view Pack(const HttpRequest& request, const CurlEndpoint& endpoint, bool accept_gzip, std::string& buffer) {
  const std::string& prefix = endpoint.server.prefix;
  const bool small = request.body.size() <= kSmallBody;
  // As much as it can become: 160 is more than all the words below.
  size_t size = 160 + request.method.size() + prefix.size() + request.target.size() + endpoint.authority.size();
  for (const auto& [name, value] : request.headers) size += name.size() + value.size() + 4;
  if (small) size += request.body.size();
  if (buffer.size() < size) buffer.resize(size);
  char* at = buffer.data();
  const auto put = [&at](std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    at += text.size();
  };
  put(request.method);
  put(" ");
  put(prefix);
  put(request.target);
  put(" HTTP/1.1\r\n");
  bool has_host = false;
  for (const auto& [name, value] : request.headers) {
    // How the body is framed is decided here.
    if (EqualsIgnoringCase(name, "Content-Length") || EqualsIgnoringCase(name, "Transfer-Encoding")) continue;
    if (EqualsIgnoringCase(name, "Host")) has_host = true;
    if (EqualsIgnoringCase(name, "Accept-Encoding")) accept_gzip = false;
    put(name);
    put(": ");
    put(value);
    put("\r\n");
  }
  if (!has_host) {
    put("Host: ");
    put(endpoint.authority);
    put("\r\n");
  }
  if (accept_gzip) put("Accept-Encoding: gzip\r\n");
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH") {
    put("Content-Length: ");
    at = std::to_chars(at, at + 20, request.body.size()).ptr;
    put("\r\n");
  }
  put("\r\n");
  if (small) put(request.body);
  return {buffer.data(), static_cast<size_t>(at - buffer.data())};
}

class DirectBody final : public BodyStream {
 public:
  DirectBody(std::shared_ptr<DirectPool> pool, CallScope scope) : pool_(std::move(pool)), scope_(std::move(scope)) {}
  ~DirectBody() override {
    // What has come already is thrown away rather than the connection.
    if (connection_ != nullptr && !unpacker_active_ && !at_end_ && !error_) SkipToEnd();
    Release();
  }

  Result<void> Start(const HttpRequest& request);
  int status() const { return parser_->status(); }
  Headers TakeHeaders() { return std::move(parser_->headers()); }

  Result<std::string_view> Next() override;
  bool GaveAll() const override { return !unpacker_active_ && (at_end_ || parser_->is_done()); }

 private:
  enum class Reading { kMore, kEnd };

  Result<void> Attempt(const HttpRequest& request);
  Result<void> SendAll(std::string_view bytes);
  Result<void> ReadHeaders(bool to_head_request);
  // Waits for more of the answer. kEnd: the connection ended in order.
  Result<Reading> ReadMore();
  Result<std::string_view> NextPacked();
  Result<std::string_view> NextUnpacked();
  void SkipToEnd();

  Error Lost(CURLcode code, const std::string& text) const {
    return ToError({.code = code, .text = text, .sent = sent_, .answered = answered_}, pool_->endpoint());
  }
  Error LostConnection() const { return Lost(CURLE_RECV_ERROR, connection_->failure()); }
  Error Ended(WaitOutcome outcome) const {
    if (outcome == WaitOutcome::kStopped && !scope_.stop.StopRequested()) {
      return Error::Cancelled("the transport was closed");
    }
    return ScopeEnded(scope_, pool_->url(), sent_);
  }
  Result<std::string_view> Fail(Error error) {
    error_ = error;
    reusable_ = false;
    Release();
    return error;
  }
  void Release() {
    interrupter_.reset();
    if (connection_ == nullptr) return;
    reusable_ = reusable_ && at_end_ && !connection_->interrupted();
    connection_->ShrinkInput();
    pool_->Give(std::move(connection_), reusable_);
  }

  const std::shared_ptr<DirectPool> pool_;
  const CallScope scope_;
  std::unique_ptr<DirectConnection> connection_;
  std::optional<StopCallback<Interrupter>> interrupter_;  // while there is a connection
  std::optional<Http1ResponseParser> parser_;
  bool sent_ = false;             // the request may have reached the server
  bool early_ = false;            // the server has answered, or gone, before it had the whole request
  bool heard_ = false;            // a byte of the answer has come
  bool answered_ = false;         // status and headers have come
  bool reusable_ = true;          // as far as we are concerned
  bool at_end_ = false;           // of the answer
  bool stale_read_ = true;        // the socket has nothing that we know of: wait before reading
  bool waited_for_much_ = false;  // and nothing came: wait for anything now
  size_t body_bytes_ = 0;         // of the body so far
  size_t given_ = 0;              // bytes of the connection's buffer that Next gave and that are not consumed yet
  bool unpacker_active_ = false;
  std::string_view packed_;  // what came and was not unpacked
  std::optional<Error> error_;
};

Result<void> DirectBody::Start(const HttpRequest& request) {
  DirectPool::Want want = request.streaming ? DirectPool::Want::kStream : DirectPool::Want::kAny;
  while (true) {
    KEELSON_TRY(connection, pool_->Take(scope_, want));
    connection_ = std::move(connection);
    if (scope_.stop.StopPossible()) interrupter_.emplace(scope_.stop, Interrupter{connection_.get()});
    sent_ = heard_ = early_ = answered_ = at_end_ = false;
    reusable_ = stale_read_ = true;
    Result<void> done = Attempt(request);
    if (done) return done;
    const bool kept = connection_->used;
    const bool ended = done.error().code() != ErrorCode::kUnavailable;
    reusable_ = false;
    Release();
    // The server closes connections that were idle for long, perhaps just now.
    if (kept && !heard_ && !ended && (!sent_ || CanBeRepeated(request.method))) {
      want = DirectPool::Want::kNew;
      continue;
    }
    return done;
  }
}

Result<void> DirectBody::Attempt(const HttpRequest& request) {
  const bool accept_gzip = !pool_->options().disable_compression && !connection_->loopback;
  KEELSON_RETURN_IF_ERROR(SendAll(Pack(request, pool_->endpoint(), accept_gzip, connection_->output)));
  if (connection_->output.size() > kKeptOutput) connection_->output = {};
  if (request.body.size() > kSmallBody) KEELSON_RETURN_IF_ERROR(SendAll(request.body));
  return ReadHeaders(request.method == "HEAD");
}

Result<void> DirectBody::SendAll(std::string_view bytes) {
  if (early_) return {};
  const uint64_t before = sent_ ? 0 : connection_->written();
  while (true) {
    const IoStatus status = connection_->Write(bytes);
    if (status == IoStatus::kDone) {
      sent_ = true;
      return {};
    }
    sent_ = sent_ || connection_->written() != before;
    if (status != IoStatus::kWantWrite && status != IoStatus::kWantRead) {
      if (connection_->interrupted()) return Ended(WaitOutcome::kStopped);
      if (!sent_) return Lost(CURLE_SEND_ERROR, connection_->failure());
      early_ = true;  // an answer may have come before the connection was closed to us
      return {};
    }
    const WaitOutcome outcome = connection_->Wait(POLLIN | POLLOUT, scope_);
    if (outcome != WaitOutcome::kReady) return Ended(outcome);
    switch (connection_->Fill()) {
      case IoStatus::kWantRead:
      case IoStatus::kWantWrite: break;
      default:
        early_ = true;
        stale_read_ = false;
        return {};
    }
  }
}

Result<DirectBody::Reading> DirectBody::ReadMore() {
  while (true) {
    bool wait = false;
    if (stale_read_) {
      const bool for_much = body_bytes_ >= kLongBody && !waited_for_much_ && !connection_->streaming;
      wait = !for_much && connection_->CanWaitInFill(scope_.deadline);
      if (!wait) {
        const WaitOutcome outcome = for_much ? connection_->WaitForMuch(scope_) : connection_->Wait(POLLIN, scope_);
        if (outcome != WaitOutcome::kReady) return Ended(outcome);
      }
      waited_for_much_ = for_much;
      stale_read_ = false;
    }
    const IoStatus status = wait ? connection_->WaitAndFill(scope_.deadline) : connection_->Fill();
    if (wait && (connection_->interrupted() || scope_.stop.StopRequested())) return Ended(WaitOutcome::kStopped);
    switch (status) {
      case IoStatus::kDone:
        heard_ = true;
        waited_for_much_ = false;
        stale_read_ = connection_->IsDrained();
        return Reading::kMore;
      case IoStatus::kEnd: return Reading::kEnd;
      case IoStatus::kWantRead: stale_read_ = true; break;
      case IoStatus::kWantWrite: {
        const WaitOutcome outcome = connection_->Wait(POLLOUT, scope_);
        if (outcome != WaitOutcome::kReady) return Ended(outcome);
        break;
      }
      case IoStatus::kFailed:
        if (connection_->interrupted()) return Ended(WaitOutcome::kStopped);
        return LostConnection();
    }
  }
}

Result<void> DirectBody::ReadHeaders(bool to_head_request) {
  parser_.emplace(to_head_request, kMaxHeaderBytes);
  for (int interim = 0;;) {
    std::string_view input = connection_->unread();
    heard_ = heard_ || !input.empty();
    const size_t before = input.size();
    const ParseStep step = parser_->Parse(input);
    connection_->Consume(before - input.size());
    switch (step) {
      case ParseStep::kHeaders:
        if (status() < 200 && status() != 101) {
          if (++interim > kMaxInterimAnswers) return Lost(CURLE_WEIRD_SERVER_REPLY, "too many interim answers");
          parser_.emplace(to_head_request, kMaxHeaderBytes);
          continue;
        }
        answered_ = true;
        reusable_ = !early_ && parser_->keep_alive() && status() != 101;
        if (parser_->is_done()) at_end_ = true;
        if (const std::string_view* encoding = parser_->headers().Find("Content-Encoding");
            encoding != nullptr && EqualsIgnoringCase(*encoding, "gzip") && !pool_->options().disable_compression &&
            !to_head_request) {
          // As the body is delivered, which is unpacked.
          parser_->headers().Remove("Content-Encoding");
          parser_->headers().Remove("Content-Length");
          unpacker_active_ = true;
          connection_->inflater().Reset();
        }
        return {};
      case ParseStep::kMalformed: return Lost(CURLE_WEIRD_SERVER_REPLY, parser_->problem());
      default: break;
    }
    KEELSON_TRY(reading, ReadMore());
    if (reading == Reading::kEnd) {
      if (connection_->interrupted()) return Ended(WaitOutcome::kStopped);
      return Lost(CURLE_GOT_NOTHING, heard_ ? "in the middle of its headers" : "");
    }
  }
}

// The next piece as it came.
Result<std::string_view> DirectBody::NextPacked() {
  connection_->Consume(std::exchange(given_, 0));
  while (!at_end_) {
    std::string_view input = connection_->unread();
    const size_t before = input.size();
    const ParseStep step = parser_->Parse(input);
    const size_t used = before - input.size();
    if (step == ParseStep::kBody) {
      given_ = used;
      body_bytes_ += used;
      return parser_->body();
    }
    connection_->Consume(used);
    if (step == ParseStep::kDone) {
      at_end_ = true;
      break;
    }
    if (step == ParseStep::kMalformed) return Lost(CURLE_WEIRD_SERVER_REPLY, parser_->problem());
    KEELSON_TRY(reading, ReadMore());
    if (reading == Reading::kMore) continue;
    if (connection_->interrupted()) return Ended(WaitOutcome::kStopped);
    if (!parser_->AtEnd()) return Lost(CURLE_PARTIAL_FILE, "");
    at_end_ = true;
    reusable_ = false;
  }
  return std::string_view();
}

Result<std::string_view> DirectBody::NextUnpacked() {
  GzipInflater& inflater = connection_->inflater();
  while (true) {
    Result<std::string_view> unpacked = inflater.Next(packed_);
    if (!unpacked) return Lost(CURLE_BAD_CONTENT_ENCODING, unpacked.error().message());
    if (!unpacked->empty()) return unpacked;
    KEELSON_TRY(more, NextPacked());
    packed_ = more;
    if (!more.empty()) continue;
    // No body at all counts as an empty one.
    if (!inflater.complete() && body_bytes_ != 0) {
      return Lost(CURLE_BAD_CONTENT_ENCODING, "the packed body ends too early");
    }
    return std::string_view();
  }
}

Result<std::string_view> DirectBody::Next() {
  if (error_) return *error_;
  if (connection_ == nullptr) return std::string_view();
  if (scope_.stop.StopRequested()) return Fail(Ended(WaitOutcome::kStopped));
  Result<std::string_view> next = unpacker_active_ ? NextUnpacked() : NextPacked();
  if (!next) return Fail(std::move(next).error());
  if (next->empty()) Release();
  return next;
}

void DirectBody::SkipToEnd() {
  connection_->Consume(std::exchange(given_, 0));
  std::string_view input = connection_->unread();
  const size_t before = input.size();
  ParseStep step = ParseStep::kBody;
  while (step == ParseStep::kBody) step = parser_->Parse(input);
  connection_->Consume(before - input.size());
  at_end_ = step == ParseStep::kDone;
}

}  // namespace

Result<HttpResponse> SendDirectly(std::shared_ptr<DirectPool> pool, const HttpRequest& request,
                                  const CallScope& scope) {
  auto body = std::make_unique<DirectBody>(std::move(pool), scope);
  KEELSON_RETURN_IF_ERROR(body->Start(request));
  HttpResponse response{.status = body->status(), .headers = body->TakeHeaders()};
  response.body = std::move(body);
  return response;
}

}  // namespace keelson::internal
