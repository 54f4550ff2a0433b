#include "keelson/api/time.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "keelson/api/internal/quote.h"

namespace keelson::metav1 {
namespace {

using internal::FloorDivide;
using internal::QuoteAscii;

constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kMicrosPerSecond = 1'000'000;

constexpr bool IsLeap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

// Days of the year before the first of each month, in a common year; the last entry is the year's end.
constexpr int kDaysBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
constexpr int DaysBefore(int month, bool leap) { return kDaysBefore[month] + (leap && month >= 2 ? 1 : 0); }

// From 0001-01-01; month and day count from zero.
constexpr int64_t DaysFromDate(int64_t year, int month, int day) {
  const int64_t past = year - 1;
  const int64_t leap_days = FloorDivide(past, 4) - FloorDivide(past, 100) + FloorDivide(past, 400);
  return past * 365 + leap_days + DaysBefore(month, IsLeap(year)) + day;
}

struct Date {
  int64_t year;
  int month, day;  // from zero
};

// Peels off spans of 400, 100, 4 and 1 years; the last of four centuries and of four years has a day more.
constexpr Date DateFromDays(int64_t days) {
  const int64_t cycles = FloorDivide(days, 146'097);
  int rest = static_cast<int>(days - cycles * 146'097);
  const int centuries = rest / 36'524 - rest / 146'096;
  rest -= centuries * 36'524;
  const int fours = rest / 1'461;
  rest -= fours * 1'461;
  const int ones = rest / 365 - rest / 1'460;
  rest -= ones * 365;
  const int64_t year = cycles * 400 + centuries * 100 + fours * 4 + ones + 1;
  const bool leap = IsLeap(year);
  int month = rest / 31;  // or the one after
  if (DaysBefore(month + 1, leap) <= rest) ++month;
  return {year, month, rest - DaysBefore(month, leap)};
}

char* PrintTwoDigits(char* out, int value) {
  out[0] = static_cast<char>('0' + value / 10);
  out[1] = static_cast<char>('0' + value % 10);
  return out + 2;
}

char* PrintYear(char* out, int64_t year) {
  if (year < 0) {
    *out++ = '-';
    year = -year;
  }
  if (year > 9999) return std::to_chars(out, out + 20, year).ptr;
  return PrintTwoDigits(PrintTwoDigits(out, static_cast<int>(year / 100)), static_cast<int>(year % 100));
}

// "2006-01-02T15:04:05"
char* PrintSeconds(char* out, int64_t seconds) {
  const int64_t days = FloorDivide(seconds, kSecondsPerDay);
  const int of_day = static_cast<int>(seconds - days * kSecondsPerDay);
  const Date date = DateFromDays(days);
  out = PrintYear(out, date.year);
  *out++ = '-';
  out = PrintTwoDigits(out, date.month + 1);
  *out++ = '-';
  out = PrintTwoDigits(out, date.day + 1);
  *out++ = 'T';
  out = PrintTwoDigits(out, of_day / 3600);
  *out++ = ':';
  out = PrintTwoDigits(out, of_day / 60 % 60);
  *out++ = ':';
  return PrintTwoDigits(out, of_day % 60);
}

// Reads a text of the form that a Go layout describes and words failures as Go does.
class Reader {
 public:
  struct Instant {
    int64_t seconds = 0;  // since 0001-01-01T00:00:00Z
    int micros = 0;
  };

  explicit Reader(std::string_view text, bool six_digits) : text_(text), rest_(text), six_digits_(six_digits) {}

  Result<Instant> Read() {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, micros = 0, offset = 0;
    const bool read = ReadYear(year) && ReadLiteral('-', "-") && ReadTwoDigits(month, "01") &&
                      CheckRange(month >= 1 && month <= 12, "month") && ReadLiteral('-', "-") &&
                      ReadTwoDigits(day, "02") && ReadLiteral('T', "T") && ReadHour(hour) &&
                      CheckRange(hour < 24, "hour") && ReadLiteral(':', ":") && ReadTwoDigits(minute, "04") &&
                      CheckRange(minute < 60, "minute") && ReadLiteral(':', ":") && ReadTwoDigits(second, "05") &&
                      CheckRange(second < 60, "second") && ReadFraction(micros) && ReadOffset(offset);
    if (read && !rest_.empty()) failure_ = ": extra text: " + QuoteAscii(rest_);
    const bool leap = IsLeap(year);
    if (failure_.empty() && (day < 1 || day > DaysBefore(month, leap) - DaysBefore(month - 1, leap))) {
      failure_ = ": day out of range";
    }
    if (!failure_.empty()) return Error::InvalidArgument("parsing time " + QuoteAscii(text_) + failure_);
    const int64_t days = DaysFromDate(year, month - 1, day - 1);
    return Instant{days * kSecondsPerDay + hour * 3600 + minute * 60 + second - offset, micros};
  }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  bool DigitAt(size_t i) const { return i < rest_.size() && IsDigit(rest_[i]); }
  int Digit(size_t i) const { return rest_[i] - '0'; }

  bool FailElement(std::string_view element) {
    failure_ = std::string(" as \"2006-01-02T15:04:05") + (six_digits_ ? ".000000" : "") + "Z07:00\": cannot parse " +
               QuoteAscii(rest_) + " as " + QuoteAscii(element);
    return false;
  }
  bool CheckRange(bool in_range, const char* what) {
    if (!in_range) failure_ = std::string(": ") + what + " out of range";
    return in_range;
  }
  bool ReadLiteral(char c, std::string_view element) {
    if (rest_.empty() || rest_[0] != c) return FailElement(element);
    rest_.remove_prefix(1);
    return true;
  }
  bool ReadYear(int& year) {
    for (size_t i = 0; i < 4; ++i) {
      if (!DigitAt(i)) return FailElement("2006");
      year = year * 10 + Digit(i);
    }
    rest_.remove_prefix(4);
    return true;
  }
  bool ReadTwoDigits(int& value, std::string_view element) {
    if (!DigitAt(0) || !DigitAt(1)) return FailElement(element);
    value = Digit(0) * 10 + Digit(1);
    rest_.remove_prefix(2);
    return true;
  }
  bool ReadHour(int& hour) {
    if (DigitAt(0) && !DigitAt(1)) {
      hour = Digit(0);
      rest_.remove_prefix(1);
      return true;
    }
    return ReadTwoDigits(hour, "15");
  }
  bool ReadFraction(int& micros) {
    const bool present = DigitAt(1) && (rest_[0] == '.' || rest_[0] == ',');
    if (!six_digits_) {
      size_t end = present ? 1 : 0;
      while (DigitAt(end)) ++end;
      if (present) rest_.remove_prefix(end);
      return true;
    }
    for (size_t i = 1; i <= 6; ++i) {
      if (!present || !DigitAt(i)) return FailElement(".000000");
      micros = micros * 10 + Digit(i);
    }
    rest_.remove_prefix(7);
    return true;
  }
  // "Z", or "+01:00" in seconds. Offsets up to 24 hours and 60 minutes are in use.
  bool ReadOffset(int& offset) {
    if (!rest_.empty() && rest_[0] == 'Z') {
      rest_.remove_prefix(1);
      return true;
    }
    if (rest_.size() < 6 || rest_[3] != ':' || !DigitAt(1) || !DigitAt(2) || !DigitAt(4) || !DigitAt(5)) {
      return FailElement("Z07:00");
    }
    const int hours = Digit(1) * 10 + Digit(2);
    const int minutes = Digit(4) * 10 + Digit(5);
    if (!CheckRange(minutes <= 60, "time zone offset minute") || !CheckRange(hours <= 24, "time zone offset hour")) {
      return false;
    }
    if (rest_[0] != '+' && rest_[0] != '-') return FailElement("Z07:00");
    offset = (hours * 60 + minutes) * (rest_[0] == '-' ? -60 : 60);
    rest_.remove_prefix(6);
    return true;
  }

  std::string_view text_;
  std::string_view rest_;
  bool six_digits_;
  std::string failure_;
};

// "2006-01-02T15:04:05Z", or with ".000000" before the Z: the form that servers write. Anything else, a time that does
// not exist included, is for Reader, which says what is wrong.
std::optional<Reader::Instant> ReadUsual(const char* text, bool six_digits) {
  unsigned worst = 0;  // digit
  const auto digit = [&](size_t i) {
    const unsigned value = static_cast<unsigned char>(text[i]) - unsigned{'0'};
    worst = std::max(worst, value);
    return static_cast<int>(value);
  };
  const auto two_digits = [&](size_t i) { return digit(i) * 10 + digit(i + 1); };
  const int year = two_digits(0) * 100 + two_digits(2);
  const int month = two_digits(5), day = two_digits(8);
  const int hour = two_digits(11), minute = two_digits(14), second = two_digits(17);
  int micros = 0;
  if (six_digits) micros = (two_digits(20) * 100 + two_digits(22)) * 100 + two_digits(24);
  const bool form = text[4] == '-' && text[7] == '-' && text[10] == 'T' && text[13] == ':' && text[16] == ':' &&
                    (!six_digits || text[19] == '.') && text[six_digits ? 26 : 19] == 'Z';
  if (!form || worst > 9 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const bool leap = IsLeap(year);
  if (day < 1 || day > DaysBefore(month, leap) - DaysBefore(month - 1, leap)) return std::nullopt;
  const int64_t days = DaysFromDate(year, month - 1, day - 1);
  return Reader::Instant{days * kSecondsPerDay + hour * 3600 + minute * 60 + second, micros};
}

// Longer text than any time has is refused before it is quoted in a message.
constexpr size_t kMaxTimeInput = 1024;

Result<Reader::Instant> ReadTime(std::string_view text, bool six_digits) {
  if (text.size() == (six_digits ? 27 : 20)) {
    if (const auto instant = ReadUsual(text.data(), six_digits)) return *instant;
  }
  if (text.size() > kMaxTimeInput) {
    return Error::InvalidArgument("parsing time: the text is longer than " + std::to_string(kMaxTimeInput) + " bytes");
  }
  return Reader(text, six_digits).Read();
}

template <class T>
std::string PrintToString(const T& value) {
  char buffer[T::kMaxTextLength];
  return std::string(buffer, value.Print(buffer));
}

template <class T>
void PrintTo(std::string& out, const T& value) {
  char buffer[T::kMaxTextLength];
  out.append(buffer, value.Print(buffer));
}

// In the units of the system clock from `count` units of 1/`per_second` seconds.
std::chrono::system_clock::time_point ClockPoint(int64_t count, int64_t per_second) {
  using Clock = std::chrono::system_clock;
  static_assert(Clock::period::num == 1 && Clock::period::den >= kMicrosPerSecond);
  return Clock::time_point(Clock::duration(internal::SaturatingMultiply(count, Clock::period::den / per_second)));
}

}  // namespace

Result<Time> Time::Parse(std::string_view text) {
  KEELSON_TRY(instant, ReadTime(text, false));
  Time time;
  time.seconds_ = instant.seconds;
  return time;
}

size_t Time::Print(char* buffer) const {
  char* out = PrintSeconds(buffer, seconds_);
  *out++ = 'Z';
  return static_cast<size_t>(out - buffer);
}

std::chrono::system_clock::time_point Time::ToTimePoint() const { return ClockPoint(unix_seconds(), 1); }
std::string Time::ToString() const { return PrintToString(*this); }
void Time::AppendTo(std::string& out) const { PrintTo(out, *this); }

Result<MicroTime> MicroTime::Parse(std::string_view text) {
  KEELSON_TRY(instant, ReadTime(text, true));
  MicroTime time;
  time.microseconds_ = instant.seconds * kMicrosPerSecond + instant.micros;
  return time;
}

size_t MicroTime::Print(char* buffer) const {
  const int64_t seconds = FloorDivide(microseconds_, kMicrosPerSecond);
  int micros = static_cast<int>(microseconds_ - seconds * kMicrosPerSecond);
  char* out = PrintSeconds(buffer, seconds);
  *out = '.';
  for (int i = 6; i > 0; --i, micros /= 10) out[i] = static_cast<char>('0' + micros % 10);
  out[7] = 'Z';
  return static_cast<size_t>(out + 8 - buffer);
}

std::chrono::system_clock::time_point MicroTime::ToTimePoint() const {
  return ClockPoint(unix_microseconds(), kMicrosPerSecond);
}
std::string MicroTime::ToString() const { return PrintToString(*this); }
void MicroTime::AppendTo(std::string& out) const { PrintTo(out, *this); }

std::string Duration::ToString() const { return PrintToString(*this); }
void Duration::AppendTo(std::string& out) const { PrintTo(out, *this); }

}  // namespace keelson::metav1
