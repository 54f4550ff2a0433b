// EXPECT: discards qualifiers|no viable overloaded
// What came from a cache is const, and nothing in it can be written.
#include "keelson/api/core/v1.h"

void Caller(const keelson::corev1::Pod& cached) {
#ifdef MUST_FAIL
  cached.spec.containers[0].image = "nginx";
#endif
  keelson::corev1::Pod own = cached;
  own.spec.containers[0].image = "nginx";
}
