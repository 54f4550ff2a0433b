// For which types looking for an equal node pays.
//
// A toleration is the same in thousands of Pods; a condition with its times is in none, and looking for its equal, and
// keeping it where one would be looked for, costs more than reading it. Each type's odds are learnt from the looks
// before: looking goes on where one of four finds something, and every now and then against the odds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "keelson/api/type.h"

namespace keelson::internal {

// Not thread-safe.
class SharingOdds {
 public:
  SharingOdds() { odds_.fill(kFirstOdds); }

  bool WorthALook(const Type& type) {
    if (OddsOf(type) > 0) return true;
    return ++unlikely_ % kSampled == 0;
  }
  void Learn(const Type& type, bool found) {
    uint8_t& odds = OddsOf(type);
    odds = static_cast<uint8_t>(std::clamp(odds + (found ? kFound : -1), 0, 255));
  }

 private:
  static constexpr size_t kPlaces = 1024;
  static constexpr uint8_t kFirstOdds = 128;
  static constexpr int kFound = 3;
  static constexpr uint32_t kSampled = 16;

  uint8_t& OddsOf(const Type& type) {
    const auto bits = reinterpret_cast<uintptr_t>(&type);
    return odds_[(bits >> 4 ^ bits >> 14) % kPlaces];
  }

  std::array<uint8_t, kPlaces> odds_;
  uint32_t unlikely_ = 0;
};

}  // namespace keelson::internal
