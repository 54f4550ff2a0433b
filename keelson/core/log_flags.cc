#include "keelson/core/log_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "keelson/core/ascii.h"
#include "keelson/core/internal/log_module.h"

namespace keelson {

namespace {

// Reasons only: which flag and which value it was is added by the caller.
template <class Number>
Result<Number> ParseNumber(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    return Error::InvalidArgument("expected a whole number, 0 or more");
  }
  return number;
}

Result<bool> ParseBool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return Error::InvalidArgument("expected true or false");
}

Result<LogFormat> ParseFormat(std::string_view text) {
  if (text == "text") return LogFormat::kText;
  if (text == "json") return LogFormat::kJson;
  return Error::InvalidArgument("expected text or json");
}

// By name in any case, or by number.
Result<std::optional<LogSeverity>> ParseSeverity(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kNames = {"info", "warning", "error", "fatal"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (!EqualsIgnoringCase(text, kNames[i]) && text != std::to_string(i)) continue;
    if (kNames[i] == "fatal") return std::optional<LogSeverity>();
    return std::optional(static_cast<LogSeverity>(i));
  }
  return Error::InvalidArgument("expected INFO, WARNING, ERROR or FATAL");
}

Result<uint64_t> ParseMegabytes(std::string_view text) {
  KEELSON_TRY(megabytes, ParseNumber<uint64_t>(text));
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max() >> 20;
  return std::min(megabytes, kMost) << 20;
}

Result<std::string> ParsePlace(std::string_view text) {
  if (text.empty()) return std::string();
  const size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || text.substr(0, colon).find('.') == std::string_view::npos ||
      !ParseNumber<int>(text.substr(colon + 1)) || text.substr(colon + 1) == "0") {
    return Error::InvalidArgument("syntax error: expect file.cc:234");
  }
  return std::string(text);
}

// Parses the value into the member.
template <class Target, class Parse>
Result<void> Set(Target& target, std::string_view value, Parse parse) {
  KEELSON_TRY(parsed, parse(value));
  target = std::move(parsed);
  return {};
}
Result<void> SetText(std::string& target, std::string_view value) {
  target = value;
  return {};
}

struct Flag {
  std::string_view name;   // with dashes between words
  std::string_view shown;  // in the usage: as klog writes it, with what its value is
  std::string_view usage;
  bool is_bool = false;
  Result<void> (*set)(LogFlags& flags, std::string_view value) = nullptr;
};

constexpr bool kIsBool = true;

