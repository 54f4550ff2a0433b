// EXPECT: deleted (function|member function|operator)
#include "keelson/api/conditions.h"

keelson::List<keelson::metav1::Condition> Conditions();

bool Caller() {
  const auto kept = Conditions();
  const keelson::metav1::Condition* ready = keelson::FindStatusCondition(kept, "Ready");
#ifdef MUST_FAIL
  ready = keelson::FindStatusCondition(Conditions(), "Ready");
#endif
  return ready != nullptr;
}
