// What a controller is asked to reconcile.
//
// A request says which object, never what happened to it: a reconciler looks at the state as it is, so that a missed,
// doubled or reordered event changes nothing. Why it was asked is in the context, for logs (cause.h).
//
// Controllers may have requests of another type instead: one that has ==, a std::hash, a default and a copy, and a
// ToString(request) beside it for logs.
#pragma once

#include <string>
#include <string_view>

#include "keelson/api/object_key.h"
#include "keelson/workqueue/key_packing.h"

namespace keelson {

// The object's namespace and name.
using Request = ObjectKey;

template <>
struct KeyPacking<ObjectKey> {
  // Neither part has a slash.
  static std::string Pack(const ObjectKey& key) { return key.namespace_ + '/' + key.name; }
  static ObjectKey Unpack(std::string_view text) {
    const size_t slash = text.find('/');
    return {.namespace_ = std::string(text.substr(0, slash)), .name = std::string(text.substr(slash + 1))};
  }
};

}  // namespace keelson
