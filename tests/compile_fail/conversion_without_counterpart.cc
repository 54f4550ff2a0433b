// EXPECT: ConvertTo has no counterpart
// A version that can be turned into the stored one, but not back, could not be read again.
#include "keelson/codec/registration.h"

namespace example {

struct Old {};
struct Hub {};
#ifdef MUST_FAIL
keelson::Result<void> ConvertTo(const Old& old, Hub& hub);
#endif

}  // namespace example

keelson::Result<void> Caller(keelson::Scheme& scheme) {
  return keelson::RegisterConversion<example::Old, example::Hub>(scheme);
}
