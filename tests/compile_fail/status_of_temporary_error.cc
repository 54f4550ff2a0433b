// EXPECT: deleted (function|member function|operator)
#include "keelson/api/status_error.h"

keelson::Error Failure();

bool Caller() {
  const keelson::Error kept = Failure();
  const keelson::metav1::Status* status = keelson::StatusOf(kept);
#ifdef MUST_FAIL
  status = keelson::StatusOf(Failure());
#endif
  return status != nullptr;
}
