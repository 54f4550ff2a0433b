// Where the demo shows itself: a table that is redrawn in place on a terminal, a line for each change elsewhere.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/time.h"
#include "table.h"

namespace demo {

// Of one thread. Colours only on a terminal, and not where NO_COLOR is set.
class Screen {
 public:
  // Of standard output.
  Screen();
  ~Screen() = default;
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool live() const { return live_; }

  // A line that stays, above the table: cut to the width of a terminal, elsewhere with the time since the start.
  void Say(std::string_view line);
  // The same for lines that somebody may want to copy: as they are.
  void Print(const std::vector<std::string>& lines);
  // The table as it is now, and lines below it. A terminal is drawn on no more often than an eye can follow: what comes
  // sooner is seen with the next call. What is not a terminal gets the rows that differ from before, and not the lines.
  void Show(const std::vector<Row>& rows, const std::vector<std::string>& below);
  // Draws what was shown last. The table stays.
  void Finish();

 private:
  void Redraw();
  void Insert(std::string_view line);
  std::string Stamp() const;

  // Constant after construction.
  const bool live_;
  const bool colour_;
  const keelson::TimePoint start_;

  std::vector<Row> rows_;
  std::vector<std::string> below_;
  std::map<std::string, Row> told_;  // by object; where it is no terminal
  std::string frame_;                // drawn last
  size_t drawn_ = 0;                 // lines of it
  keelson::TimePoint drawn_at_ = {};
};

}  // namespace demo
