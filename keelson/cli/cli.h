// The `keelson` program as a function.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace keelson::cli {

// `arguments` is without the program's name. What was asked for goes to `out`, everything else to `err`; returns the
// exit status: 0, or 1 with the reason on `err`.
int Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace keelson::cli
