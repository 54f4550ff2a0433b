// EXPECT: deleted (function|member function|operator)
#include "keelson/api/json.h"

keelson::Json Document();

bool Caller() {
  const keelson::Json kept = Document();
  const keelson::Json* kind = kept.find("kind");
#ifdef MUST_FAIL
  kind = Document().find("kind");
#endif
  return kind != nullptr;
}
