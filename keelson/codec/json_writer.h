// From values to JSON text, written as Go's Kubernetes types write themselves: fields in declaration order, map keys
// sorted, absent optionals and empty `omitempty` fields left out, `kind` and `apiVersion` first in a root object.
//
//   std::string text = ToJson(pod);
//   std::string shown = ToJson(pod, {.indent = 4});
#pragma once

#include <string>

#include "keelson/api/type.h"

namespace keelson {

struct JsonWriteOptions {
  int indent = 0;  // spaces a level; 0: one line without spaces
  // An empty list or map that is not left out is null, as Go writes what was never set, and not [] or {}.
  bool null_when_empty = false;
};

// Appends to `out`.
void AppendJson(const Type& type, const void* value, std::string& out, const JsonWriteOptions& options = {});

template <class T>
std::string ToJson(const T& value, const JsonWriteOptions& options = {}) {
  std::string out;
  AppendJson(TypeOf<T>(), &value, out, options);
  return out;
}

}  // namespace keelson
