#include "keelson/transport/internal/http1_response_parser.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "keelson/core/ascii.h"
#include "keelson/transport/internal/header_text.h"

namespace keelson::internal {

namespace {

constexpr std::string_view kStart = "HTTP/1.";
constexpr std::string_view kLineEnd = "\r\n";

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// The next element of a comma-separated list.
std::string_view TakeElement(std::string_view& list) {
  const size_t comma = std::min(list.find(','), list.size());
  const std::string_view element = TrimBlanks(list.substr(0, comma));
  list.remove_prefix(std::min(comma + 1, list.size()));
  return element;
}

bool ParseDecimal(std::string_view digits, uint64_t& value) {
  value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (std::numeric_limits<uint64_t>::max() - digit) / 10) return false;
    value = value * 10 + digit;
  }
  return !digits.empty();
}

bool IsField(std::string_view line) {
  const size_t name_size = TokenSize(line);
  return name_size != 0 && name_size < line.size() && line[name_size] == ':' && !HasControl(line.substr(name_size));
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = AsciiLower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

ParseStep Http1ResponseParser::Malformed(std::string problem) {
  problem_ = std::move(problem);
  return ParseStep::kMalformed;
}

ParseStep Http1ResponseParser::Parse(std::string_view& input) {
  while (true) {
    if (state_ == State::kDone) return ParseStep::kDone;
    if (input.empty()) return ParseStep::kNeedMore;
    ParseStep step = ParseStep::kBody;
    switch (state_) {
      case State::kHead: return ParseHead(input);
      case State::kLength: return GiveBody(input, State::kDone);
      case State::kChunk: return GiveBody(input, State::kChunkEnd);
      case State::kUntilEnd: body_ = std::exchange(input, {}); return ParseStep::kBody;
      case State::kChunkEnd:
        if (input.size() < 2) return ParseStep::kNeedMore;
        if (!input.starts_with("\r\n")) return Malformed("a chunk of its body is longer than announced");
        input.remove_prefix(2);
        state_ = State::kChunkSize;
        break;
      case State::kChunkSize: step = ParseChunkSize(input); break;
      case State::kTrailers: step = ParseTrailer(input); break;
      case State::kDone: break;
    }
    // These two have nothing to give.
    if (step != ParseStep::kBody) return step;
  }
}

bool Http1ResponseParser::AtEnd() {
  if (state_ == State::kUntilEnd) state_ = State::kDone;
  return state_ == State::kDone;
}

ParseStep Http1ResponseParser::ParseHead(std::string_view& input) {
  const size_t start = std::min(input.size(), kStart.size());
  if (looked_at_ < kStart.size() && input.substr(0, start) != kStart.substr(0, start)) {
    return Malformed("what came does not begin with HTTP/1");
  }
  const size_t end = EndOfHead(input, looked_at_);
  if (end == 0) {
    looked_at_ = input.size();
    if (looked_at_ > max_header_bytes_) return Malformed("its headers are too long");
    return ParseStep::kNeedMore;
  }
  if (end > max_header_bytes_) return Malformed("its headers are too long");
  const std::string_view head = input.substr(0, end - 2);  // without the empty line
  const size_t first = head.find("\r\n");
  if (!ParseStatusLine(head.substr(0, first))) return Malformed("its status line is malformed");
  if (!ParseFields(head.substr(first + 2))) return Malformed("its headers are malformed");
  if (!DecideFraming()) return Malformed("its headers contradict each other about its length");
  input.remove_prefix(end);
  looked_at_ = 0;
  return ParseStep::kHeaders;
}

// "HTTP/1.1 200 OK"; the reason may be missing, and the blank before it too.
bool Http1ResponseParser::ParseStatusLine(std::string_view line) {
  line.remove_prefix(kStart.size());
  if (line.size() < 5 || line[0] < '0' || line[0] > '9' || line[1] != ' ') return false;
  minor_version_ = line[0] - '0';
  status_ = 0;
  for (const char c : line.substr(2, 3)) {
    if (c < '0' || c > '9') return false;
    status_ = status_ * 10 + (c - '0');
  }
  line.remove_prefix(5);
  return line.empty() || (line[0] == ' ' && !HasControl(line));
}

// Each line is a name, a colon and a value, which ends at the first character that cannot be in one.
bool Http1ResponseParser::ParseFields(std::string_view lines) {
  headers_.Keep(lines);
  headers_.Reserve(12, 0);
  for (size_t at = 0; at < lines.size();) {
    const size_t name_size = TokenSize(lines.substr(at));
    const size_t begin = at + name_size + 1;
    if (name_size == 0 || begin > lines.size() || lines[begin - 1] != ':') return false;
    size_t end = begin + ValueSize(lines.substr(begin));
    if (lines.substr(end, 2) != kLineEnd) return false;
    size_t next = end + kLineEnd.size();
    if (next == lines.size() || !IsBlank(lines[next])) [[likely]] {
      const std::string_view value = TrimBlanks(lines.substr(begin, end - begin));
      headers_.AddKept(at, name_size, static_cast<size_t>(value.data() - lines.data()), value.size());
      at = next;
      continue;
    }
    // A value goes on in lines that begin with a blank.
    std::string joined(lines.substr(begin, end - begin));
    while (next < lines.size() && IsBlank(lines[next])) {
      end = next + ValueSize(lines.substr(next));
      if (lines.substr(end, 2) != kLineEnd) return false;
      joined.append(" ").append(TrimBlanks(lines.substr(next, end - next)));
      next = end + kLineEnd.size();
    }
    headers_.Add(lines.substr(at, name_size), TrimBlanks(joined));
    at = next;
  }
  return true;
}

bool Http1ResponseParser::TakeContentLength(std::string_view value) {
  do {
    uint64_t length = 0;
    if (!ParseDecimal(TakeElement(value), length)) return false;
    if (has_length_ && length != left_) return false;
    has_length_ = true;
    left_ = length;
  } while (!value.empty());
  return true;
}

bool Http1ResponseParser::DecideFraming() {
  bool chunked = false;
  bool close = false;
  bool keep = minor_version_ >= 1;
  for (const auto& [name, value] : headers_) {
    switch (name.size()) {
      case std::string_view("Connection").size():
        if (!IsName(name, "Connection")) break;
        for (std::string_view list = value; !list.empty();) {
          const std::string_view element = TakeElement(list);
          close = close || EqualsIgnoringCase(element, "close");
          keep = keep || EqualsIgnoringCase(element, "keep-alive");
        }
        break;
      case std::string_view("Content-Length").size():
        if (IsName(name, "Content-Length") && !TakeContentLength(value)) return false;
        break;
      case std::string_view("Transfer-Encoding").size():
        if (!IsName(name, "Transfer-Encoding")) break;
        // No other was asked for.
        if (chunked || !EqualsIgnoringCase(value, "chunked")) return false;
        chunked = true;
        break;
      default: break;
    }
  }
  if (chunked && has_length_) return false;
  keep_alive_ = keep && !close;
  if (to_head_request_ || status_ / 100 == 1 || status_ == 204 || status_ == 304) {
    state_ = State::kDone;
  } else if (chunked) {
    state_ = State::kChunkSize;
  } else if (has_length_) {
    state_ = left_ == 0 ? State::kDone : State::kLength;
  } else {
    state_ = State::kUntilEnd;
    keep_alive_ = false;
  }
  return true;
}

ParseStep Http1ResponseParser::GiveBody(std::string_view& input, State next) {
  const size_t size = static_cast<size_t>(std::min<uint64_t>(left_, input.size()));
  body_ = input.substr(0, size);
  input.remove_prefix(size);
  left_ -= size;
  if (left_ == 0) state_ = next;
  return ParseStep::kBody;
}

Http1ResponseParser::LineOutcome Http1ResponseParser::TakeLine(std::string_view& input, std::string_view& line) {
  const size_t end = input.find('\n', looked_at_);
  if (end == std::string_view::npos) {
    looked_at_ = input.size();
    return looked_at_ > max_header_bytes_ ? LineOutcome::kMalformed : LineOutcome::kPartial;
  }
  if (end == 0 || end > max_header_bytes_ || input[end - 1] != '\r') return LineOutcome::kMalformed;
  line = input.substr(0, end - 1);
  input.remove_prefix(end + 1);
  looked_at_ = 0;
  return LineOutcome::kWhole;
}

// "1a" or "1a;name=value": the length of a chunk, and extensions that mean nothing here.
ParseStep Http1ResponseParser::ParseChunkSize(std::string_view& input) {
  std::string_view line;
  switch (TakeLine(input, line)) {
    case LineOutcome::kPartial: return ParseStep::kNeedMore;
    case LineOutcome::kMalformed: return Malformed("the line before a chunk of its body is malformed");
    case LineOutcome::kWhole: break;
  }
  uint64_t size = 0;
  size_t digits = 0;
  for (; digits < line.size() && HexDigit(line[digits]) >= 0; ++digits) {
    if (size >> 60 != 0) return Malformed("a chunk of its body is too long");
    size = size << 4 | static_cast<uint64_t>(HexDigit(line[digits]));
  }
  const std::string_view rest = TrimBlanks(line.substr(digits));
  if (digits == 0 || (!rest.empty() && rest.front() != ';') || HasControl(rest)) {
    return Malformed("the line before a chunk of its body is malformed");
  }
  left_ = size;
  state_ = size == 0 ? State::kTrailers : State::kChunk;
  return ParseStep::kBody;
}

ParseStep Http1ResponseParser::ParseTrailer(std::string_view& input) {
  std::string_view line;
  switch (TakeLine(input, line)) {
    case LineOutcome::kPartial: return ParseStep::kNeedMore;
    case LineOutcome::kMalformed: return Malformed("its trailers are malformed");
    case LineOutcome::kWhole: break;
  }
  trailer_bytes_ += line.size() + 2;
  if (line.empty()) {
    state_ = State::kDone;
  } else if (trailer_bytes_ > max_header_bytes_ || !IsField(line)) {
    return Malformed("its trailers are malformed");
  }
  return ParseStep::kBody;
}

}  // namespace keelson::internal
