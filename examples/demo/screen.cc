#include "screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "keelson/core/clock.h"

namespace demo {
namespace {

constexpr keelson::Duration kFrame = std::chrono::milliseconds(40);

struct Size {
  size_t width = 80;
  size_t height = 24;
};

Size TerminalSize() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {.width = size.ws_col, .height = size.ws_row};
}

bool WantsColour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

// One write for a frame, so that none is seen half drawn. Whoever no longer reads misses it.
void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

// To the first line of what was drawn.
std::string Up(size_t lines) { return lines == 0 ? "\r" : fmt::format("\r\x1b[{}A", lines); }
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

}  // namespace

Screen::Screen() : live_(isatty(STDOUT_FILENO) == 1), colour_(live_ && WantsColour()), start_(keelson::Clock::Now()) {}

std::string Screen::Stamp() const {
  return fmt::format("{:6.2f} s  ", std::chrono::duration<double>(keelson::Clock::Now() - start_).count());
}

void Screen::Say(std::string_view line) {
  Insert(live_ ? Fit(line, TerminalSize().width) : Stamp().append(Fit(line, 0)));
}

void Screen::Print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) Insert(line);
}

void Screen::Insert(std::string_view line) {
  if (!live_) return Write(fmt::format("{}\n", line));
  Write(fmt::format("{}{}{}\n", Up(drawn_), kClearBelow, line));
  drawn_ = 0;
  frame_.clear();
  Finish();
}

void Screen::Show(const std::vector<Row>& rows, const std::vector<std::string>& below) {
  rows_ = rows;
  below_ = below;
  if (live_) {
    if (keelson::Clock::Now() - drawn_at_ >= kFrame) Redraw();
    return;
  }
  for (const Row& row : rows) {
    Row& told = told_[row.object];
    if (told == row) continue;
    told = row;
    Write(fmt::format("{}{}\n", Stamp(), RenderLine(row)));
  }
}

void Screen::Finish() {
  if (live_ && !rows_.empty()) Redraw();
}

void Screen::Redraw() {
  drawn_at_ = keelson::Clock::Now();
  const Size size = TerminalSize();
  // Lines that reach the last column or the last line would make the terminal scroll.
  const size_t width = std::max<size_t>(size.width, 2) - 1;
  const size_t height = std::max<size_t>(size.height, 5) - 2;
  const size_t below = std::min(below_.size(), height - 2);
  std::vector<std::string> lines = RenderTable(rows_, {.width = width, .height = height - below, .colour = colour_});
  lines.insert(lines.begin(), "");
  for (size_t i = 0; i < below; ++i) lines.push_back(Fit(below_[i], width));
  std::string frame;
  for (const std::string& line : lines) frame.append(line).append(kClearLine).append("\n");
  if (frame == frame_) return;
  Write(fmt::format("{}{}{}", Up(drawn_), frame, kClearBelow));
  frame_ = std::move(frame);
  drawn_ = lines.size();
}

}  // namespace demo
