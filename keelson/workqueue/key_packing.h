// How a key is kept small while it waits for its time: as one text, for types that say how.
//
//   template <>
//   struct keelson::KeyPacking<MyKey> {
//     static std::string Pack(const MyKey& key);            // equal texts exactly for equal keys
//     static MyKey Unpack(std::string_view text);
//   };
//
// It stands in the header of the type itself: files that see it and files that do not would have queues of different
// layouts under one name. std::string packs by itself, and so does a pair of a namespace and a name; a type without a
// packing is kept as it is. A std::string of 29 characters takes 80 bytes as it is and 32 packed, and the 8 of a
// pointer to these.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace keelson {

template <class Key>
struct KeyPacking;

template <>
struct KeyPacking<std::string> {
  static std::string_view Pack(const std::string& key) { return key; }
  static std::string Unpack(std::string_view text) { return std::string(text); }
};

namespace internal {

// api/object_key.h, told by its shape: this layer knows no objects.
template <class Key>
concept NamespaceAndName =
    sizeof(Key) == 2 * sizeof(std::string) && requires { Key{.namespace_ = std::string(), .name = std::string()}; };

}  // namespace internal

// Neither part has a slash.
template <internal::NamespaceAndName Key>
struct KeyPacking<Key> {
  static std::string Pack(const Key& key) { return key.namespace_ + '/' + key.name; }
  static Key Unpack(std::string_view text) {
    const size_t slash = text.find('/');
    return {.namespace_ = std::string(text.substr(0, slash)), .name = std::string(text.substr(slash + 1))};
  }
};

}  // namespace keelson
