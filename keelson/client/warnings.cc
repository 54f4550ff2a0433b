#include "keelson/client/warnings.h"

#include <utility>

#include "keelson/codec/json_scalars.h"
#include "keelson/core/log.h"

namespace keelson {

namespace {

constexpr size_t kMaxRemembered = 1000;
constexpr int kMiscellaneousPersistent = 299;

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

void SkipBlanks(std::string_view& text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
}

// UTF-8 without control characters, those of C1 included.
bool IsPrintable(std::string_view text) {
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x20 || first == 0x7f) return false;
    const size_t length = internal::ValidUtf8Length(text);
    if (length == 0) return false;
    if (first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Up to the next blank.
std::string_view TakeWord(std::string_view& text) {
  const size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

// The content of a quoted string, whose escapes are undone. False when there is none or it has no end.
bool TakeQuoted(std::string_view& text, std::string& out) {
  if (!text.starts_with('"')) return false;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
    if (text[i] == '\\' && ++i == text.size()) return false;
    out += text[i];
  }
  return false;
}

// One warning and the comma behind it; false when it is malformed.
bool TakeWarning(std::string_view& header, ServerWarning& warning) {
  SkipBlanks(header);
  const std::string_view code = TakeWord(header);
  if (code.size() != 3) return false;
  for (const char c : code) {
    if (c < '0' || c > '9') return false;
    warning.code = warning.code * 10 + (c - '0');
  }
  warning.agent = TakeWord(header);
  if (warning.agent.empty() || !IsPrintable(warning.agent)) return false;
  if (!TakeQuoted(header, warning.text) || !IsPrintable(warning.text)) return false;
  SkipBlanks(header);
  if (std::string date; header.starts_with('"') && !TakeQuoted(header, date)) return false;
  SkipBlanks(header);
  if (header.empty()) return true;
  if (header.front() != ',') return false;
  header.remove_prefix(1);
  return true;
}

void Log(const ServerWarning& warning) {
  static const Logger log("client");
  log.Warning("The server warns", "warning", warning.text);
}

}  // namespace

std::vector<ServerWarning> ParseWarnings(std::string_view header) {
  std::vector<ServerWarning> warnings;
  SkipBlanks(header);
  while (!header.empty()) {
    ServerWarning warning;
    if (!TakeWarning(header, warning)) break;
    warnings.push_back(std::move(warning));
    SkipBlanks(header);
  }
  return warnings;
}

WarningTransport::WarningTransport(std::shared_ptr<Transport> inner, Handler handler)
    : inner_(std::move(inner)), handler_(handler ? std::move(handler) : Handler(Log)) {}

Result<HttpResponse> WarningTransport::SendKept(HttpRequest& request, const CallScope& scope) {
  Result<HttpResponse> outcome = inner_->SendKept(request, scope);
  if (!outcome || outcome->headers.Find("Warning") == nullptr) return outcome;
  for (const std::string_view header : outcome->headers.All("Warning")) {
    for (const ServerWarning& warning : ParseWarnings(header)) {
      if (warning.code != kMiscellaneousPersistent || warning.text.empty()) continue;
      if (IsNew(warning.text)) handler_(warning);
    }
  }
  return outcome;
}

bool WarningTransport::IsNew(const std::string& text) {
  const MutexLock lock(mutex_);
  if (seen_.size() >= kMaxRemembered && !seen_.contains(text)) seen_.clear();
  return seen_.insert(text).second;
}

}  // namespace keelson
