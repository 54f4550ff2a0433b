// EXPECT: declaration order
// Members are in Go's declaration order, and so are designated initialisers.
#include "keelson/api/apps/v1.h"

keelson::appsv1::DeploymentSpec Caller() {
#ifdef MUST_FAIL
  return {.paused = true, .replicas = 3};
#else
  return {.replicas = 3, .paused = true};
#endif
}
