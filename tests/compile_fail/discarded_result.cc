// EXPECT: ignoring return(ed)? value
// An error that nobody looks at is a bug: a Result cannot be dropped by accident.
#include "keelson/core/result.h"

keelson::Result<int> Read();
keelson::Result<void> Write();

int Caller() {
#ifdef MUST_FAIL
  Write();
#endif
  return Write() ? Read().value_or(0) : 1;
}
