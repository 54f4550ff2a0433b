// EXPECT: deleted (function|member function|operator)
#include "keelson/api/core/v1.h"

keelson::Optional<keelson::corev1::SecurityContext> Context();

bool Caller() {
  const auto kept = Context();
  const keelson::Optional<bool>* privileged = &kept->privileged;
#ifdef MUST_FAIL
  privileged = &Context()->privileged;
#endif
  return privileged->has_value();
}
