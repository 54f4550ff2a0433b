#include "keelson/core/result.h"

#include <cstdio>
#include <cstdlib>

namespace keelson::internal {

void DieOnBadResultAccess(const Error& error) {
  std::fprintf(stderr, "keelson: value of a failed Result was read: %s: %s\n",
               std::string(ToString(error.code())).c_str(), error.message().c_str());
  std::abort();
}

void DieOnMissingError() {
  std::fputs("keelson: error of a successful Result was read\n", stderr);
  std::abort();
}

void ExitWithError(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message().c_str());
  std::exit(1);
}

}  // namespace keelson::internal
