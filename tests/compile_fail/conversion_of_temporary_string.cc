// EXPECT: deleted (function|member function|operator)
// The same by implicit conversion.
#include "keelson/api/string.h"

keelson::String Name();

size_t Caller() {
  const keelson::String kept = Name();
  std::string_view view = kept;
#ifdef MUST_FAIL
  std::string_view dangling = Name();
  view = dangling;
#endif
  return view.size();
}
