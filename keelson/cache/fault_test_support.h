// For tests of the cache: what a server does wrong when it answers one list or watch (history_test_support.h).
//
//   history.faults.push_back({.on = Fault::kList, .what = Fault::kStatus, .status = 503});
#pragma once

#include <cstddef>

namespace keelson {

struct Fault {
  enum On { kList, kWatch };
  enum What {
    kStatus,    // answers with `status` and no object
    kCut,       // the answer breaks off after that many bytes
    kEnd,       // a watch ends in order behind that many bytes, at the end of an event
    kExpire,    // a watch is told that its version is too old, behind that many bytes
    kSilent,    // a watch shows nothing and does not end
    kOldNews,   // a watch begins at the start of history
    kTooLarge,  // 504, the version is newer than the server
  };
  On on = kWatch;
  What what = kCut;
  size_t after_bytes = 0;
  int status = 500;
};

}  // namespace keelson
