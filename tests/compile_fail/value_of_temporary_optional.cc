// EXPECT: deleted (function|member function|operator)
#include "keelson/api/core/v1.h"

keelson::Optional<keelson::corev1::SecurityContext> Context();

bool Caller() {
  const auto kept = Context();
  const keelson::corev1::SecurityContext* context = &*kept;
#ifdef MUST_FAIL
  context = &*Context();
#endif
  return context->privileged.has_value();
}
