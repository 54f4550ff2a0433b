// Objects as a Kubernetes API server shows them in errors: its messages print its internal structs, whose fields have
// Go's names, are never left out, and differ here and there from those of v1.
//
//   errors.InvalidShown(template_path, InternalForm(spec.template_), "field is immutable");
//       spec.template: Invalid value: {"labels":{"app":"web"},"Spec":{"Volumes":null, …}}: field is immutable
//
// Known are pod specs and what they are made of, claims, the strategies of workloads, and versions and schemas of
// custom resources.
#pragma once

#include <string>
#include <string_view>

#include "keelson/api/type.h"

namespace keelson::apiserver {

// On one line, or with one space a level as in a diff.
std::string InternalForm(const Type& type, const void* value, bool indented = false);
template <class T>
std::string InternalForm(const T& value, bool indented = false) {
  return InternalForm(TypeOf<T>(), &value, indented);
}

// A unified diff, three lines of context, without file names. Lines are joined by '\n' on both sides.
std::string UnifiedDiff(std::string_view before, std::string_view after);

template <class T>
std::string InternalDiff(const T& before, const T& after) {
  return UnifiedDiff(InternalForm(before, true), InternalForm(after, true));
}

}  // namespace keelson::apiserver
