// Cuts the input, a list body and a watch stream, whole and in small parts: the same items and frames must come out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_list_cutter.h"

namespace {

using namespace keelson;

constexpr size_t kLimit = 4096;  // of an item or frame; small, so that it is met

struct Parts {
  std::vector<std::string> parts;
  Result<ListHead> head;
};

// Calls feed(part) until it fails: parts of `size` bytes each, in memory of their own.
template <class Feed>
bool InParts(std::string_view input, size_t size, Feed feed) {
  while (!input.empty()) {
    const std::string part(input.substr(0, size));
    if (!feed(part)) return false;
    input.remove_prefix(part.size());
  }
  return true;
}

Parts CutList(std::string_view body, size_t size) {
  Parts cut{{}, ListHead{}};
  ProtobufListCutter cutter(
      [&](std::string_view item) -> Result<void> {
        cut.parts.emplace_back(item);
        return {};
      },
      kLimit);
  InParts(body, size, [&](std::string_view part) { return cutter.Feed(part).has_value(); });
  cut.head = cutter.Finish();
  return cut;
}

std::vector<std::string> CutFrames(std::string_view stream, size_t size, bool* whole) {
  std::vector<std::string> frames;
  FrameCutter cutter(kLimit);
  const bool good = InParts(stream, size, [&](std::string_view part) {
    const Result<void> fed = cutter.Feed(part, [&](std::string_view frame) -> Result<void> {
      frames.emplace_back(frame);
      return {};
    });
    return fed.has_value();
  });
  *whole = good && cutter.at_boundary();
  return frames;
}

void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const Parts whole = CutList(input, size + 1);
  bool whole_stream = false;
  const std::vector<std::string> frames = CutFrames(input, size + 1, &whole_stream);
  for (const size_t part : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{64}}) {
    const Parts cut = CutList(input, part);
    Require(cut.parts == whole.parts && cut.head.has_value() == whole.head.has_value());
    Require(!cut.head || Equal(cut.head->metadata, whole.head->metadata));
    Require(!cut.head || (cut.head->kind == whole.head->kind && cut.head->api_version == whole.head->api_version));
    bool stream = false;
    Require(CutFrames(input, part, &stream) == frames && stream == whole_stream);
  }
  return 0;
}
