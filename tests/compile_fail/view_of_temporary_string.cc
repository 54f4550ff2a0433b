// EXPECT: deleted (function|member function|operator)
// A view into a String that is gone at the end of the line.
#include "keelson/api/string.h"

size_t Caller() {
  const keelson::String kept = "x";
  std::string_view view = kept;
#ifdef MUST_FAIL
  view = keelson::String("x").view();
#endif
  return view.size();
}
