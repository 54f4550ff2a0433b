// What a simulated container does, by annotations of its pod.
//
//   metadata:
//     annotations:
//       keelson.dev/pod-start-delay: 3s          # from creating to running
//       keelson.dev/pod-ready-delay: 500ms       # from running to ready, beside what probes say
//       keelson.dev/pod-exit-after: 1m           # it ends so long after its start …
//       keelson.dev/pod-exit-code: "1"           # … with this code; 0 where nothing is said
//       keelson.dev/pod-exits: "2"               # only so often; then it stays. Without it: every time
//       keelson.dev/pod-fail-probe: readiness    # or startup, liveness; several with commas
//       keelson.dev/pod-stop-delay: 5s           # from the request to stop to its end, if the grace period lets it
//       keelson.dev/pod-pull-error: no such tag  # its image cannot be had, for this reason
//
// Each may be meant for one container: keelson.dev/pod-exit-code.app. They count whenever they are set: a running pod
// that is given an exit code ends. A value that cannot be read is taken for none.
//
// Images that no pod can have are named at the Node, with commas between them: keelson.dev/missing-images.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/core/time.h"

namespace keelson::controllers {

inline constexpr std::string_view kPodScriptPrefix = "keelson.dev/pod-";
inline constexpr std::string_view kMissingImages = "keelson.dev/missing-images";

struct ContainerScript {
  std::optional<Duration> start_delay = {};
  Duration ready_delay{0};
  std::optional<Duration> exit_after = {};
  std::optional<int32_t> exit_code = {};
  std::optional<int32_t> exits = {};
  Duration stop_delay{0};
  bool fail_startup = false;
  bool fail_readiness = false;
  bool fail_liveness = false;
  std::string pull_error = {};

  bool ends() const { return exit_after || exit_code; }
};

ContainerScript ScriptOf(const corev1::Pod& pod, std::string_view container);

}  // namespace keelson::controllers
