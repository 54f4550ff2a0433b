// Hashes of keys: texts by our own hash, everything else by std::hash.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>

#include "keelson/core/hash.h"

namespace keelson::internal {

template <class Key>
uint32_t HashKey(const Key& key) {
  uint64_t hash;
  if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
    const std::string_view text = key;
    hash = HashBytes(text.data(), text.size(), 0);
  } else {
    hash = MixWords(std::hash<Key>()(key) ^ 0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u);  // std::hash may be the identity
  }
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

}  // namespace keelson::internal
