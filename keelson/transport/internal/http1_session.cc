// HTTP/1.1 and 1.0: one request at a time, those sent ahead wait in a bounded buffer.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "keelson/core/ascii.h"
#include "keelson/core/clock.h"
#include "keelson/transport/internal/http1_parser.h"
#include "keelson/transport/internal/http_session.h"

namespace keelson::internal {

namespace {

namespace http = boost::beast::http;

constexpr size_t kReadAhead = 16 << 10;
// What is left of a chunked body is at least "0\r\n\r\n", and Beast asserts that it is given no less.
constexpr size_t kLeastOfChunks = 5;

class Http1Session final : public HttpSession {
 public:
  Http1Session(SessionHost& host, TimePoint opened) : host_(host), options_(host.options()) {
    StartTimer(SaturatingAdd(opened, options_.header_timeout));
  }

  void Receive(std::string_view bytes) override {
    if (phase_ == Phase::kHead && input_.empty() && !first_) {
      StartTimer(SaturatingAdd(Clock::Now(), options_.header_timeout));
    }
    input_.append(bytes);
  }

  void EndInput() override {
    input_ended_ = true;
    if (phase_ == Phase::kAnswer) {
      // It may have closed its side only, so what can be answered is.
      if (exchange_ != nullptr) exchange_->TellClosed();
    }
  }

  void AnswerChanged(Exchange&) override {}

  void Advance() override {
    while (phase_ != Phase::kDone && host_.output().size() < kOutputBound) {
      if (phase_ == Phase::kAnswer ? !AdvanceAnswer() : !Parse()) return;
    }
  }

  void Expire(TimePoint now) override {
    if (phase_ == Phase::kDone || phase_ == Phase::kAnswer || deadline_ > now) {
      if (phase_ == Phase::kHead || phase_ == Phase::kBody) host_.Schedule(deadline_);
      return;
    }
    if (phase_ == Phase::kHead && input_.empty()) {
      phase_ = Phase::kDone;  // idle: no answer that might be taken for one to the next request
    } else {
      Refuse(408, phase_ == Phase::kHead ? "the header did not arrive in time" : "the body did not arrive in time");
    }
  }

  void Drain() override {
    draining_ = true;
    if (phase_ == Phase::kHead) phase_ = Phase::kDone;
    if (phase_ == Phase::kAnswer) TellStreamToEnd();
  }

  void Abandon() override {
    phase_ = Phase::kDone;
    if (const std::shared_ptr<Exchange> exchange = std::exchange(exchange_, nullptr)) exchange->Cut();
  }

  bool wants_input() const override {
    if (input_ended_ || phase_ == Phase::kDone) return false;
    return phase_ == Phase::kAnswer ? input_.size() < kReadAhead : host_.output().size() < kOutputBound;
  }
  bool done() const override { return phase_ == Phase::kDone; }

 private:
  enum class Phase { kHead, kBody, kAnswer, kDone };
  // How the client knows where the answer's body ends.
  enum class Framing { kNone, kLength, kChunked, kClose };

  void StartTimer(TimePoint deadline) {
    deadline_ = deadline;
    host_.Schedule(deadline);
  }

  // An answer of our own, after which the connection ends.
  void Refuse(int status, std::string_view message) {
    std::string text(message);
    text += '\n';
    std::string head = "HTTP/1.1 " + std::to_string(status) + ' ';
    head += ReasonPhrase(status);
    head += "\r\nDate: " + HttpDate() +
            "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + std::to_string(text.size()) +
            "\r\nConnection: close\r\n\r\n";
    host_.output().Append(head);
    if (!is_head_) host_.output().Append(text);
    phase_ = Phase::kDone;
  }

