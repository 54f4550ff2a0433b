#include "keelson/transport/internal/gzip_inflater.h"

#include <algorithm>
#include <limits>
#include <new>

namespace keelson::internal {

namespace {
constexpr size_t kOutput = size_t{64} << 10;
constexpr int kGzipOnly = 16;  // added to the window's bits: zlib's way to ask for this format
}  // namespace

GzipInflater::GzipInflater() {
  if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
}

GzipInflater::~GzipInflater() { inflateEnd(&stream_); }

void GzipInflater::Reset() {
  inflateReset(&stream_);
  complete_ = false;
}

Result<std::string_view> GzipInflater::Next(std::string_view& packed) {
  out_.resize(kOutput);
  stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
  stream_.avail_out = static_cast<uInt>(kOutput);
  while (stream_.avail_out != 0) {
    if (complete_) {
      if (packed.empty()) break;
      Reset();
    }
    const size_t given = std::min<size_t>(packed.size(), std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(given);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    packed.remove_prefix(given - stream_.avail_in);
    if (code == Z_STREAM_END) {
      complete_ = true;
    } else if (code == Z_BUF_ERROR) {
      break;  // more input is needed
    } else if (code != Z_OK) {
      const char* reason = stream_.msg == nullptr ? "it is not gzip" : stream_.msg;
      return Error(ErrorCode::kUnavailable, std::string("the packed body cannot be unpacked: ") + reason);
    }
  }
  return std::string_view(out_.data(), kOutput - stream_.avail_out);
}

}  // namespace keelson::internal
