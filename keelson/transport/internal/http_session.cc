#include "keelson/transport/internal/http_session.h"

#include <charconv>
#include <ctime>
#include <exception>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/log.h"

namespace keelson::internal {

void RunHandler(SessionHost& host, ServerRequest request, const std::shared_ptr<Exchange>& exchange,
                std::shared_ptr<const void> alive) {
  exchange->BeginInline();
  try {
    host.handler().Handle(std::move(request), std::make_shared<ExchangeWriter>(exchange, std::move(alive)));
  } catch (const std::exception& thrown) {
    static const Logger log("http-server");
    log.Error(Error::Internal(thrown.what()), "The handler of a request threw; the client gets no answer");
  }
  exchange->EndInline();
}

bool SplitTarget(std::string_view target, std::string_view method, std::string& path, std::string& query) {
  if (target == "*" && method == "OPTIONS") {
    path = "*";
    return true;
  }
  if (!target.starts_with('/')) {
    size_t host = std::string_view::npos;
    if (target.starts_with("http://")) host = 7;
    if (target.starts_with("https://")) host = 8;
    if (host == std::string_view::npos) return false;
    const size_t slash = target.find('/', host);
    target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
  }
  if (const size_t fragment = target.find('#'); fragment != std::string_view::npos) return false;
  const size_t question = target.find('?');
  path = target.substr(0, question);
  if (question != std::string_view::npos) query = target.substr(question + 1);
  return true;
}

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return {};
  }
}

std::string HttpDate() {
  // Answers come by the thousand in a second.
  thread_local std::time_t cached_second = 0;
  thread_local std::string cached;
  const std::time_t second =
      std::chrono::duration_cast<std::chrono::seconds>(Clock::WallNow().time_since_epoch()).count();
  if (second != cached_second || cached.empty()) {
    std::tm parts = {};
    gmtime_r(&second, &parts);
    char text[64];
    const size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    cached.assign(text, size);
    cached_second = second;
  }
  return cached;
}

std::string SafeFieldValue(std::string_view value) {
  std::string safe(value);
  for (char& c : safe) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) c = ' ';
  }
  return safe;
}

bool IsToken(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  for (const char c : name) {
    const bool letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter_or_digit && kOthers.find(c) == std::string_view::npos) return false;
  }
  return !name.empty();
}

bool FindContentLength(const Headers& headers, uint64_t& length) {
  const std::string_view* text = headers.Find("Content-Length");
  if (text == nullptr) return false;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), length);
  return error == std::errc() && end == text->data() + text->size();
}

}  // namespace keelson::internal
