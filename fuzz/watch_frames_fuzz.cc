// Any bytes as a watch, of JSON or protobuf by the first byte: the sizes of the chunks, which the next two give, change
// nothing, and the JSON frames are those that the obvious scan finds, up to the first that is no JSON.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/codec/json_reader.h"
#include "keelson/transport/watch_frames.h"

namespace {

using namespace keelson;

constexpr size_t kLimit = 300;

void Expect(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::vector<std::string> frames;
  bool failed = false;
  bool at_boundary = false;
  bool operator==(const Outcome&) const = default;
};

Outcome Cut(WatchFrameCutter& cutter, std::string_view stream, size_t first, size_t rest) {
  Outcome outcome;
  size_t size = first;
  while (!stream.empty() && !outcome.failed) {
    const std::string chunk(stream.substr(0, size));
    size = rest;
    stream.remove_prefix(chunk.size());
    cutter.Append(chunk);
    while (true) {
      const Result<std::optional<std::string_view>> frame = cutter.Next();
      outcome.failed = !frame;
      if (!frame || !*frame) break;
      outcome.frames.emplace_back(**frame);
    }
  }
  outcome.at_boundary = !outcome.failed && cutter.at_boundary();
  return outcome;
}

// What is cut from here on, in bytes that are no JSON, the JSON reader refuses wherever it is cut.
bool EndsInJson(const std::vector<std::string>& frames, std::string_view behind) {
  if (!ParseJson(frames.back())) return false;
  behind.remove_prefix(std::min(behind.find_first_not_of(" \t\r\n"), behind.size()));
  return behind.empty() || behind.front() == '{';
}

// Ends in front of what is no JSON.
struct ObviousOutcome : Outcome {
  bool all_json = true;
};

ObviousOutcome CutJsonObviously(std::string_view stream) {
  ObviousOutcome outcome;
  std::string frame;
  size_t depth = 0;
  bool in_string = false, escaped = false;
  for (size_t i = 0; i < stream.size(); ++i) {
    const char c = stream[i];
    if (depth == 0) {
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
      if (c != '{') {
        outcome.failed = true;
        return outcome;
      }
    }
    frame += c;
    if (frame.size() > kLimit) {
      outcome.all_json = false;
      return outcome;
    }
    if (escaped) {
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      ++depth;
    } else if (!in_string && (c == '}' || c == ']') && --depth == 0) {
      outcome.frames.push_back(std::exchange(frame, {}));
      if (EndsInJson(outcome.frames, stream.substr(i + 1))) continue;
      outcome.frames.pop_back();
      outcome.all_json = false;
      return outcome;
    }
  }
  outcome.at_boundary = depth == 0;
  // What is open may not become JSON.
  outcome.all_json = outcome.at_boundary;
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 3, size - 3);
  const auto make = [&] { return data[0] % 2 == 0 ? NewJsonWatchFrames(kLimit) : NewProtobufWatchFrames(kLimit); };
  const Outcome whole = Cut(*make(), stream, stream.size(), stream.size());
  const Outcome pieces = Cut(*make(), stream, data[1] + size_t{1}, data[2] + size_t{1});
  if (data[0] % 2 != 0) {
    Expect(whole == pieces);
    return 0;
  }
  const ObviousOutcome obvious = CutJsonObviously(stream);
  for (const Outcome& outcome : {whole, pieces}) {
    if (obvious.all_json) {
      Expect(outcome == obvious);
    } else {
      Expect(outcome.frames.size() >= obvious.frames.size());
      Expect(std::equal(obvious.frames.begin(), obvious.frames.end(), outcome.frames.begin()));
    }
  }
  return 0;
}
