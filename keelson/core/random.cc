#include "keelson/core/random.h"

#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "keelson/core/internal/scheduler.h"

namespace keelson {

namespace {

__extension__ using Uint128 = unsigned __int128;

uint64_t SplitMix(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(uint64_t seed) {
  for (uint64_t& word : state_) word = SplitMix(seed);
}

Random Random::FromEntropy() { return Random(SecureRandom::Next()); }

uint64_t Random::Next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

// The high word of a 64×64-bit product is the number; the few low words that would favour some of them are drawn again.
uint64_t Random::UpTo(uint64_t inclusive_limit) {
  if (inclusive_limit == max()) return Next();
  const uint64_t count = inclusive_limit + 1;
  const uint64_t rejected = (0 - count) % count;
  while (true) {
    const auto product = static_cast<Uint128>(Next()) * count;
    if (static_cast<uint64_t>(product) >= rejected) return static_cast<uint64_t>(product >> 64);
  }
}

Duration Random::Jitter(Duration base, double factor) {
  const double extra = static_cast<double>(base.count()) * factor * UniformReal();
  return base + Duration(static_cast<Duration::rep>(extra));
}

std::string Random::Suffix(size_t length) {
  static constexpr char kAlphabet[] = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix(length, '\0');
  for (char& c : suffix) c = kAlphabet[UpTo(sizeof(kAlphabet) - 2)];
  return suffix;
}

void SecureRandom::Fill(std::span<std::byte> bytes) {
  if (auto* scheduler = internal::CurrentScheduler()) return scheduler->FillEntropy(bytes);
  while (!bytes.empty()) {
    const ssize_t count = getrandom(bytes.data(), bytes.size(), 0);
    if (count < 0) {
      if (errno == EINTR) continue;
      std::fprintf(stderr, "keelson: the system gives no random bytes: %s\n", std::strerror(errno));
      std::abort();
    }
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

uint64_t SecureRandom::Next() {
  uint64_t value = 0;
  Fill(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

}  // namespace keelson
