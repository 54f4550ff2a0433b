#include "keelson/apiserver/cel/time_zone.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>

namespace keelson::apiserver::cel {

namespace {

constexpr size_t kMaxFile = 256 << 10;
constexpr std::array<std::string_view, 4> kFolders = {"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/",
                                                      "/usr/lib/locale/TZ/", "/etc/zoneinfo/"};

// Big-endian numbers, taken from the front. Reading beyond the end gives zeros and clears `ok`.
struct Reader {
  std::string_view bytes;
  bool ok = true;

  std::string_view Take(size_t count) {
    if (bytes.size() < count) {
      ok = false;
      return {};
    }
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  }
  int64_t Number(size_t width) {
    const std::string_view taken = Take(width);
    uint64_t value = 0;
    for (char c : taken) value = value << 8 | static_cast<unsigned char>(c);
    return width == 4 ? int64_t{static_cast<int32_t>(value)} : static_cast<int64_t>(value);
  }
  size_t Count() {
    const int64_t count = Number(4);
    if (count < 0 || count > static_cast<int64_t>(kMaxFile)) ok = false;
    return ok ? static_cast<size_t>(count) : 0;
  }
};

struct Counts {
  size_t utc = 0;
  size_t standard = 0;
  size_t leaps = 0;
  size_t times = 0;
  size_t types = 0;
  size_t chars = 0;
};

std::optional<Counts> ReadHeader(Reader& reader) {
  if (reader.Take(4) != "TZif") return std::nullopt;
  reader.Take(16);
  Counts counts;
  counts.utc = reader.Count();
  counts.standard = reader.Count();
  counts.leaps = reader.Count();
  counts.times = reader.Count();
  counts.types = reader.Count();
  counts.chars = reader.Count();
  if (!reader.ok) return std::nullopt;
  return counts;
}

}  // namespace

// "CET-1CEST,M3.5.0,M10.5.0/3": the rule that a file ends with.
class TimeZone::RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  std::optional<Rule> Read() {
    Rule rule;
    if (!Name()) return std::nullopt;
    const auto standard = Time();
    if (!standard) return std::nullopt;
    rule.standard = -*standard;
    rule.summer = rule.standard + 3600;
    if (text_.empty()) return rule;
    if (!Name()) return std::nullopt;
    if (!text_.empty() && text_[0] != ',') {
      const auto summer = Time();
      if (!summer) return std::nullopt;
      rule.summer = -*summer;
    }
    rule.start = ReadChange();
    rule.end = ReadChange();
    if (!rule.start || !rule.end || !text_.empty()) return std::nullopt;
    return rule;
  }

 private:
  bool Take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool Name() {
    size_t length = 0;
    if (text_.starts_with("<")) {
      length = text_.find('>');
      if (length == std::string_view::npos) return false;
      ++length;
    } else {
      while (length < text_.size() && std::isalpha(static_cast<unsigned char>(text_[length]))) ++length;
    }
    text_.remove_prefix(length);
    return length >= 3;
  }
  std::optional<int> Number() {
    int value = 0;
    size_t digits = 0;
    while (!text_.empty() && text_[0] >= '0' && text_[0] <= '9' && digits < 4) {
      value = value * 10 + (text_[0] - '0');
      text_.remove_prefix(1);
      ++digits;
    }
    if (digits == 0) return std::nullopt;
    return value;
  }
  // [+-]hh[:mm[:ss]] in seconds.
  std::optional<int32_t> Time() {
    const bool negative = Take('-');
    if (!negative) Take('+');
    int32_t seconds = 0;
    for (int unit : {3600, 60, 1}) {
      if (unit != 3600 && !Take(':')) break;
      const auto number = Number();
      if (!number) return std::nullopt;
      seconds += *number * unit;
    }
    return negative ? -seconds : seconds;
  }
  std::optional<Change> ReadChange() {
    if (!Take(',')) return std::nullopt;
    Change change{.form = Change::Form::kZeroBased, .month = 1, .week = 1, .day = 0, .time = 7200};
    if (Take('M')) {
      change.form = Change::Form::kMonthWeekDay;
      const auto month = Number();
      if (!month || !Take('.')) return std::nullopt;
      const auto week = Number();
      if (!week || !Take('.')) return std::nullopt;
      const auto day = Number();
      if (!day || *month < 1 || *month > 12 || *week < 1 || *week > 5 || *day > 6) return std::nullopt;
      change.month = *month;
      change.week = *week;
      change.day = *day;
    } else {
      if (Take('J')) change.form = Change::Form::kJulian;
      const auto day = Number();
      if (!day || *day > 365) return std::nullopt;
      change.day = *day;
    }
    if (Take('/')) {
      const auto time = Time();
      if (!time) return std::nullopt;
      change.time = *time;
    }
    return change;
  }

