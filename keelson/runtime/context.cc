#include "keelson/runtime/context.h"

#include <fmt/format.h>

#include "keelson/core/random.h"

namespace keelson {

const Causes<Cause> Context::kNoCauses;

const Logger& Context::log() const {
  if (!log_) {
    const Logger described = describe_ != nullptr ? describe_(options_.log, request_) : options_.log;
    log_ = described.WithValues("reconcileID", id());
  }
  return *log_;
}

const std::string& Context::id() const {
  if (id_.empty()) {
    const uint64_t high = SecureRandom::Next();
    const uint64_t low = SecureRandom::Next();
    // Of version 4 and variant 1, as tools that collect logs expect.
    id_ = fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xfff,
                      0x8000 | ((low >> 48) & 0x3fff), low & 0xffffffffffff);
  }
  return id_;
}

int64_t Context::attempt() const {
  return failures_of_ == nullptr ? options_.attempt : failures_of_(queue_, request_) + 1;
}

}  // namespace keelson
