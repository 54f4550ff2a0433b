#include "keelson/codegen/internal/readable_headers.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace keelson::codegen::internal {

namespace {

namespace fs = std::filesystem;

// The macro of `#ifndef NAME`, `#define NAME` at the top of a header.
std::string IncludeGuardOf(const std::string& text) {
  std::istringstream lines(text);
  std::string line, guard;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string directive, name;
    words >> directive >> name;
    if (directive == "#pragma" && name == "once") return "";
    if (directive == "#ifndef" && guard.empty()) {
      guard = name;
    } else if (directive == "#define" && name == guard) {
      return guard;
    } else if (directive.starts_with("#")) {
      return "";
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> ReadableHeaders(const std::vector<std::string>& headers, Diagnostics& problems) {
  std::vector<std::string> readable;
  std::set<std::string> seen;
  std::map<std::string, std::string> guards;
  for (const std::string& header : headers) {
    const SourcePosition whole_file = {.file = header, .line = 0, .column = 0};
    std::error_code error;
    if (!fs::is_regular_file(header, error)) {
      problems.Add(whole_file, fs::exists(header, error) ? "is not a file: give the headers in it one by one"
                                                         : "no such file: expected a header");
      continue;
    }
    if (!seen.insert(fs::weakly_canonical(header, error).string()).second) continue;
    std::ifstream file(header);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
      problems.Add(whole_file, "cannot be read");
      continue;
    }
    const std::string guard = IncludeGuardOf(text.str());
    if (const auto [same, is_new] = guards.emplace(guard, header); !guard.empty() && !is_new) {
      problems.Add(whole_file, "has the include guard " + guard + " of " + same->second +
                                   ", so that nobody can include both: write #pragma once");
      continue;
    }
    readable.push_back(header);
  }
  return readable;
}

}  // namespace keelson::codegen::internal
