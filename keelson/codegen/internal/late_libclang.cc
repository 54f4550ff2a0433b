#include "keelson/codegen/internal/late_libclang.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace keelson::codegen {
namespace {

struct Library {
  void* handle = nullptr;
  std::string problem;
};

const Library& TheLibrary() {
  static const Library library = [] {
    Library loaded;
    // The one it was built with, or another of the same version where the system has it.
    for (const char* name : {KEELSON_LIBCLANG, "libclang-19.so.19", "libclang-19.so.1"}) {
      loaded.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (loaded.handle != nullptr) return loaded;
      const char* reason = dlerror();
      if (loaded.problem.empty() && reason != nullptr) loaded.problem = reason;
    }
    loaded.problem = "reading C++ headers needs libclang 19 (Debian's package libclang1-19): " + loaded.problem;
    return loaded;
  }();
  return library;
}

}  // namespace

const std::string& LibclangProblem() {
  static const std::string none;
  return TheLibrary().handle != nullptr ? none : TheLibrary().problem;
}

namespace internal {

void* FindInLibclang(const char* name) {
  void* const found = TheLibrary().handle != nullptr ? dlsym(TheLibrary().handle, name) : nullptr;
  if (found == nullptr) {
    const std::string& problem = LibclangProblem();
    std::fprintf(stderr, "keelson: %s: %s\n", name,
                 problem.empty() ? "libclang has no such function" : problem.c_str());
    std::abort();
  }
  return found;
}

}  // namespace internal
}  // namespace keelson::codegen
