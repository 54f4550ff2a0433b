// What a reflector does next: the whole of its judgement, without I/O.
//
//   ReflectorState state;
//   ReflectorStep step = Step(state, {.kind = ReflectorInput::Kind::kStarted}, options);
//   // step.command: stream or list the objects; then report what came of it, and so on
//
// The rules:
// - The first list may be answered from a server's cache (version "0"); a later one is not older than what was seen.
// - Where the server can, objects are listed by a watch (sendInitialEvents). A server that refuses is asked for a list.
// - A watch goes on at the last version, whatever ended it, unless the server says that this version is too old
//   (Expired) or not there (too large): then the objects are listed anew. If that version cannot be listed either, the
//   newest is.
// - What fails is tried again for ever, later each time up to the longest wait. A watch that shows something ends the
//   series. A resource that is not there (its CRD may come) is asked for every few seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "keelson/core/error.h"
#include "keelson/core/periodic.h"
#include "keelson/core/time.h"

namespace keelson {

enum class ReflectorFailure : uint8_t {
  kExpired,          // the version is too old
  kVersionTooLarge,  // the version is newer than the server
  kRefused,          // the server does not take such a request
  kMissing,          // there is no such resource
  kOther,
};
ReflectorFailure FailureOf(const Error& error);

struct ReflectorState {
  enum class Phase : uint8_t { kIdle, kStreaming, kListing, kWatching, kWaiting };

  Phase phase = Phase::kIdle;
  std::string version = {};          // up to which everything was seen; empty: nothing was
  bool version_unavailable = false;  // it cannot be listed: list the newest
  bool streaming = true;             // list by a watch
  bool list_once = false;            // a stream failed: list the next time
  bool watched = false;              // this watch showed something
  bool caught_up = false;            // a watch did so since the last list
  int failures = 0;                  // in a row
  bool relist = false;               // what comes after a wait: a list, else a watch
};

struct ReflectorInput {
  enum class Kind : uint8_t {
    kStarted,
    kListed,  // whole, at `version`; by a list or by a stream, which goes on as a watch
    kSaw,     // the watch showed an event or a bookmark of `version`
    kEnded,   // the watch ended without an error
    kFailed,  // what was commanded failed
    kWaited,
  };
  Kind kind = Kind::kStarted;
  std::string version = {};
  ReflectorFailure failure = ReflectorFailure::kOther;
  bool lasted = false;  // the watch was open for so long that opening the next at once floods nobody
  std::optional<Duration> retry_after = {};  // what the server asked for
};

struct ReflectorCommand {
  enum class Kind : uint8_t {
    kStream,  // list by a watch, not older than `version`, and go on with it
    kList,    // at `version`
    kWatch,   // from `version` on
    kWait,
    kGoOn,  // with the watch
  };
  Kind kind = Kind::kGoOn;
  std::string version = {};
  Duration wait = {};  // before jitter

  friend bool operator==(const ReflectorCommand&, const ReflectorCommand&) = default;
};

struct ReflectorStep {
  ReflectorState state;
  ReflectorCommand command;
};

struct ReflectorPolicy {
  bool streaming = true;
  BackoffOptions backoff = {};
  Duration longest_wait_for_missing = std::chrono::seconds(5);
};

ReflectorStep Step(ReflectorState state, const ReflectorInput& input, const ReflectorPolicy& policy);

}  // namespace keelson
