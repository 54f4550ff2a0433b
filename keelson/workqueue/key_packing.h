// How a key is kept small while it waits for its time: as one text, for types that say how.
//
//   template <>
//   struct keelson::KeyPacking<MyKey> {
//     static std::string Pack(const MyKey& key);            // equal texts exactly for equal keys
//     static MyKey Unpack(std::string_view text);
//   };
//
// std::string packs by itself; a type without a packing is kept as it is. A std::string of 29 characters takes 80 bytes
// as it is and 32 packed, and the 8 of a pointer to these.
#pragma once

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

}  // namespace keelson
