// EXPECT: deleted (function|member function|operator)
#include "keelson/api/core/v1.h"

keelson::List<keelson::corev1::Container> Containers();

bool Caller() {
  const auto kept = Containers();
  const keelson::corev1::Container* container = &kept[0];
#ifdef MUST_FAIL
  const keelson::corev1::Container& dangling = Containers()[0];
  container = &dangling;
#endif
  return container->tty;
}
