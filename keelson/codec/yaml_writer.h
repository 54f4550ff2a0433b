// From values to YAML text, laid out as `kubectl -o yaml` does.
//
//   std::string text = ToYaml(pod);
//
// Keys are sorted, numbers inside them by value (a2 before a10); lists stand at the level of their key; a string is
// quoted exactly when it would mean something else without, and is a literal block when it has several lines; long
// lines are folded at spaces. Kubernetes' own reader and ours read back an equal value, but for a dynamic double that
// is whole: its YAML form, as that of Kubernetes, is an integer.
#pragma once

#include <string>

#include "keelson/api/json.h"
#include "keelson/api/type.h"

namespace keelson {

// Appends one document without `---` to `out`.
void AppendYaml(const Type& type, const void* value, std::string& out);
void AppendYaml(const Json& document, std::string& out);

template <class T>
std::string ToYaml(const T& value) {
  std::string out;
  AppendYaml(TypeOf<T>(), &value, out);
  return out;
}

}  // namespace keelson
