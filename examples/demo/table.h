// The demo's table as text: a pure function from rows to lines.
//
//   for (const std::string& line : RenderTable(rows, {.width = 80, .height = 20, .colour = true})) …
//
//   OBJECT              PHASE  CHILDREN                LAST EVENT
//   AppService/example  Ready  Deployment example 2/2  Synced: AppService synced successfully
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

enum class Tone { kWaiting, kGood, kBad };

struct Row {
  std::string object = {};  // kind/name
  std::string phase = {};
  Tone tone = Tone::kWaiting;  // of the phase
  std::string children = {};
  std::string event = {};
  bool warning = false;  // the event is one

  friend bool operator==(const Row&, const Row&) = default;
};

struct TableOptions {
  size_t width = 0;   // columns of the terminal; 0: as many as it takes
  size_t height = 0;  // lines at most, the heading among them; 0: as many as it takes
  bool colour = false;
};

// A heading and a line a row. Cells too long for the width end in an ellipsis. What was written by
// others cannot command the terminal: control characters are blanks.
std::vector<std::string> RenderTable(const std::vector<Row>& rows, const TableOptions& options);

// One row where lines come one after another: whole, in columns that fit the usual.
std::string RenderLine(const Row& row);

// What a line of a terminal may hold: without control characters, at most `width` characters (0: any number).
std::string Fit(std::string_view text, size_t width);

}  // namespace demo
