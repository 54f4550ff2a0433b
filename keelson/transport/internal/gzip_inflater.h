// Unpacks gzip as it arrives, by zlib.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

#include "keelson/core/result.h"

namespace keelson::internal {

// Used by one thread at a time; for one body after another.
class GzipInflater {
 public:
  GzipInflater();
  ~GzipInflater();
  GzipInflater(const GzipInflater&) = delete;
  GzipInflater& operator=(const GzipInflater&) = delete;

  // Begins a new body.
  void Reset();
  // Takes what it can off the front of `packed` and gives what came of it: at most 64 KiB, valid until the next call;
  // empty when more input is needed. An error is final until Reset.
  Result<std::string_view> Next(std::string_view& packed);
  // The body may end here.
  bool complete() const { return complete_; }

 private:
  z_stream stream_ = {};
  bool complete_ = false;  // at the end of a member, of which there may be several
  std::string out_;
};

}  // namespace keelson::internal
