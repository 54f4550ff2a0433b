// The `keelson` program as a function.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::cli {

// `arguments` is without the program's name. What was asked for goes to `out`, everything else to `err`; returns the
// exit status: 0, or 1 with the reason on `err`.
int Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

// What the program was called decides what it is: `kube-apiserver` and `etcd` are those (keelson/cli/drop_in.h), any
// other name is `keelson`. A path may stand before the name.
int RunAs(std::string_view program, const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace keelson::cli
