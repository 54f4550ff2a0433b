// The resource that serves a kind, as far as its type says: what a client needs to know without asking the server.
//
//   ResourceOf<corev1::Pod>().plural        // "pods"
//   GvrOf<corev1::Pod>()                    // in object.h: {"", "v1", "pods"}
//
// Known for every built-in kind that is served, and for the root objects of generated code.
#pragma once

#include <string_view>

namespace keelson {

struct ResourceInfo {
  std::string_view plural;
  std::string_view singular;
  bool namespaced = true;
  bool has_status = false;  // it has a subresource /status
  bool has_scale = false;   // it has a subresource /scale
};

// Specialised for every root type that is a resource: `static constexpr ResourceInfo info`.
template <class T>
struct DescribeResource;

template <class T>
concept ApiResource = requires { DescribeResource<T>::info; };

template <ApiResource T>
constexpr const ResourceInfo& ResourceOf() {
  return DescribeResource<T>::info;
}

}  // namespace keelson