  std::string_view text_;
};

std::optional<TimeZone> TimeZone::Load(std::string_view name) {
  if (name.empty() || name == "UTC") return TimeZone();
  if (name[0] == '/' || name[0] == '\\' || name.find("..") != std::string_view::npos || name.size() > 200 ||
      name.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  for (std::string_view folder : kFolders) {
    std::ifstream file(std::string(folder).append(name), std::ios::binary);
    if (!file) continue;
    std::string bytes(kMaxFile, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(file.gcount()));
    if (auto zone = Parse(bytes)) return zone;
  }
  return std::nullopt;
}

std::optional<TimeZone> TimeZone::Parse(std::string_view file) {
  Reader reader{file};
  auto counts = ReadHeader(reader);
  if (!counts) return std::nullopt;
  size_t width = 4;
  if (file[4] >= '2') {
    // The first part, with times of 32 bits, says nothing that the second does not.
    reader.Take(counts->times * 5 + counts->types * 6 + counts->chars + counts->leaps * 8 + counts->standard +
                counts->utc);
    counts = ReadHeader(reader);
    if (!counts) return std::nullopt;
    width = 8;
  }
  std::vector<int64_t> times(counts->times);
  if (reader.bytes.size() < counts->times * (width + 1) + counts->types * 6 || counts->types == 0) return std::nullopt;
  for (int64_t& time : times) time = reader.Number(width);
  const std::string_view types_of_times = reader.Take(counts->times);
  std::vector<int32_t> offsets;
  size_t first_standard = counts->types;
  for (size_t i = 0; i < counts->types; ++i) {
    offsets.push_back(static_cast<int32_t>(reader.Number(4)));
    const std::string_view rest = reader.Take(2);
    if (rest.size() == 2 && rest[0] == 0 && first_standard == counts->types) first_standard = i;
  }
  reader.Take(counts->chars + counts->leaps * (width + 4) + counts->standard + counts->utc);
  if (!reader.ok) return std::nullopt;

  TimeZone zone;
  zone.first_offset_ = offsets[first_standard == counts->types ? 0 : first_standard];
  for (size_t i = 0; i < times.size(); ++i) {
    const auto type = static_cast<unsigned char>(types_of_times[i]);
    if (type >= offsets.size()) return std::nullopt;
    zone.transitions_.push_back({.at = times[i], .offset = offsets[type]});
  }
  if (width == 8 && reader.bytes.size() > 2 && reader.bytes[0] == '\n') {
    const size_t end = reader.bytes.find('\n', 1);
    if (end != std::string_view::npos) zone.rule_ = RuleReader(reader.bytes.substr(1, end - 1)).Read();
  }
  return zone;
}

int64_t TimeZone::SecondsInto(int year, const Change& change) {
  using namespace std::chrono;
  const sys_days new_year = sys_days(std::chrono::year(year) / January / 1);
  int64_t day = change.day;
  if (change.form == Change::Form::kJulian) {
    // Counted from 1, as if there were no 29th of February.
    day = change.day - 1 + (std::chrono::year(year).is_leap() && change.day >= 60 ? 1 : 0);
  } else if (change.form == Change::Form::kMonthWeekDay) {
    const auto month = std::chrono::year(year) / std::chrono::month(static_cast<unsigned>(change.month));
    const std::chrono::weekday weekday(static_cast<unsigned>(change.day));
    const sys_days date = change.week == 5 ? sys_days(month / weekday[last])
                                           : sys_days(month / weekday[static_cast<unsigned>(change.week)]);
    day = (date - new_year).count();
  }
  return day * 86400 + change.time;
}

int32_t TimeZone::OffsetAt(int64_t seconds) const {
  const auto next = std::ranges::upper_bound(transitions_, seconds, {}, &Transition::at);
  if (next == transitions_.begin() && !transitions_.empty()) return first_offset_;
  if (next != transitions_.end() || !rule_)
    return next == transitions_.begin() ? first_offset_ : std::prev(next)->offset;
  if (!rule_->start) return rule_->standard;

  const auto day =
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(seconds + rule_->standard)));
  const int year = static_cast<int>(std::chrono::year_month_day(day).year());
  const int64_t new_year =
      std::chrono::sys_seconds(std::chrono::sys_days(std::chrono::year(year) / std::chrono::January / 1))
          .time_since_epoch()
          .count();
  const int64_t start = new_year + SecondsInto(year, *rule_->start) - rule_->standard;
  const int64_t end = new_year + SecondsInto(year, *rule_->end) - rule_->summer;
  const bool summer = start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end;
  return summer ? rule_->summer : rule_->standard;
}

}  // namespace keelson::apiserver::cel
