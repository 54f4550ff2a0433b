// EXPECT: SetDefaults must take a reference
// What it sets would be lost.
#include "keelson/codec/registration.h"

namespace example {

struct App {};
#ifdef MUST_FAIL
void SetDefaults(App app);
#endif

}  // namespace example

void Caller(keelson::Scheme& scheme) { keelson::RegisterDefaulting<example::App>(scheme); }
