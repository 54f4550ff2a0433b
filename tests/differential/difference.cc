#include "tests/differential/difference.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "keelson/codec/json_writer.h"
#include "keelson/codec/yaml_reader.h"
#include "tests/differential/recording.h"

namespace keelson::differential {
namespace {

constexpr size_t kMaxShown = 600;

std::string Shown(const Json* value) {
  if (value == nullptr) return "nothing";
  std::string text = ToJson(*value);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "…";
  return text;
}

std::string Joined(const std::string& at, std::string_view name) {
  return at.empty() ? std::string(name) : at + "." + std::string(name);
}

void CompareAt(const std::string& at, const Json* expected, const Json* got, size_t step,
               std::vector<Difference>& differences) {
  if (expected != nullptr && got != nullptr) {
    if (*expected == *got) return;
    if (expected->is_object() && got->is_object()) {
      std::set<std::string> names;
      for (const auto& [name, member] : expected->object()) names.insert(std::string(name));
      for (const auto& [name, member] : got->object()) names.insert(std::string(name));
      for (const std::string& name : names) {
        CompareAt(Joined(at, name), expected->find(name), got->find(name), step, differences);
      }
      return;
    }
    if (expected->is_list() && got->is_list() && expected->list().size() == got->list().size()) {
      for (size_t i = 0; i < expected->list().size(); ++i) {
        CompareAt(at + "[" + std::to_string(i) + "]", &expected->list()[i], &got->list()[i], step, differences);
      }
      return;
    }
  }
  differences.push_back({.step = step, .at = at, .expected = Shown(expected), .got = Shown(got)});
}

}  // namespace

std::string ToString(const Difference& difference) {
  return "step " + std::to_string(difference.step) + " " + difference.at + ": expected " + difference.expected +
         ", got " + difference.got;
}

void Compare(const Json& expected, const Json& got, size_t step, std::vector<Difference>& differences) {
  CompareAt("", &expected, &got, step, differences);
}

bool MatchesPattern(std::string_view text, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (size_t at = star; at <= text.size(); ++at) {
    if (MatchesPattern(text.substr(at), rest)) return true;
  }
  return false;
}

Result<KnownDifferences> KnownDifferences::Read(const std::string& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) return Error(ErrorCode::kNotFound, file + " cannot be read");
  KEELSON_TRY(document, ParseYaml(text.str()));
  KnownDifferences known;
  const Json* list = document.find("differences");
  if (list == nullptr || !list->is_list()) return Error(ErrorCode::kInvalid, file + ": expected a list `differences`");
  for (const Json& one : list->list()) {
    Entry entry{.script = Text(one, "script"),
                .step = 0,
                .at = Text(one, "at"),
                .expected = Text(one, "expected"),
                .reason = Text(one, "reason")};
    if (const Json* step = one.find("step"); step != nullptr && step->is_int()) {
      entry.step = static_cast<size_t>(step->integer());
    }
    if (entry.script.empty() || entry.reason.empty()) {
      return Error(ErrorCode::kInvalid, file + ": every difference has a `script` and a `reason`");
    }
    known.entries_.push_back(std::move(entry));
  }
  return known;
}

const std::string* KnownDifferences::Find(const std::string& title, const Difference& difference) {
  const std::string* reason = nullptr;
  for (Entry& entry : entries_) {
    const bool at = entry.at.empty() || MatchesPattern(difference.at, entry.at) ||
                    MatchesPattern(difference.at, entry.at + ".*") || MatchesPattern(difference.at, entry.at + "[*");
    if (!entry.expected.empty() && !MatchesPattern(difference.expected, entry.expected)) continue;
    if (!at || (entry.step != 0 && entry.step != difference.step) || !MatchesPattern(title, entry.script)) continue;
    entry.used = true;
    reason = &entry.reason;
  }
  return reason;
}

std::vector<std::string> KnownDifferences::Unused(const std::string& topic) const {
  std::vector<std::string> unused;
  for (const Entry& entry : entries_) {
    if (!entry.used && entry.script.starts_with(topic + "/")) {
      unused.push_back(entry.script + (entry.at.empty() ? "" : " at " + entry.at) +
                       (entry.expected.empty() ? "" : ", expected " + entry.expected));
    }
  }
  return unused;
}

}  // namespace keelson::differential
