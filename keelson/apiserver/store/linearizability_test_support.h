// Checks recorded histories of concurrent reads and writes: was every answer one that a server doing one request after
// the other could have given, each at some moment between its call and its return?
//
//   std::vector<Operation> history = RecordHistory(client, {.threads = 4, .operations = 500, .keys = 3});
//   EXPECT_EQ(FindViolation(history), "");
//
// In general that is a hard search. Here each write that succeeded has a revision of its own, which gives the order of
// all versions of a key: version k is written in phase 2k and seen in phases 2k+1. The answers are linearizable if and
// only if no operation of a later phase ended before one of an earlier phase began. What saw "absent" or "another
// revision" has several phases to choose from; the earliest that the operations before it allow is the best choice,
// since it binds those after it the least. Keys are checked one by one, which is enough for this property; in addition
// revisions of different keys must be in the order of time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "keelson/apiserver/store/store.h"
#include "keelson/core/random.h"
#include "keelson/core/thread.h"

namespace keelson::apiserver::testing {

struct Operation {
  enum class Kind : uint8_t { kGet, kCreate, kUpdate, kDelete };
  enum class Outcome : uint8_t { kDone, kAbsent, kExists, kConflict };

  Kind kind = Kind::kGet;
  int key = 0;
  Revision expected = 0;  // of updates and deletions
  Outcome outcome = Outcome::kDone;
  Revision revision = 0;  // of kDone: the version read, or written, or the deletion's
  bool exact =
      true;  // false: of a deletion whose revision nobody was told, one right behind the expected stands for it
  // Moments, all different.
  uint64_t start = 0;
  uint64_t end = 0;

  bool wrote() const { return kind != Kind::kGet && outcome == Outcome::kDone; }
};

namespace internal {

inline std::string Describe(const Operation& operation) {
  static constexpr const char* kKinds[] = {"get", "create", "update", "delete"};
  static constexpr const char* kOutcomes[] = {"done", "absent", "exists", "conflict"};
  return std::string(kKinds[static_cast<size_t>(operation.kind)]) + " of key " + std::to_string(operation.key) +
         " expecting " + std::to_string(operation.expected) + " [" + std::to_string(operation.start) + ", " +
         std::to_string(operation.end) + "]: " + kOutcomes[static_cast<size_t>(operation.outcome)] + " " +
         std::to_string(operation.revision);
}

// The versions of one key in their order; version 0 is its absence in the beginning.
struct Versions {
  std::vector<Revision> revision = {0};
  std::vector<bool> present = {false};

