#include "keelson/core/internal/log_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <iterator>

#include "keelson/core/internal/utf8.h"

namespace keelson::internal {

namespace {

// Controls, and the invisible characters by which a value could forge or reorder what a terminal shows.
bool MustEscape(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb);
}

// Keys are bare when nothing in them could be taken for another part of the line.
void AppendKey(std::string& out, std::string_view key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '=' && c != '"' && c != '\\';
  });
  plain ? void(out += key) : AppendQuoted(out, key);
}

// With at least so many characters. By hand, since every line has a dozen of them.
void AppendNumber(std::string& out, std::integral auto number, size_t width = 0, char fill = ' ') {
  std::array<char, 24> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  const auto length = static_cast<size_t>(end - digits.data());
  if (length < width) out.append(width - length, fill);
  out.append(digits.data(), length);
}

std::string FormatDouble(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

void AppendTextValue(std::string& out, const LogValue& value) {
  std::visit(Overloaded{
                 [&](std::monostate) { out += "null"; },
                 [&](bool flag) { out += flag ? "true" : "false"; },
                 [&](double number) { out += FormatDouble(number); },
                 [&](Duration span) { AppendQuoted(out, FormatDuration(span)); },
                 [&](WallTime time) { AppendQuoted(out, FormatTime(time)); },
                 [&](std::string_view text) { AppendQuoted(out, text); },
                 [&](const std::string& text) { AppendQuoted(out, text); },
                 [&](std::integral auto number) { AppendNumber(out, number); },
             },
             value.get());
}

void AppendJsonValue(std::string& out, const LogValue& value) {
  std::visit(Overloaded{
                 [&](std::monostate) { out += "null"; },
                 [&](bool flag) { out += flag ? "true" : "false"; },
                 [&](double number) {
                   // JSON has no word for these.
                   std::isfinite(number) ? void(out += FormatDouble(number))
                                         : AppendJsonString(out, FormatDouble(number));
                 },
                 [&](Duration span) { AppendJsonString(out, FormatDuration(span)); },
                 [&](WallTime time) { AppendJsonString(out, FormatTime(time)); },
                 [&](std::string_view text) { AppendJsonString(out, text); },
                 [&](const std::string& text) { AppendJsonString(out, text); },
                 [&](std::integral auto number) { AppendNumber(out, number); },
             },
             value.get());
}

std::string_view NameOf(LogSeverity severity) {
  switch (severity) {
    case LogSeverity::kInfo: return "info";
    case LogSeverity::kWarning: return "warning";
    case LogSeverity::kError: return "error";
  }
  return "info";
}

char LetterOf(LogSeverity severity) {
  switch (severity) {
    case LogSeverity::kInfo: return 'I';
    case LogSeverity::kWarning: return 'W';
    case LogSeverity::kError: return 'E';
  }
  return 'I';
}

// The bytes at the front that stand for themselves in both formats: printable ASCII without quotes and backslashes.
size_t PlainPrefix(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && text[length] >= ' ' && text[length] < 0x7f && text[length] != '"' &&
         text[length] != '\\') {
    ++length;
  }
  return length;
}

void AppendHeader(std::string& out, const LogRecord& record, bool add_directory) {
  const auto day = std::chrono::floor<std::chrono::days>(record.time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::microseconds>(record.time - day));
  std::string_view file = record.file();
  if (add_directory && record.path.size() > file.size()) {
    const size_t slash = record.path.size() - file.size() - 1;
    const size_t before = slash == 0 ? std::string_view::npos : record.path.find_last_of('/', slash - 1);
    file = record.path.substr(before + 1);  // npos + 1 is the whole path
  }
  out += LetterOf(record.severity);
  AppendNumber(out, static_cast<unsigned>(date.month()), 2, '0');
  AppendNumber(out, static_cast<unsigned>(date.day()), 2, '0');
  out += ' ';
  AppendNumber(out, clock.hours().count(), 2, '0');
  out += ':';
  AppendNumber(out, clock.minutes().count(), 2, '0');
  out += ':';
  AppendNumber(out, clock.seconds().count(), 2, '0');
  out += '.';
  AppendNumber(out, clock.subseconds().count(), 6, '0');
  out += ' ';
  AppendNumber(out, record.thread, 7, ' ');
  out += ' ';
  out += file;
  out += ':';
  AppendNumber(out, record.line);
  out += "] ";
}

}  // namespace

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const size_t plain = PlainPrefix(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto [c, length] = DecodeUtf8(text);
    auto target = std::back_inserter(out);
    if (length == 0) {
      fmt::format_to(target, "\\x{:02x}", static_cast<uint8_t>(text[0]));
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[0];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (!MustEscape(c)) {
      out += text.substr(0, length);
    } else if (c < 0x80) {
      fmt::format_to(target, "\\x{:02x}", c);
    } else {
      fmt::format_to(target, "\\u{:04x}", c);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  out += '"';
}

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const size_t plain = PlainPrefix(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto [c, length] = DecodeUtf8(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[0];
    } else if (c == '\n') {
      out += "\\n";
    } else if (MustEscape(c)) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  out += '"';
}

std::string FormatLogText(const LogRecord& record, LogTextLayout layout) {
  std::string out;
  out.reserve(256);
  if (!layout.skip_header) AppendHeader(out, record, layout.add_directory);
  AppendQuoted(out, record.message);
  if (record.error != nullptr) {
    out += " err=";
    AppendQuoted(out, record.error->message());
  }
  if (!record.logger.empty()) {
    out += " logger=";
    AppendQuoted(out, record.logger);
  }
  record.ForEachField([&](std::string_view key, const LogValue& value) {
    out += ' ';
    AppendKey(out, key);
    out += '=';
    AppendTextValue(out, value);
  });
  return out;
}

std::string FormatLogJson(const LogRecord& record) {
  const auto since_epoch = std::chrono::floor<std::chrono::microseconds>(record.time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  std::string out = fmt::format("{{\"ts\":{}.{:06},\"caller\":", seconds.count(), (since_epoch - seconds).count());
  AppendJsonString(out, fmt::format("{}:{}", record.file(), record.line));
  fmt::format_to(std::back_inserter(out), ",\"level\":\"{}\"", NameOf(record.severity));
  if (record.severity == LogSeverity::kInfo) fmt::format_to(std::back_inserter(out), ",\"v\":{}", record.verbosity);
  if (!record.logger.empty()) {
    out += ",\"logger\":";
    AppendJsonString(out, record.logger);
  }
  out += ",\"msg\":";
  AppendJsonString(out, record.message);
  if (record.error != nullptr) {
    out += ",\"err\":";
    AppendJsonString(out, record.error->message());
  }
  record.ForEachField([&](std::string_view key, const LogValue& value) {
    out += ',';
    AppendJsonString(out, key);
    out += ':';
    AppendJsonValue(out, value);
  });
  out += '}';
  return out;
}

}  // namespace keelson::internal

namespace keelson {

std::string ToString(const LogValue& value) {
  return std::visit(internal::Overloaded{
                        [](std::monostate) { return std::string("null"); },
                        [](bool flag) { return std::string(flag ? "true" : "false"); },
                        [](double number) { return internal::FormatDouble(number); },
                        [](Duration span) { return FormatDuration(span); },
                        [](WallTime time) { return FormatTime(time); },
                        [](std::string_view text) { return std::string(text); },
                        [](const std::string& text) { return text; },
                        [](std::integral auto number) { return std::to_string(number); },
                    },
                    value.get());
}

}  // namespace keelson
