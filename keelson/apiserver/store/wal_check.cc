#include "keelson/apiserver/store/wal_check.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

namespace keelson::apiserver::internal {
namespace {

// The file format is SQLite's, documented under "WAL-mode File Format".
constexpr size_t kHeaderBytes = 32;
constexpr size_t kFrameHeaderBytes = 24;
constexpr uint32_t kMagic = 0x377f0682;  // its last bit says that checksums read words in big-endian order
constexpr size_t kMinPage = 512;
constexpr size_t kMaxPage = 65536;

uint32_t BigEndian(const unsigned char* at) {
  return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | uint32_t{at[3]};
}
uint32_t LittleEndian(const unsigned char* at) {
  return uint32_t{at[3]} << 24 | uint32_t{at[2]} << 16 | uint32_t{at[1]} << 8 | uint32_t{at[0]};
}

class Checksum {
 public:
  explicit Checksum(bool big_endian) : big_endian_(big_endian) {}

  void Add(const unsigned char* data, size_t size) {
    for (const unsigned char* end = data + size; data < end; data += 8) {
      first_ += Word(data) + second_;
      second_ += Word(data + 4) + first_;
    }
  }
  bool Matches(const unsigned char* stored) const {
    return BigEndian(stored) == first_ && BigEndian(stored + 4) == second_;
  }

 private:
  uint32_t Word(const unsigned char* at) const { return big_endian_ ? BigEndian(at) : LittleEndian(at); }

  const bool big_endian_;
  uint32_t first_ = 0;
  uint32_t second_ = 0;
};

bool Read(std::ifstream& file, unsigned char* to, size_t size) {
  return static_cast<bool>(file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(size)));
}

}  // namespace

Result<void> CheckWriteAheadLog(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  unsigned char header[kHeaderBytes];
  if (!file || !Read(file, header, sizeof header)) return {};  // none, or killed before the first frame
  const uint32_t magic = BigEndian(header);
  const uint32_t page_size = BigEndian(header + 8);
  Checksum checksum((magic & 1) != 0);
  checksum.Add(header, 24);
  if ((magic & ~1u) != kMagic || page_size < kMinPage || page_size > kMaxPage || !std::has_single_bit(page_size) ||
      !checksum.Matches(header + 24)) {
    return Error::Internal("the header of its write-ahead log is damaged");
  }

  std::vector<unsigned char> frame(kFrameHeaderBytes + page_size);
  bool readable = true;
  for (size_t number = 1; Read(file, frame.data(), frame.size()); ++number) {
    const bool same_log = std::memcmp(frame.data() + 8, header + 16, 8) == 0;
    const bool ends_transaction = BigEndian(frame.data() + 4) != 0;
    if (!readable) {
      if (same_log && ends_transaction) {
        return Error::Internal("its write-ahead log is damaged before frame " + std::to_string(number));
      }
      continue;
    }
    if (!same_log) {
      readable = false;
      continue;
    }
    checksum.Add(frame.data(), 8);
    checksum.Add(frame.data() + kFrameHeaderBytes, page_size);
    readable = checksum.Matches(frame.data() + 16);
  }
  return {};
}

}  // namespace keelson::apiserver::internal
