// Where two answers differ, and which of the differences are known and stay.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/core/result.h"

namespace keelson::differential {

struct Difference {
  size_t step = 0;  // from 1
  std::string at;   // "status", "headers.Warning", "body.metadata.labels"
  std::string expected;
  std::string got;
};

// "step 3 body.message: expected "a", got "b""
std::string ToString(const Difference& difference);

// In the order of the fields; of long values the beginning.
void Compare(const Json& expected, const Json& got, size_t step, std::vector<Difference>& differences);

// The list of known_differences.yaml. Every entry must excuse something: one that does not is to be removed.
class KnownDifferences {
 public:
  static Result<KnownDifferences> Read(const std::string& file);

  // The reason, or null when the difference is not known. `title` is "topic/script".
  const std::string* Find(const std::string& title, const Difference& difference);
  // Entries of the topic that excused nothing.
  std::vector<std::string> Unused(const std::string& topic) const;

 private:
  struct Entry {
    std::string script;    // `*` stands for any text
    size_t step = 0;       // 0: any
    std::string at;        // and all below it; `*` stands for any text
    std::string expected;  // what the recorded value looks like; empty: anything
    std::string reason;
    bool used = false;
  };

  std::vector<Entry> entries_;
};

// Whether `text` is what the pattern describes, in which `*` stands for any text.
bool MatchesPattern(std::string_view text, std::string_view pattern);

}  // namespace keelson::differential
