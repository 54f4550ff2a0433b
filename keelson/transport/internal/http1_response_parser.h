// HTTP/1 answers, a step at a time: the body is given as views of the input and is never gathered.
//
//   Http1ResponseParser parser(method == "HEAD", 64 << 10);
//   switch (parser.Parse(input)) { … }        // `input` loses what was used
//   parser.AtEnd()                            // the connection ended: was that the answer's end?
#pragma once

#include <cstdint>
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

// For one answer, be it an interim one. Input of any kind is safe; headers, trailers and the lines between chunks are
// limited, the body is not. Lines end in CR LF. An answer whose length is told in two ways that differ is malformed.
class Http1ResponseParser {
 public:
  Http1ResponseParser(bool to_head_request, size_t max_header_bytes)
      : to_head_request_(to_head_request), max_header_bytes_(max_header_bytes) {}

  ParseStep Parse(std::string_view& input);

  // The connection ended in order. True when the answer is whole by that.
  bool AtEnd();

  // From kHeaders on:
  int status() const { return status_; }
  Headers& headers() { return headers_; }
  // Another answer can follow on the same connection.
  bool keep_alive() const { return keep_alive_; }
  bool is_done() const { return state_ == State::kDone; }

  std::string_view body() const { return body_; }
  const std::string& problem() const { return problem_; }

 private:
  enum class State : uint8_t { kHead, kLength, kUntilEnd, kChunkSize, kChunk, kChunkEnd, kTrailers, kDone };

  ParseStep Malformed(std::string problem);
  ParseStep ParseHead(std::string_view& input);
  bool ParseStatusLine(std::string_view line);
  bool ParseFields(std::string_view lines);
  bool DecideFraming();
  bool TakeContentLength(std::string_view value);
  ParseStep GiveBody(std::string_view& input, State next);
  ParseStep ParseChunkSize(std::string_view& input);
  ParseStep ParseTrailer(std::string_view& input);
  // A line without its end, when it has come whole.
  enum class LineOutcome : uint8_t { kWhole, kPartial, kMalformed };
  LineOutcome TakeLine(std::string_view& input, std::string_view& line);

  const bool to_head_request_;
  const size_t max_header_bytes_;
  State state_ = State::kHead;
  bool keep_alive_ = false;
  bool has_length_ = false;
  int status_ = 0;
  int minor_version_ = 0;
  size_t looked_at_ = 0;  // bytes at the front of the input that do not end what is looked for
  size_t trailer_bytes_ = 0;
  uint64_t left_ = 0;  // bytes of the body or chunk
  Headers headers_;
  std::string_view body_;
  std::string problem_;
};

}  // namespace keelson::internal