  size_t NumberOf(Revision wanted) const {
    const auto at = std::lower_bound(revision.begin() + 1, revision.end(), wanted);
    return at != revision.end() && *at == wanted ? static_cast<size_t>(at - revision.begin()) : 0;
  }
  bool Explains(size_t version, const Operation& operation) const {
    switch (operation.outcome) {
      case Operation::Outcome::kAbsent: return !present[version];
      case Operation::Outcome::kExists: return present[version];
      case Operation::Outcome::kConflict: return present[version] && revision[version] != operation.expected;
      case Operation::Outcome::kDone: return false;
    }
    return false;
  }
};

inline std::string CheckKey(std::vector<Operation> operations) {
  std::vector<Operation> writes;
  std::copy_if(operations.begin(), operations.end(), std::back_inserter(writes),
               [](const auto& o) { return o.wrote(); });
  std::sort(writes.begin(), writes.end(), [](const auto& a, const auto& b) { return a.revision < b.revision; });
  Versions versions;
  for (const Operation& write : writes) {
    const bool creates = write.kind == Operation::Kind::kCreate;
    if (write.revision == versions.revision.back()) return "two writes have one revision: " + Describe(write);
    if (versions.present.back() == creates) return "there was no such version: " + Describe(write);
    if (!creates && write.expected != versions.revision.back()) return "overwrote another version: " + Describe(write);
    versions.revision.push_back(write.revision);
    versions.present.push_back(write.kind != Operation::Kind::kDelete);
  }

  std::sort(operations.begin(), operations.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  std::map<uint64_t, size_t> ending;  // phases of those begun, by their ends
  size_t reached = 0;                 // the latest phase of those ended
  for (const Operation& operation : operations) {
    while (!ending.empty() && ending.begin()->first < operation.start) {
      reached = std::max(reached, ending.begin()->second);
      ending.erase(ending.begin());
    }
    size_t phase = 0;
    if (operation.outcome == Operation::Outcome::kDone) {
      const size_t version = versions.NumberOf(operation.revision);
      if (version == 0 || (!operation.wrote() && !versions.present[version])) {
        return "nobody wrote that version: " + Describe(operation);
      }
      phase = 2 * version + (operation.wrote() ? 0 : 1);
      if (phase < reached) return "came too late for that version: " + Describe(operation);
    } else {
      size_t version = reached / 2;  // a write of version v that ended allows looks at v from then on
      while (version < versions.revision.size() && !versions.Explains(version, operation)) ++version;
      if (version == versions.revision.size()) return "no version explains it: " + Describe(operation);
      phase = 2 * version + 1;
    }
    ending.emplace(operation.end, phase);
  }
  return {};
}

}  // namespace internal

// What shows that the history is not linearizable; empty when it is.
inline std::string FindViolation(const std::vector<Operation>& history) {
  std::map<int, std::vector<Operation>> by_key;
  std::vector<Operation> writes;
  for (const Operation& operation : history) {
    by_key[operation.key].push_back(operation);
    if (operation.wrote() && operation.exact) writes.push_back(operation);
  }
  for (auto& [key, operations] : by_key) {
    if (std::string violation = internal::CheckKey(std::move(operations)); !violation.empty()) return violation;
  }
  std::sort(writes.begin(), writes.end(), [](const auto& a, const auto& b) { return a.revision < b.revision; });
  uint64_t latest_start = 0;
  for (const Operation& write : writes) {
    if (write.end < latest_start) return "its revision is greater than a later write's: " + internal::Describe(write);
    latest_start = std::max(latest_start, write.start);
  }
  return {};
}

// Does one operation and fills in outcome and revision. Called by several threads.
using RegisterClient = std::function<void(Operation& operation)>;

struct HistoryShape {
  int threads = 4;
  int operations = 500;  // of each thread
  int keys = 3;
  uint64_t seed = 1;
};

inline std::vector<Operation> RecordHistory(const RegisterClient& client, const HistoryShape& shape) {
  std::atomic<uint64_t> moment = 1;
  std::vector<std::vector<Operation>> recorded(static_cast<size_t>(shape.threads));
  {
    std::vector<Thread> threads;
    for (int thread = 0; thread < shape.threads; ++thread) {
      threads.emplace_back("client", [&, thread] {
        Random random(shape.seed * 100 + static_cast<uint64_t>(thread));
        std::map<int, Revision> known;
        for (int i = 0; i < shape.operations; ++i) {
          using Kind = Operation::Kind;
          Operation operation{.kind = static_cast<Kind>(random.Uniform(0, 3)), .key = random.Uniform(1, shape.keys)};
          // Deletions are rarer: else most operations would meet nothing.
          if (operation.kind == Kind::kDelete && random.Chance(0.6)) operation.kind = Kind::kUpdate;
          operation.expected = known[operation.key];
          operation.start = moment.fetch_add(1);
          client(operation);
          operation.end = moment.fetch_add(1);
          if (operation.outcome == Operation::Outcome::kDone) known[operation.key] = operation.revision;
          recorded[static_cast<size_t>(thread)].push_back(operation);
        }
      });
    }
  }
  std::vector<Operation> history;
  for (const auto& part : recorded) history.insert(history.end(), part.begin(), part.end());
  return history;
}

}  // namespace keelson::apiserver::testing
