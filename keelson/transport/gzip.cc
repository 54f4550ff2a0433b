#include "keelson/transport/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "keelson/core/ascii.h"

namespace keelson {

bool WantsGzip(const Headers& headers) {
  for (std::string_view rest : headers.All("Accept-Encoding")) {
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view one = rest.substr(0, comma);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      const size_t semicolon = std::min(one.find(';'), one.size());
      if (!EqualsIgnoringCase(Trim(one.substr(0, semicolon)), "gzip")) continue;
      // "q=0", "q=0.0" and the like refuse it; any other weight, even one that cannot be read, does not.
      const std::string_view weight = Trim(one.substr(std::min(semicolon + 1, one.size())));
      return !weight.starts_with("q=0") || weight.find_first_of("123456789") != std::string_view::npos;
    }
  }
  return false;
}

std::string Gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzipFraming = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipFraming, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return result == Z_STREAM_END ? packed : std::string();
}

}  // namespace keelson
