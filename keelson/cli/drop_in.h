// The programs that `keelson` stands in for when it is called by their names: what envtest starts.
//
// Both take the real ones' flags (keelson/cli/foreign_flags.h) and run until SIGINT or SIGTERM. Objects live in the
// memory of the one called kube-apiserver; the one called etcd only says that it is well.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/cli/foreign_flags.h"
#include "keelson/core/result.h"

namespace keelson::cli {

struct DropIn {
  std::string_view name;
  std::string_view about;    // for its help
  std::string_view version;  // what --version prints, before our own
  std::span<const ForeignFlag> flags;
  Result<void> (*serve)(const ForeignFlags& flags);  // until it is told to stop
};

extern const DropIn kKubeApiserver;
extern const DropIn kEtcd;

// The one of that name; null when it is none of ours.
const DropIn* FindDropIn(std::string_view name);

// Does what the arguments say and returns the exit status: 0, or 1 with the reason on `err`.
int RunDropIn(const DropIn& program, const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace keelson::cli
