// Any bytes as a server's answer: the client's parser keeps its bounds, and what it makes of them does not depend on
// how they were cut on their way.
//
// The first byte of an input chooses: its lowest bit whether the request was a HEAD, the rest where the bytes are cut.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/transport/internal/gzip_inflater.h"
#include "keelson/transport/internal/http1_response_parser.h"

namespace {

using namespace keelson;
using namespace keelson::internal;

constexpr size_t kMaxHeaderBytes = 1000;

void Expect(bool condition) {
  if (!condition) std::abort();
}

struct Answer {
  int status = 0;
  size_t headers = 0;
  std::string body;
  size_t used = 0;
  bool whole = false;
  bool malformed = false;
  bool operator==(const Answer&) const = default;
};

// As a connection does it: what was not used stays in front of what comes next.
Answer Parse(std::string_view bytes, bool to_head_request, size_t cut) {
  Http1ResponseParser parser(to_head_request, kMaxHeaderBytes);
  Answer answer;
  std::string buffer;
  while (true) {
    std::string_view input = buffer;
    const ParseStep step = parser.Parse(input);
    const size_t used = buffer.size() - input.size();
    answer.used += used;
    if (step == ParseStep::kBody) {
      Expect(parser.body().data() >= buffer.data());
      Expect(parser.body().data() + parser.body().size() <= buffer.data() + used);
      answer.body += parser.body();
    }
    if (step == ParseStep::kHeaders) {
      Expect(used <= kMaxHeaderBytes);
      answer.status = parser.status();
      answer.headers = parser.headers().size();
      Expect(answer.status >= 0 && answer.status <= 999);
    }
    buffer.erase(0, used);
    if (step == ParseStep::kDone) {
      answer.whole = true;
      return answer;
    }
    if (step == ParseStep::kMalformed) {
      // How far it came before it noticed depends on the cuts.
      Answer refused;
      refused.malformed = true;
      return refused;
    }
    if (step != ParseStep::kNeedMore) continue;
    if (bytes.empty()) {
      answer.whole = parser.AtEnd();
      return answer;
    }
    const size_t size = std::min(cut, bytes.size());
    buffer.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
}

void Unpack(std::string_view bytes) {
  GzipInflater inflater;
  for (size_t total = 0; total < (size_t{1} << 20);) {
    const Result<std::string_view> unpacked = inflater.Next(bytes);
    if (!unpacked || unpacked->empty()) return;
    total += unpacked->size();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bool to_head_request = (data[0] & 1) != 0;
  const size_t cut = 1 + (data[0] >> 1);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Answer whole = Parse(bytes, to_head_request, bytes.size() + 1);
  const Answer cut_up = Parse(bytes, to_head_request, cut);
  if (!whole.malformed && !cut_up.malformed) Expect(whole == cut_up);
  Unpack(bytes);
  return 0;
}