constexpr std::array kFlags = {
    Flag{"v", "v=0", "verbosity: V(n) lines appear for n up to this", false,
         [](LogFlags& f, std::string_view value) { return Set(f.options.verbosity, value, ParseNumber<int>); }},
    Flag{"vmodule", "vmodule=pattern=N,…",
         "verbosity by source file: name without extension, or dir/name; with * ? [a-z]", false,
         [](LogFlags& f, std::string_view value) { return Set(f.options.modules, value, ParseLogModules); }},
    Flag{"logging-format", "logging-format=text", "text or json", false,
         [](LogFlags& f, std::string_view value) { return Set(f.options.format, value, ParseFormat); }},
    Flag{"logtostderr", "logtostderr=true", "log to standard error instead of files", kIsBool,
         [](LogFlags& f, std::string_view value) { return Set(f.log_to_stderr, value, ParseBool); }},
    Flag{"alsologtostderr", "alsologtostderr=false", "log to standard error as well as files", kIsBool,
         [](LogFlags& f, std::string_view value) { return Set(f.also_log_to_stderr, value, ParseBool); }},
    Flag{"stderrthreshold", "stderrthreshold=ERROR",
         "with files: lines of this severity and above go to standard error too", false,
         [](LogFlags& f, std::string_view value) { return Set(f.stderr_threshold, value, ParseSeverity); }},
    Flag{"alsologtostderrthreshold", "alsologtostderrthreshold=INFO", "the same with -alsologtostderr", false,
         [](LogFlags& f, std::string_view value) { return Set(f.also_log_to_stderr_threshold, value, ParseSeverity); }},
    Flag{"legacy-stderr-threshold-behavior", "legacy_stderr_threshold_behavior=true",
         "false: -stderrthreshold counts with -logtostderr too", kIsBool,
         [](LogFlags& f, std::string_view value) { return Set(f.legacy_stderr_threshold_behavior, value, ParseBool); }},
    Flag{"log-dir", "log_dir=DIR", "write files in this directory; default: that for temporary files", false,
         [](LogFlags& f, std::string_view value) { return SetText(f.files.directory, value); }},
    Flag{"log-file", "log_file=FILE", "write this one file", false,
         [](LogFlags& f, std::string_view value) { return SetText(f.files.file, value); }},
    Flag{"log-file-max-size", "log_file_max_size=1800", "in megabytes; then the next file begins; 0: no limit", false,
         [](LogFlags& f, std::string_view value) { return Set(f.files.max_size, value, ParseMegabytes); }},
    Flag{"one-output", "one_output=false", "write a line to the file of its severity only, not to lower ones too",
         kIsBool, [](LogFlags& f, std::string_view value) { return Set(f.files.one_output, value, ParseBool); }},
    Flag{"skip-log-headers", "skip_log_headers=false", "begin files with the first line", kIsBool,
         [](LogFlags& f, std::string_view value) { return Set(f.files.skip_log_headers, value, ParseBool); }},
    Flag{"skip-headers", "skip_headers=false", "text lines without time, thread and place", kIsBool,
         [](LogFlags& f, std::string_view value) { return Set(f.options.skip_headers, value, ParseBool); }},
    Flag{"add-dir-header", "add_dir_header=false", "show the source file's directory too", kIsBool,
         [](LogFlags& f, std::string_view value) { return Set(f.options.add_dir_header, value, ParseBool); }},
    Flag{"log-backtrace-at", "log_backtrace_at=file.cc:N", "accepted, and has no effect", false,
         [](LogFlags& f, std::string_view value) { return Set(f.backtrace_at, value, ParsePlace); }},
};

// An argument taken apart; no flag where it is none of ours.
struct Argument {
  const Flag* flag = nullptr;
  std::string_view spelling;              // "--log_dir"
  std::optional<std::string_view> value;  // behind "="
};

Argument TakeApart(std::string_view argument) {
  const size_t dashes = argument.starts_with("--") ? 2 : argument.starts_with("-") ? 1 : 0;
  if (dashes == 0) return {};
  const size_t equals = argument.find('=');
  Argument out{.flag = nullptr, .spelling = argument.substr(0, equals), .value = std::nullopt};
  if (equals != std::string_view::npos) out.value = argument.substr(equals + 1);
  std::string name(out.spelling.substr(dashes));
  std::replace(name.begin(), name.end(), '_', '-');
  const bool short_verbosity = dashes == 1 && !out.value && name.size() > 1 && name[0] == 'v' &&
                               std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (short_verbosity) {
    out.value = argument.substr(2);
    out.spelling = argument.substr(0, 2);
    name = "v";
  }
  const auto* flag = std::find_if(kFlags.begin(), kFlags.end(), [&](const Flag& f) { return f.name == name; });
  if (flag != kFlags.end()) out.flag = flag;
  return out;
}

// Standard error, for lines that reach the threshold.
class ThresholdSink final : public LogSink {
 public:
  explicit ThresholdSink(std::optional<LogSeverity> threshold)
      : threshold_(threshold), standard_error_(StandardErrorLogSink()) {}

  void Write(LogSeverity severity, std::string_view line) override {
    if (threshold_ && severity >= *threshold_) standard_error_->Write(severity, line);
  }

 private:
  const std::optional<LogSeverity> threshold_;
  const std::shared_ptr<LogSink> standard_error_;
};

}  // namespace

