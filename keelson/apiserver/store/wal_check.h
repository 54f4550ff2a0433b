// Tells a damaged write-ahead log from one whose writer was killed.
//
// SQLite reads its log up to the first frame that does not add up and takes that for the end. After a kill that is
// right: the rest is an unfinished transaction. But when a later frame of the same log ends a transaction, then what
// does not add up was written whole once, and to stop before it would silently undo acknowledged writes.
#pragma once

#include <string>

#include "keelson/core/result.h"

namespace keelson::apiserver::internal {

// kInternal when committed transactions of the log can no longer be read. A missing or empty log is fine.
Result<void> CheckWriteAheadLog(const std::string& path);

}  // namespace keelson::apiserver::internal
