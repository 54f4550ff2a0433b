// Beast's HTTP/1 parser for answers, a step at a time: the body is given as views of the input and is never gathered.
//
//   Http1ResponseParser parser(method == "HEAD", 64 << 10);
//   switch (parser.Parse(input)) { … }        // `input` loses what was used
//   parser.AtEnd()                            // the connection ended: was that the answer's end?
#pragma once

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include "keelson/transport/http_message.h"

namespace keelson::internal {

enum class ParseStep {
  kNeedMore,   // the rest of the input again, with more behind it
  kHeaders,    // status and headers are whole
  kBody,       // body() is the next piece, a view of the input
  kDone,       // the answer is whole; what is left of the input is not its
  kMalformed,  // see problem()
};

// For one answer, be it an interim one. Input of any kind is safe; headers are limited, the body is not.
class Http1ResponseParser final : public boost::beast::http::basic_parser<false> {
 public:
  Http1ResponseParser(bool to_head_request, size_t max_header_bytes) {
    header_limit(static_cast<uint32_t>(max_header_bytes));
    body_limit(boost::none);
    skip(to_head_request);
  }

  ParseStep Parse(std::string_view& input) {
    while (true) {
      if (is_done()) return ParseStep::kDone;
      if (input.empty()) return ParseStep::kNeedMore;
      const bool in_headers = !is_header_done();
      // Beast would wait for the end of the headers first.
      if (!begun_ && !MayBeHttp(input)) {
        problem_ = "what came does not begin with HTTP/1";
        return ParseStep::kMalformed;
      }
      body_ = {};
      ErrorCode error;
      input.remove_prefix(put(boost::asio::buffer(input.data(), input.size()), error));
      if (error == boost::beast::http::error::need_more) return ParseStep::kNeedMore;
      if (error) {
        problem_ = error.message();
        return ParseStep::kMalformed;
      }
      if (in_headers && is_header_done()) return ParseStep::kHeaders;
      if (!body_.empty()) return ParseStep::kBody;
    }
  }

  // The connection ended in order. True when the answer is whole by that.
  bool AtEnd() {
    if (is_done()) return true;
    if (!is_header_done()) return false;
    ErrorCode error;
    put_eof(error);
    return !error;
  }

  int status() const { return status_; }
  Headers& headers() { return headers_; }
  std::string_view body() const { return body_; }
  const std::string& problem() const { return problem_; }

 private:
  using ErrorCode = boost::beast::error_code;
  using View = boost::beast::string_view;

  bool MayBeHttp(std::string_view input) {
    constexpr std::string_view kStart = "HTTP/1.";
    const size_t size = std::min(input.size(), kStart.size());
    begun_ = size == kStart.size();
    return input.substr(0, size) == kStart.substr(0, size);
  }

  void on_request_impl(boost::beast::http::verb, View, View, int, ErrorCode&) override {}
  void on_response_impl(int status, View, int, ErrorCode&) override {
    status_ = status;
    headers_.Reserve(16);
  }
  void on_field_impl(boost::beast::http::field, View name, View value, ErrorCode&) override {
    if (in_trailers_) return;
    headers_.Add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
  void on_header_impl(ErrorCode&) override { in_trailers_ = true; }
  void on_body_init_impl(const boost::optional<uint64_t>&, ErrorCode&) override {}
  size_t on_body_impl(View bytes, ErrorCode&) override { return Give(bytes); }
  void on_chunk_header_impl(uint64_t, View, ErrorCode&) override {}
  size_t on_chunk_body_impl(uint64_t, View bytes, ErrorCode&) override { return Give(bytes); }
  void on_finish_impl(ErrorCode&) override {}

  size_t Give(View bytes) {
    body_ = {bytes.data(), bytes.size()};
    return bytes.size();
  }

  int status_ = 0;
  bool begun_ = false;
  bool in_trailers_ = false;
  Headers headers_;
  std::string_view body_;
  std::string problem_;
};

}  // namespace keelson::internal
