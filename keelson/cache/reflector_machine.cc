#include "keelson/cache/reflector_machine.h"

#include <algorithm>
#include <utility>

#include "keelson/api/status_error.h"

namespace keelson {

namespace {

using Phase = ReflectorState::Phase;
using Command = ReflectorCommand::Kind;

ReflectorStep ListNow(ReflectorState state, const ReflectorPolicy& policy) {
  state.watched = false;
  state.caught_up = false;
  std::string version = state.version_unavailable ? "" : state.version.empty() ? "0" : state.version;
  if (policy.streaming && state.streaming && !state.list_once) {
    state.phase = Phase::kStreaming;
    // A stream at "0" may show an old state first; it costs the server nothing to show its newest.
    if (version == "0") version.clear();
    return {std::move(state), {.kind = Command::kStream, .version = std::move(version)}};
  }
  state.phase = Phase::kListing;
  return {std::move(state), {.kind = Command::kList, .version = std::move(version)}};
}

ReflectorStep WatchNow(ReflectorState state) {
  state.phase = Phase::kWatching;
  state.watched = false;
  std::string version = state.version;
  return {std::move(state), {.kind = Command::kWatch, .version = std::move(version)}};
}

ReflectorStep WaitNow(ReflectorState state, const ReflectorInput& input, const ReflectorPolicy& policy, bool relist) {
  ++state.failures;
  state.relist = relist;
  state.phase = Phase::kWaiting;
  Duration wait = Backoff::Base(policy.backoff, state.failures);
  if (input.failure == ReflectorFailure::kMissing) wait = std::min(wait, policy.longest_wait_for_missing);
  if (input.retry_after) wait = std::max(wait, *input.retry_after);
  return {std::move(state), {.kind = Command::kWait, .wait = wait}};
}

ReflectorStep ListFailed(ReflectorState state, const ReflectorInput& input, const ReflectorPolicy& policy) {
  const bool streamed = state.phase == Phase::kStreaming;
  switch (input.failure) {
    case ReflectorFailure::kExpired:
    case ReflectorFailure::kVersionTooLarge: {
      const bool again = state.version_unavailable;
      state.version_unavailable = true;
      if (!again) return ListNow(std::move(state), policy);
      return WaitNow(std::move(state), input, policy, true);
    }
    case ReflectorFailure::kRefused:
      if (!streamed) break;
      state.streaming = false;
      return ListNow(std::move(state), policy);
    case ReflectorFailure::kMissing: return WaitNow(std::move(state), input, policy, true);
    case ReflectorFailure::kOther: break;
  }
  if (streamed) state.list_once = true;
  return WaitNow(std::move(state), input, policy, true);
}

ReflectorStep WatchFailed(ReflectorState state, const ReflectorInput& input, const ReflectorPolicy& policy) {
  const bool too_large = input.failure == ReflectorFailure::kVersionTooLarge;
  if (too_large || input.failure == ReflectorFailure::kExpired) {
    if (too_large) state.version_unavailable = true;
    // A server that lists what it will not watch must not make us list in a loop.
    if (state.caught_up) return ListNow(std::move(state), policy);
    return WaitNow(std::move(state), input, policy, true);
  }
  if (input.lasted) state.failures = 0;
  return WaitNow(std::move(state), input, policy, false);
}

}  // namespace

ReflectorFailure FailureOf(const Error& error) {
  if (IsExpired(error)) return ReflectorFailure::kExpired;
  if (HasStatusCause(error, "ResourceVersionTooLarge") ||
      error.message().find("Too large resource version") != std::string::npos) {
    return ReflectorFailure::kVersionTooLarge;
  }
  switch (error.code()) {
    case ErrorCode::kNotFound:
    case ErrorCode::kUnsupported: return ReflectorFailure::kMissing;
    case ErrorCode::kInvalid:
    case ErrorCode::kInvalidArgument: return ReflectorFailure::kRefused;
    default: return ReflectorFailure::kOther;
  }
}

ReflectorStep Step(ReflectorState state, const ReflectorInput& input, const ReflectorPolicy& policy) {
  switch (input.kind) {
    case ReflectorInput::Kind::kStarted: return ListNow(std::move(state), policy);
    case ReflectorInput::Kind::kListed: {
      const bool streamed = state.phase == Phase::kStreaming;
      state.version = input.version;
      state.version_unavailable = false;
      state.list_once = false;
      if (!streamed) return WatchNow(std::move(state));
      state.phase = Phase::kWatching;
      return {std::move(state), {.kind = Command::kGoOn}};
    }
    case ReflectorInput::Kind::kSaw:
      state.version = input.version;
      state.watched = true;
      state.caught_up = true;
      state.failures = 0;
      return {std::move(state), {.kind = Command::kGoOn}};
    case ReflectorInput::Kind::kEnded:
      if (state.phase == Phase::kStreaming) return ListFailed(std::move(state), input, policy);
      // Servers end watches in their own time. One that ends without having shown anything, not even a bookmark, may do
      // so again at once.
      if (state.watched || input.lasted) {
        state.failures = 0;
        return WatchNow(std::move(state));
      }
      return WaitNow(std::move(state), input, policy, false);
    case ReflectorInput::Kind::kFailed:
      if (state.phase == Phase::kWatching) return WatchFailed(std::move(state), input, policy);
      return ListFailed(std::move(state), input, policy);
    case ReflectorInput::Kind::kWaited:
      if (state.relist) return ListNow(std::move(state), policy);
      return WatchNow(std::move(state));
  }
  return {std::move(state), {}};
}

}  // namespace keelson