Result<std::vector<LogModule>> ParseLogModules(std::string_view text) {
  std::vector<LogModule> modules;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    if (item.empty()) continue;
    const size_t equals = item.find('=');
    const std::string_view pattern = item.substr(0, equals);
    const std::string_view level = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    Result<int> verbosity = ParseNumber<int>(level);
    if (pattern.empty() || !verbosity) {
      return Error::InvalidArgument(fmt::format(
          "syntax error: expect comma-separated list of filename=N, with N a whole number, 0 or more; found \"{}\"",
          item));
    }
    if (!internal::IsGlob(pattern)) {
      return Error::InvalidArgument(fmt::format(
          "syntax error in pattern \"{}\": a [ needs a character and its ], a \\ something after it", pattern));
    }
    if (*verbosity == 0) continue;  // shows nothing, so that a later pattern may count
    modules.push_back({.pattern = std::string(pattern), .verbosity = *verbosity});
  }
  return modules;
}

Result<LogFlags> TakeLogFlags(std::vector<std::string>& arguments) {
  LogFlags flags;
  std::vector<std::string> rest;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--"; ++i) {
    const Argument argument = TakeApart(arguments[i]);
    if (argument.flag == nullptr) {
      rest.push_back(arguments[i]);
      continue;
    }
    std::string_view value = "true";
    if (argument.value) {
      value = *argument.value;
    } else if (!argument.flag->is_bool) {
      if (i + 1 == arguments.size()) {
        return Error::InvalidArgument(fmt::format("flag {} needs a value and none follows", argument.spelling));
      }
      value = arguments[++i];
    }
    Result<void> set = argument.flag->set(flags, value);
    if (!set) {
      return std::move(set).error().WithContext(fmt::format(
          "invalid {}value \"{}\" for flag {}", argument.flag->is_bool ? "boolean " : "", value, argument.spelling));
    }
  }
  rest.insert(rest.end(), arguments.begin() + static_cast<ptrdiff_t>(i), arguments.end());
  arguments = std::move(rest);
  return flags;
}

Result<void> StartLogging(const LogFlags& flags) {
  const LogOptions before = CurrentLogging();
  ConfigureLogging(flags.options);
  const Logger log("log");
  if (!flags.log_to_stderr) {
    LogFileOptions files = flags.files;
    files.stderr_threshold = flags.also_log_to_stderr ? flags.also_log_to_stderr_threshold : flags.stderr_threshold;
    Result<std::shared_ptr<FileLogSink>> sink = FileLogSink::Open(std::move(files));
    if (!sink) {
      ConfigureLogging(before);
      return std::move(sink).error().WithContext(flags.files.file.empty() ? "-log_dir" : "-log_file");
    }
    SetLogSink(*std::move(sink));
  } else {
    if (!flags.legacy_stderr_threshold_behavior) {
      SetLogSink(std::make_shared<ThresholdSink>(flags.stderr_threshold));
    }
    if (!flags.files.directory.empty() || !flags.files.file.empty()) {
      log.Warning("No log files are written, since -logtostderr is true: add -logtostderr=false", "log_dir",
                  flags.files.directory, "log_file", flags.files.file);
    }
  }
  if (!flags.backtrace_at.empty()) log.Warning("-log_backtrace_at has no effect", "place", flags.backtrace_at);
  return {};
}

std::string LogFlagsUsage() {
  std::string usage;
  for (const Flag& flag : kFlags) {
    std::string shown = fmt::format("  --{}", flag.shown);
    // Counts what a terminal shows: all but the bytes that continue a character.
    const auto width = std::count_if(shown.begin(), shown.end(), [](char c) { return (c & 0xC0) != 0x80; });
    shown.append(static_cast<size_t>(std::max<ptrdiff_t>(41 - width, 1)), ' ');
    usage += shown;
    usage += flag.usage;
    usage += '\n';
  }
  return usage;
}

}  // namespace keelson
