// Where something stands in a user's file, and what is wrong there.
//
//   Diagnostics problems;
//   problems.Add(field.position, "int is not ... : write int32_t");
//   if (!problems.empty()) { std::cerr << problems.Render(); return 1; }
//
// A generator reports all that it finds before it gives up, in the form that editors understand:
// `api/v1/app.h:12:3: error: …`.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace keelson::codegen {

// Counted from 1; line 0: the file as a whole.
struct SourcePosition {
  std::string file = {};
  int line = 0;
  int column = 0;

  auto operator<=>(const SourcePosition&) const = default;
};

// "api/v1/app.h:12:3"; of a whole file just its name.
std::string ToString(const SourcePosition& position);

struct Diagnostic {
  SourcePosition position;
  std::string message;
};

class Diagnostics {
 public:
  void Add(SourcePosition position, std::string message) { all_.push_back({std::move(position), std::move(message)}); }
  bool empty() const { return all_.empty(); }
  const std::vector<Diagnostic>& all() const { return all_; }

  // One line each, by file and position; the same problem at the same place once.
  std::string Render() const;

 private:
  std::vector<Diagnostic> all_;
};

}  // namespace keelson::codegen
