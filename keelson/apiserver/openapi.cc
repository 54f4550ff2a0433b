#include "keelson/apiserver/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "keelson/apiserver/answers.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

namespace {

using openapi::Document;
using openapi::DocumentPtr;
using openapi::Version;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProtobufV2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
constexpr std::string_view kProtobufV3 = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";
// Under this name, too: its "@" is no part of a media type by the book.
constexpr std::string_view kOldProtobufV2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view kOldProtobufV3 = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Without its first part up to `separator`, which is returned.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return Trimmed(taken);
}

struct Clause {
  std::string_view type;
  size_t place = 0;  // in the header
  double weight = 1;
};

std::vector<Clause> ClausesOf(const Headers& headers) {
  std::vector<Clause> clauses;
  for (std::string_view header : headers.All("Accept")) {
    while (!header.empty()) {
      std::string_view rest = TakeUntil(header, ',');
      Clause clause{.type = TakeUntil(rest, ';'), .place = clauses.size()};
      while (!rest.empty()) {
        const std::string_view parameter = TakeUntil(rest, ';');
        if (parameter.starts_with("q=")) clause.weight = std::strtod(std::string(parameter.substr(2)).c_str(), nullptr);
      }
      clauses.push_back(clause);
    }
  }
  if (clauses.empty()) clauses.push_back({.type = "*/*"});
  std::sort(clauses.begin(), clauses.end(), [](const Clause& a, const Clause& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.place < b.place;
  });
  return clauses;
}

// The content type of the answer, or nothing when none is acceptable.
std::optional<std::string_view> NegotiatedType(const Headers& headers, Version version) {
  const std::string_view protobuf = version == Version::kV2 ? kProtobufV2 : kProtobufV3;
  const std::string_view old_protobuf = version == Version::kV2 ? kOldProtobufV2 : kOldProtobufV3;
  for (const Clause& clause : ClausesOf(headers)) {
    if (clause.type == "*/*" || clause.type == "application/*" || clause.type == kJson) return kJson;
    if (clause.type == protobuf || clause.type == old_protobuf) return protobuf;
  }
  return std::nullopt;
}

// "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate(WallTime time) {
  const std::time_t seconds = WallTime::clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

void SendEmpty(Exchange& exchange, int status, Headers headers) {
  headers.Add("Content-Length", "0");
  exchange.sent_status = status;
  exchange.response->Start(status, std::move(headers));
  exchange.response->Finish();
}

bool IsKnown(const Exchange& exchange, const std::string& tag) {
  for (std::string_view header : exchange.request.headers.All("If-None-Match")) {
    while (!header.empty()) {
      std::string_view known = TakeUntil(header, ',');
      if (known.starts_with("W/")) known.remove_prefix(2);
      if (known == "*" || known == tag) return true;
    }
  }
  return false;
}

// A client that asks for the text of one hash gets that text, which it may keep
// for ever, or is sent to the newest.
void Send(Exchange& exchange, const Document& document, Version version, const std::string& path) {
  constexpr auto kKept = std::chrono::hours(24 * 365);
  Headers headers;
  if (version == Version::kV2) headers.Add("Vary", "Accept-Encoding");
  headers.Add("Vary", "Accept");
  const std::optional<std::string_view> type = NegotiatedType(exchange.request.headers, version);
  if (!type) {
    headers.Add("Cache-Control", "no-cache, private");
    return SendEmpty(exchange, 406, std::move(headers));
  }
  const std::string tag = fmt::format("\"{}\"", document.hash());
  headers.Add("ETag", tag);
  const std::string asked = version == Version::kV3 ? exchange.query.Text("hash") : std::string();
  if (!asked.empty() && asked != document.hash()) {
    headers.Add("Cache-Control", "no-cache, private");
    headers.Add("Content-Type", *type);
    headers.Add("Location", fmt::format("{}?hash={}", path, document.hash()));
    return SendEmpty(exchange, 301, std::move(headers));
  }
  if (asked.empty()) {
    headers.Add("Cache-Control", "no-cache, private");
  } else {
    headers.Add("Cache-Control", "public, immutable");
    headers.Add("Expires", HttpDate(Clock::WallNow() + kKept));
  }
  if (IsKnown(exchange, tag)) {
    exchange.sent_status = 304;
    exchange.response->Start(304, std::move(headers));
    return exchange.response->Finish();
  }
  headers.Add("Content-Type", *type);
  headers.Add("Last-Modified", HttpDate(document.made()));
  SendBody(exchange, 200, std::move(headers), (*type == kJson ? document.json() : document.protobuf()).str());
}

}  // namespace

bool OpenApi::Serve(Exchange& exchange) {
  constexpr std::string_view kV2 = "/openapi/v2";
  constexpr std::string_view kV3 = "/openapi/v3";
  const std::string& path = exchange.info.path;
  if (path == kV2) {
    Send(exchange, *documents_.V2(), Version::kV2, path);
    return true;
  }
  if (path == kV3) {
    // Upstream leaves the type to a guess from the text, and that is what the
    // guess comes to.
    SendText(exchange, 200, "text/plain; charset=utf-8", ToJson(documents_.IndexV3()));
    return true;
  }
  if (!path.starts_with(kV3) || path[kV3.size()] != '/') return false;
  const DocumentPtr document = documents_.FindV3(path.substr(kV3.size() + 1));
  if (document == nullptr) {
    SendEmpty(exchange, 404, Headers{{"Cache-Control", "no-cache, private"}});
    return true;
  }
  Send(exchange, *document, Version::kV3, path);
  return true;
}

}  // namespace keelson::apiserver