  // False when it takes more bytes.
  bool Parse() {
    if (!parser_) {
      while (input_.starts_with("\r\n")) input_.erase(0, 2);  // some clients end a body so
      if (input_.empty() || input_ == "\r") {
        if (input_ended_) phase_ = Phase::kDone;
        return false;
      }
      is_head_ = false;
      parser_.emplace(options_.max_header_bytes, options_.max_body_bytes);
    }
    const bool in_chunks = phase_ == Phase::kBody && parser_->chunked();
    if (input_.size() >= (in_chunks ? kLeastOfChunks : 1)) {
      boost::beast::error_code error;
      const size_t used = parser_->put(boost::asio::buffer(input_), error);
      input_.erase(0, used);
      if (error && error != http::error::need_more) {
        RefuseMalformed(error);
        return false;
      }
    }
    if (phase_ == Phase::kHead && parser_->is_header_done()) {
      phase_ = Phase::kBody;
      if (!AcceptHead()) return false;
    }
    if (!parser_->is_done()) {
      if (input_ended_) {
        Refuse(400, "the request broke off");
      } else if (input_.size() > options_.max_header_bytes) {
        Refuse(400, "a line of the request is too long");
      }
      return false;
    }
    StartRequest();
    return true;
  }

  void RefuseMalformed(const boost::beast::error_code& error) {
    if (error == http::error::header_limit) {
      Refuse(431,
             "the request's header is larger than the " + std::to_string(options_.max_header_bytes) + " bytes allowed");
    } else if (error == http::error::body_limit) {
      RefuseBody();
    } else if (error == http::error::bad_version) {
      Refuse(505, "only HTTP/1.0, HTTP/1.1 and HTTP/2 are spoken here");
    } else {
      Refuse(400, "malformed request: " + error.message());
    }
  }

  void RefuseBody() {
    Refuse(413, "the request's body is larger than the " + std::to_string(options_.max_body_bytes) + " bytes allowed");
  }

  // The header is whole. False when the request is refused for it.
  bool AcceptHead() {
    ServerRequest& request = parser_->request();
    is_head_ = request.method == "HEAD";
    http10_ = parser_->version() < 11;
    if (!SplitTarget(parser_->target(), request.method, request.path, request.query)) {
      Refuse(400, "malformed request: expected a path that begins with /");
      return false;
    }
    const size_t hosts = request.headers.All("Host").size();
    if (hosts > 1 || (hosts == 0 && !http10_)) {
      Refuse(400, "malformed request: expected one Host header");
      return false;
    }
    // Anything else and we might not see the same end of the body as a proxy before us.
    for (const std::string_view encoding : request.headers.All("Transfer-Encoding")) {
      if (http10_ || !EqualsIgnoringCase(encoding, "chunked")) {
        Refuse(501, "Transfer-Encoding other than chunked is not served here");
        return false;
      }
    }
    if (!parser_->is_done()) StartTimer(SaturatingAdd(Clock::Now(), options_.body_timeout));
    if (const std::string_view* expect = request.headers.Find("Expect"); expect != nullptr && !http10_) {
      if (!EqualsIgnoringCase(*expect, "100-continue")) {
        Refuse(417, "only Expect: 100-continue is served here");
        return false;
      }
      if (!parser_->is_done() && input_.empty()) host_.output().Append("HTTP/1.1 100 Continue\r\n\r\n");
    }
    return true;
  }

  void StartRequest() {
    ServerRequest request = std::move(parser_->request());
    keep_alive_ = parser_->keep_alive();
    parser_.reset();
    first_ = false;
    phase_ = Phase::kAnswer;
    head_sent_ = false;
    request.peer = host_.peer();
    exchange_ = std::make_shared<Exchange>(host_.owner(), 0, is_head_);
    RunHandler(host_, std::move(request), exchange_, nullptr);
    if (input_ended_) exchange_->TellClosed();
  }

  // False when it takes more from the handler.
  bool AdvanceAnswer() {
    const Exchange::State state = exchange_->state();
    if (!head_sent_) {
      if (!state.started) {
        if (state.broken) BreakOff();
        return false;
      }
      SendHead(state);
      if (draining_ && !state.finished) TellStreamToEnd();
    }
    const size_t part = std::min(state.available, kOutputBound - std::min(kOutputBound, host_.output().size()));
    if (part > 0 && framing_ != Framing::kNone) SendBody(part);
    if (phase_ != Phase::kAnswer || part < state.available) return false;
    if (state.finished) {
      // All of it was taken: Finish came after its last byte.
      FinishAnswer();
      return true;
    }
    if (state.broken) BreakOff();
    return false;
  }

  void TellStreamToEnd() {
    if (exchange_ != nullptr && head_sent_ && framing_ != Framing::kLength) exchange_->TellClosed();
  }

