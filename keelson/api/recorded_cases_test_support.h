// Reads the recorded answers of Kubernetes' own libraries, one JSON object a line, for tests below the codec.
//
//   for (const RecordedCase& recorded : ReadRecordedCases("duration.jsonl")) {
//     SCOPED_TRACE(recorded.line);
//     EXPECT_EQ(Parse(recorded["in"].text), recorded["out"].text);
//   }
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keelson::testing {

struct RecordedMember;

// A JSON value. Trusts its input but for its end.
struct RecordedValue {
  enum Kind { kMissing, kNull, kBool, kNumber, kString, kList, kObject };

  Kind kind = kMissing;
  std::string text;  // of a string, decoded; of a number or a bool, as it stands
  std::vector<RecordedValue> items;
  std::vector<RecordedMember> members;

  bool has(std::string_view name) const;
  bool is_true() const;
  int64_t integer() const;
  // The member of that name; its kind is kMissing when there is none.
  const RecordedValue& operator[](std::string_view name) const;
  // The members' texts.
  std::map<std::string, std::string> strings() const;
};

struct RecordedMember {
  std::string name;
  RecordedValue value;
};

inline bool RecordedValue::has(std::string_view name) const { return (*this)[name].kind != kMissing; }
inline bool RecordedValue::is_true() const { return kind == kBool && text == "true"; }
inline int64_t RecordedValue::integer() const { return std::stoll(text); }
inline const RecordedValue& RecordedValue::operator[](std::string_view name) const {
  static const RecordedValue missing;
  for (const RecordedMember& member : members) {
    if (member.name == name) return member.value;
  }
  return missing;
}
inline std::map<std::string, std::string> RecordedValue::strings() const {
  std::map<std::string, std::string> all;
  for (const RecordedMember& member : members) all[member.name] = member.value.text;
  return all;
}

class RecordedReader {
 public:
  explicit RecordedReader(std::string_view json) : rest_(json) {}

  RecordedValue Read() {
    SkipSpace();
    RecordedValue value;
    const char c = Peek();
    if (c == '"') {
      value.kind = RecordedValue::kString;
      value.text = ReadString();
    } else if (c == '[' || c == '{') {
      ReadContainer(value, c);
    } else {
      const size_t end = std::min(rest_.find_first_of(",]} \t"), rest_.size());
      value.text = rest_.substr(0, end);
      value.kind = RecordedValue::kNumber;
      if (c == 'n') value.kind = RecordedValue::kNull;
      if (c == 't' || c == 'f') value.kind = RecordedValue::kBool;
      rest_.remove_prefix(end);
    }
    return value;
  }

 private:
  char Peek() const { return rest_.empty() ? throw std::runtime_error("recorded line ends too early") : rest_[0]; }
  char Take() {
    const char c = Peek();
    rest_.remove_prefix(1);
    return c;
  }
  void SkipSpace() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  void ReadContainer(RecordedValue& value, char open) {
    value.kind = open == '[' ? RecordedValue::kList : RecordedValue::kObject;
    const char close = open == '[' ? ']' : '}';
    Take();
    SkipSpace();
    if (Peek() == close) {
      Take();
      return;
    }
    do {
      SkipSpace();
      if (open == '[') {
        value.items.push_back(Read());
      } else {
        std::string name = ReadString();
        SkipSpace();
        Take();  // the colon
        value.members.push_back({std::move(name), Read()});
      }
      SkipSpace();
    } while (Take() == ',');
  }
  std::string ReadString() {
    std::string text;
    Take();
    for (char c = Take(); c != '"'; c = Take()) text += c == '\\' ? ReadEscape() : std::string(1, c);
    return text;
  }
  std::string ReadEscape() {
    const char c = Take();
    switch (c) {
      case 'n': return "\n";
      case 't': return "\t";
      case 'r': return "\r";
      case 'b': return "\b";
      case 'f': return "\f";
      case 'u': break;
      default: return std::string(1, c);
    }
    // The recorder escapes control characters and some ASCII only.
    const auto code = std::stoul(std::string(rest_.substr(0, 4)), nullptr, 16);
    rest_.remove_prefix(4);
    if (code < 0x80) return std::string(1, static_cast<char>(code));
    if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
    return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
            static_cast<char>(0x80 | (code & 63))};
  }

  std::string_view rest_;
};

struct RecordedCase : RecordedValue {
  std::string line;
};

// Fails the test when the file is not there or empty.
inline std::vector<RecordedCase> ReadRecordedCases(const std::string& file) {
  std::vector<RecordedCase> cases;
  std::ifstream in(std::string(KEELSON_TEST_DATA "/") + file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    cases.push_back({RecordedReader(line).Read(), line});
  }
  EXPECT_FALSE(cases.empty()) << file << " is missing or empty";
  return cases;
}

}  // namespace keelson::testing
