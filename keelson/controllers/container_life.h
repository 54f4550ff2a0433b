// The life of one container: a part of pod_life.h.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "keelson/controllers/pod_life.h"

namespace keelson::controllers {

// What is known of a container that is being looked at.
struct ContainerLife {
  const corev1::Pod& pod;
  const corev1::Container& spec;
  bool init = false;
  const ContainerScript script;
  corev1::ContainerStatus& status;
  ContainerMemory& memory;
};

// The time of one look, and what comes of it.
class Look {
 public:
  Look(WallTime now, const PodPace& pace, const PodPlace& place, std::vector<PodEvent>& events)
      : now_(now), pace_(pace), place_(place), events_(events) {}

  WallTime now() const { return now_; }
  const PodPace& pace() const { return pace_; }
  const PodPlace& place() const { return place_; }
  const std::optional<WallTime>& next() const { return next_; }

  // Whether that span has passed since then; if not, it is time to look again when it has.
  bool Passed(WallTime since, Duration span);
  void Tell(const ContainerLife& container, bool warning, std::string reason, std::string message);

 private:
  const WallTime now_;
  const PodPace& pace_;
  const PodPlace& place_;
  std::vector<PodEvent>& events_;
  std::optional<WallTime> next_;
};

bool StaysBeside(const corev1::Container& container);  // an init container that goes on: a sidecar

// Brings it as far as the time lets it. Its status must be there.
void AdvanceContainer(ContainerLife& container, Look& look);
// Ends it now: `reason` is "Completed", "Error", …
void EndContainer(ContainerLife& container, Look& look, int32_t exit_code);
// The memory that fits the status, by times of the status where there was none.
void RecallContainer(ContainerLife& container, WallTime now);
// The status of one that is yet to start.
corev1::ContainerStatus WaitingContainer(const corev1::Container& spec, std::string_view reason);

}  // namespace keelson::controllers
