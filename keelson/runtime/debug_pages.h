// What a program that runs tells about itself: which threads there are, which of them use the processor, and where its
// memory is.
//
// | /debug/threads            | each thread's name, what it does, its processor time since it started             |
// | /debug/profile?seconds=N  | the same over the next N seconds (default 10, at most 60): who is busy now        |
// | /debug/memory             | what the kernel and the allocator count                                           |
//
// They look from outside, at /proc and the allocator's counters, so they cost nothing while nobody asks and little when
// somebody does, and work in a program without symbols. They do not say where in the code time is spent: perf does, and
// the profile's first lines give its command.
#pragma once

#include <memory>
#include <string>

#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/runtime/routes.h"

namespace keelson {

std::string DescribeThreads();
// Waits for that long, or until stop, and describes the time that passed.
std::string ProfileThreads(Duration span, const StopToken& stop);
std::string DescribeMemory();

// Adds the three paths. A profile under way ends when `stop` is requested; a second at the same time is 503. Handlers
// wait, so they need threads that may.
Result<void> AddDebugPages(Routes& routes, const StopToken& stop);

}  // namespace keelson
