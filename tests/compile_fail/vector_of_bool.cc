// EXPECT: use keelson::List<bool>
// Its elements have no address, which every algorithm over described types needs.
#include "keelson/api/standard_types.h"

const keelson::Type& Caller() {
#ifdef MUST_FAIL
  return keelson::TypeOf<std::vector<bool>>();
#else
  return keelson::TypeOf<std::vector<int32_t>>();
#endif
}
