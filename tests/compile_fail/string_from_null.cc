// EXPECT: deleted (function|member function|operator)
#include "keelson/api/string.h"

keelson::String Caller() {
#ifdef MUST_FAIL
  return nullptr;
#else
  return "";
#endif
}
