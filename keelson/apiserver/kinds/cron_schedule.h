// Reads the schedule of a CronJob: five fields, or a word such as "@daily".
#pragma once

#include <string>
#include <string_view>

namespace keelson::apiserver {

// What is wrong with it, as Kubernetes says it; empty when it is valid.
std::string WhyNoSchedule(std::string_view schedule);

}  // namespace keelson::apiserver
