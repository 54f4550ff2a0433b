#include "keelson/client/retry_transport.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "keelson/client/request_metrics.h"
#include "keelson/core/clock.h"

namespace keelson {

namespace {

constexpr std::chrono::seconds kLongestRetryAfter = std::chrono::hours(24 * 365);
// Enough for any error's body: read to its end, its connection can serve the next attempt.
constexpr size_t kDrainBytes = size_t{64} << 10;

// A second time has the effect of the first alone.
bool IsIdempotent(const HttpRequest& request) {
  if (request.method == "PATCH") {
    const std::string_view* type = request.headers.Find("Content-Type");
    return type != nullptr && !type->starts_with("application/json-patch+json");
  }
  return request.method != "POST";
}

bool IsRead(const HttpRequest& request) { return request.method == "GET" || request.method == "HEAD"; }

bool IsWorthRepeating(const HttpRequest& request, const Error& error) {
  if (error.code() != ErrorCode::kUnavailable) return false;
  const auto* detail = error.detail<TransportErrorDetail>();
  if (detail == nullptr || detail->failure() == TransportFailure::kTls) return false;
  return !detail->sent() || IsRead(request);
}

bool IsWorthRepeating(const HttpRequest& request, int status) {
  if (status == 429 || status == 503) return true;
  return status >= 500 && IsIdempotent(request);
}

// Takes a number of exactly that many digits off the front of the text.
std::optional<int> TakeDigits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool TakeText(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

// "Sun, 06 Nov 1994 08:49:37 GMT": the one form that is still sent.
std::optional<std::chrono::sys_seconds> ParseHttpDate(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const size_t comma = text.find(", ");
  if (comma != 3) return std::nullopt;
  text.remove_prefix(comma + 2);
  const std::optional<int> day = TakeDigits(text, 2);
  if (!day || !TakeText(text, " ")) return std::nullopt;
  const auto* month = std::find(kMonths.begin(), kMonths.end(), text.substr(0, 3));
  if (month == kMonths.end()) return std::nullopt;
  text.remove_prefix(3);
  if (!TakeText(text, " ")) return std::nullopt;
  const std::optional<int> year = TakeDigits(text, 4);
  if (!year || !TakeText(text, " ")) return std::nullopt;
  const std::optional<int> hour = TakeDigits(text, 2);
  if (!hour || !TakeText(text, ":")) return std::nullopt;
  const std::optional<int> minute = TakeDigits(text, 2);
  if (!minute || !TakeText(text, ":")) return std::nullopt;
  const std::optional<int> second = TakeDigits(text, 2);
  if (!second || text != " GMT") return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

}  // namespace

std::optional<Duration> ParseRetryAfter(std::string_view value, WallTime now) {
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  if (value.empty()) return std::nullopt;

  if (value.front() >= '0' && value.front() <= '9') {
    uint64_t seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (end != value.data() + value.size()) return std::nullopt;
    if (error != std::errc() || std::cmp_greater(seconds, kLongestRetryAfter.count())) return kLongestRetryAfter;
    return std::chrono::seconds(seconds);
  }

  const std::optional<std::chrono::sys_seconds> date = ParseHttpDate(value);
  if (!date) return std::nullopt;
  // Clamped in seconds, because not every date fits in nanoseconds.
  const std::chrono::seconds ahead = *date - std::chrono::floor<std::chrono::seconds>(now);
  return std::clamp<std::chrono::seconds>(ahead, std::chrono::seconds(0), kLongestRetryAfter);
}

RetryTransport::RetryTransport(std::shared_ptr<Transport> inner, RetryOptions options,
                               std::shared_ptr<const RequestMetrics> metrics)
    : inner_(std::move(inner)), options_(options), metrics_(std::move(metrics)), random_(Random::FromEntropy()) {}

Result<HttpResponse> RetryTransport::SendKept(HttpRequest& request, const CallScope& scope) {
  for (int attempt = 0;; ++attempt) {
    Result<HttpResponse> outcome = inner_->SendKept(request, scope);
    if (attempt > 0 && metrics_ != nullptr) metrics_->CountRetry(request.method, outcome);
    if (attempt >= options_.max_retries) return outcome;
    const std::optional<Duration> delay = DelayAfter(request, outcome, attempt);
    if (!delay || SaturatingAdd(Clock::Now(), *delay) >= scope.deadline) return outcome;

    log_.V(4).Info("Sending a request again", "method", request.method, "attempt", attempt + 1, "delay", *delay,
                   "status", outcome ? outcome->status : 0);
    if (outcome) (void)ReadAll(*outcome->body, kDrainBytes);
    if (SleepFor(*delay, scope.stop) == Wake::kStopped) {
      return Error::Cancelled("the request was cancelled while it waited to be sent again");
    }
  }
}

std::optional<Duration> RetryTransport::DelayAfter(const HttpRequest& request, const Result<HttpResponse>& outcome,
                                                   int attempt) {
  Duration asked = Duration::zero();
  if (outcome) {
    if (!IsWorthRepeating(request, outcome->status)) return std::nullopt;
    const std::string_view* header = outcome->headers.Find("Retry-After");
    if (header == nullptr) return std::nullopt;
    const std::optional<Duration> parsed = ParseRetryAfter(*header, Clock::WallNow());
    if (!parsed || *parsed > options_.max_retry_after) return std::nullopt;
    asked = *parsed;
  } else if (attempt >= options_.max_connection_retries || !IsWorthRepeating(request, outcome.error())) {
    return std::nullopt;
  }

  Duration backoff = options_.initial_backoff;
  for (int i = 0; i < attempt && backoff < options_.max_backoff; ++i) backoff *= 2;
  const Duration wait = std::max(asked, std::min(backoff, options_.max_backoff));
  const LeafLock lock(mutex_);
  return random_.Jitter(wait, options_.jitter);
}

}  // namespace keelson