  void SendHead(const Exchange::State& state) {
    auto [status, headers] = exchange_->TakeHead();
    std::string head = "HTTP/1.1 " + std::to_string(status) + ' ';
    head += ReasonPhrase(status);
    head += "\r\n";
    bool has_date = false;
    for (const auto& [name, value] : headers) {
      if (!IsToken(name) || EqualsIgnoringCase(name, "Content-Length") ||
          EqualsIgnoringCase(name, "Transfer-Encoding") || EqualsIgnoringCase(name, "Keep-Alive")) {
        continue;
      }
      if (EqualsIgnoringCase(name, "Connection")) {
        if (EqualsIgnoringCase(value, "close")) keep_alive_ = false;
        continue;
      }
      has_date |= EqualsIgnoringCase(name, "Date");
      head.append(name).append(": ").append(SafeFieldValue(value)).append("\r\n");
    }
    if (!has_date) head += "Date: " + HttpDate() + "\r\n";

    uint64_t length = 0;
    bool has_length = FindContentLength(headers, length);
    if (!has_length && state.finished && !state.no_body) {
      has_length = true;
      length = state.available;
    }
    if (state.no_body) {
      framing_ = Framing::kNone;
      if (has_length && status != 204 && status >= 200) {
        head += "Content-Length: " + std::to_string(length) + "\r\n";
      }
    } else if (has_length) {
      framing_ = Framing::kLength;
      length_left_ = length;
      head += "Content-Length: " + std::to_string(length) + "\r\n";
    } else if (!http10_) {
      framing_ = Framing::kChunked;
      head += "Transfer-Encoding: chunked\r\n";
    } else {
      framing_ = Framing::kClose;
      keep_alive_ = false;
    }
    if (draining_) keep_alive_ = false;
    if (!keep_alive_) {
      head += "Connection: close\r\n";
    } else if (http10_) {
      head += "Connection: keep-alive\r\n";
    }
    head += "\r\n";
    host_.output().Append(head, exchange_);
    head_sent_ = true;
  }

  void SendBody(size_t available) {
    OutputQueue& output = host_.output();
    switch (framing_) {
      case Framing::kNone: return;
      case Framing::kClose: return exchange_->Take(available, output);
      case Framing::kLength: {
        const size_t size = std::min<uint64_t>(available, length_left_);
        exchange_->Take(size, output);
        length_left_ -= size;
        if (size < available) BreakOff();  // the handler wrote more than it had promised
        return;
      }
      case Framing::kChunked: {
        std::array<char, 20> text;
        char* end = std::to_chars(text.data(), text.data() + 16, available, 16).ptr;
        *end++ = '\r';
        *end++ = '\n';
        output.Append({text.data(), end}, exchange_);
        exchange_->Take(available, output);
        output.Append("\r\n", exchange_);
        return;
      }
    }
  }

  void FinishAnswer() {
    if (framing_ == Framing::kLength && length_left_ > 0) return BreakOff();  // less than promised
    if (framing_ == Framing::kChunked) host_.output().Append("0\r\n\r\n", exchange_);
    exchange_ = nullptr;
    if (!keep_alive_ || draining_ || (input_ended_ && input_.empty())) {
      phase_ = Phase::kDone;
      return;
    }
    phase_ = Phase::kHead;
    const TimePoint now = Clock::Now();
    StartTimer(SaturatingAdd(now, input_.empty() ? options_.idle_timeout : options_.header_timeout));
  }

  // What was written goes out, and the missing end tells the client.
  void BreakOff() { Abandon(); }

  SessionHost& host_;
  const HttpServerOptions& options_;

  Phase phase_ = Phase::kHead;
  std::string input_;  // not yet parsed
  bool input_ended_ = false;
  bool draining_ = false;
  bool first_ = true;  // no request was complete yet
  TimePoint deadline_;

  // Of the present request.
  std::optional<Http1Parser> parser_;
  bool is_head_ = false;
  bool http10_ = false;
  bool keep_alive_ = true;

  // Of its answer.
  std::shared_ptr<Exchange> exchange_;
  bool head_sent_ = false;
  Framing framing_ = Framing::kNone;
  uint64_t length_left_ = 0;
};

}  // namespace

std::unique_ptr<HttpSession> MakeHttp1Session(SessionHost& host, TimePoint opened) {
  return std::make_unique<Http1Session>(host, opened);
}

}  // namespace keelson::internal
