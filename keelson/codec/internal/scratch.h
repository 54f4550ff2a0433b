// Memory that readers reuse from one object to the next.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace keelson::internal {

// Zeroed blocks with stable addresses, given back in the reverse order of taking.
class Scratch {
 public:
  class Block {
   public:
    Block(Scratch& scratch, size_t size) : scratch_(scratch), chunk_(scratch.chunk_), used_(scratch.used_) {
      data_ = scratch.Take((size + 7) & ~size_t{7});
      std::memset(data_, 0, size);
    }
    ~Block() {
      scratch_.chunk_ = chunk_;
      scratch_.used_ = used_;
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    std::byte* data() const { return data_; }

   private:
    Scratch& scratch_;
    size_t chunk_;
    size_t used_;
    std::byte* data_;
  };

 private:
  static constexpr size_t kChunkSize = 64 << 10;  // larger than any struct

  std::byte* Take(size_t size) {
    if (chunks_.empty()) chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kChunkSize));
    if (used_ + size > kChunkSize) {
      if (++chunk_ == chunks_.size()) chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kChunkSize));
      used_ = 0;
    }
    std::byte* block = chunks_[chunk_].get() + used_;
    used_ += size;
    return block;
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  size_t chunk_ = 0;
  size_t used_ = 0;
};

}  // namespace keelson::internal
