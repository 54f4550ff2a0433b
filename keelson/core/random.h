// Random numbers: repeatable ones from a seed, and unpredictable ones from the system.
//
//   Random random(42);                        // the same sequence everywhere, for ever
//   int die = random.Uniform(1, 6);
//   Duration pause = random.Jitter(1s, 0.1);  // between 1 s and 1.1 s
//   std::string name = "web-" + Random::FromEntropy().Suffix(5);
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "keelson/core/time.h"

namespace keelson {

// xoshiro256** seeded through splitmix64. A value, not thread-safe, not for secrets.
class Random {
 public:
  using result_type = uint64_t;

  explicit Random(uint64_t seed);
  // Seeded by SecureRandom: different in each run, but in a simulation derived from the simulation's seed.
  static Random FromEntropy();

  uint64_t Next();

  // Each integer of [low, high] equally likely. Requires low <= high.
  template <std::integral T>
  T Uniform(T low, T high) {
    const auto span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    return static_cast<T>(static_cast<uint64_t>(low) + UpTo(span));
  }
  // In [0, 1), all multiples of 2^-53 equally likely.
  double UniformReal() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  // True with the given probability.
  bool Chance(double probability) { return UniformReal() < probability; }

  // Between `base` and `base * (1 + factor)`: spreads out what would otherwise happen at the same time.
  Duration Jitter(Duration base, double factor);

  // Lower-case letters and digits that make no words and are not confused with one another, as in generated names.
  std::string Suffix(size_t length);

  // The requirements of a standard generator, for std::shuffle.
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return std::numeric_limits<uint64_t>::max(); }
  uint64_t operator()() { return Next(); }

 private:
  uint64_t UpTo(uint64_t inclusive_limit);

  std::array<uint64_t, 4> state_;
};

// The system's cryptographic generator: for keys, tokens and UIDs. Thread-safe. In a simulation the bytes come from
// its seed, so that identifiers repeat. Ends the process when the system has no entropy to give: there is no safe
// way on from there.
class SecureRandom {
 public:
  static void Fill(std::span<std::byte> bytes);
  static uint64_t Next();
};

}  // namespace keelson
