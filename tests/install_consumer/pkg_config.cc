// Built without CMake, by what pkg-config says alone.
#include <iostream>

#include "keelson/api/core/v1.h"
#include "keelson/controlplane/control_plane.h"

int main() {
  using namespace keelson;
  const ControlPlane control_plane;
  const Result<corev1::ConfigMap> stored =
      control_plane.client().Create(corev1::ConfigMap{.metadata = {.name = "greeting", .namespace_ = "default"}});
  if (!stored) {
    std::cerr << stored.error().message() << "\n";
    return 1;
  }
  std::cout << "stored " << stored->metadata.name.str() << "\n";
}
