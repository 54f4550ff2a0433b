// EXPECT: deleted (function|member function|operator)
#include "keelson/api/map.h"

keelson::Map<keelson::String> Labels();

bool Caller() {
  const auto kept = Labels();
  const keelson::String* app = kept.find("app");
#ifdef MUST_FAIL
  app = Labels().find("app");
#endif
  return app != nullptr;
}
