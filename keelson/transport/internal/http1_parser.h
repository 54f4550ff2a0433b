// Beast's HTTP/1 parser, filling a ServerRequest as it goes.
#pragma once

#include <boost/beast/http/basic_parser.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "keelson/transport/handler.h"

namespace keelson::internal {

// For one request. Fields count 32 bytes beyond their text, as HTTP/2 counts them, so that many small ones are no way
// around the limit.
class Http1Parser final : public boost::beast::http::basic_parser<true> {
 public:
  Http1Parser(size_t max_header_bytes, size_t max_body_bytes) : header_bytes_left_(max_header_bytes) {
    header_limit(static_cast<uint32_t>(max_header_bytes));
    body_limit(max_body_bytes);
    eager(true);
  }

  ServerRequest& request() { return request_; }
  const std::string& target() const { return target_; }
  int version() const { return version_; }  // 10, 11

 private:
  using ErrorCode = boost::beast::error_code;
  using View = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb, View method, View target, int version, ErrorCode&) override {
    version_ = version;
    request_.method.assign(method.data(), method.size());
    target_.assign(target.data(), target.size());
  }
  void on_response_impl(int, View, int, ErrorCode&) override {}
  void on_field_impl(boost::beast::http::field, View name, View value, ErrorCode& error) override {
    const size_t cost = name.size() + value.size() + 32;
    if (cost > header_bytes_left_) {
      error = boost::beast::http::error::header_limit;
      return;
    }
    header_bytes_left_ -= cost;
    if (in_trailers_) return;
    request_.headers.Add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
  void on_header_impl(ErrorCode&) override { in_trailers_ = true; }
  void on_body_init_impl(const boost::optional<uint64_t>& length, ErrorCode&) override {
    // No more than that on the word of a client that has sent nothing yet.
    if (length) request_.body.reserve(std::min<uint64_t>(*length, 64 << 10));
  }
  size_t on_body_impl(View bytes, ErrorCode&) override {
    request_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(uint64_t, View, ErrorCode&) override {}
  size_t on_chunk_body_impl(uint64_t, View bytes, ErrorCode&) override {
    request_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(ErrorCode&) override {}

  size_t header_bytes_left_;
  bool in_trailers_ = false;
  int version_ = 11;
  std::string target_;
  ServerRequest request_;
};

}  // namespace keelson::internal
