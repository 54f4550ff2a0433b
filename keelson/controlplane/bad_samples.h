// Samples of what goes wrong, tried. The first line of each file says how it ends:
//
//   # rejected: should be greater than or equal to 0    the server refuses it, and its message has that text
//   # accepted: ServiceRequired                         condition Ready is False for that reason, and a Warning event
//                                                       about the object has it too
//
//   EXPECT_THAT(TryBadSamples(client, "config/samples/bad"), IsEmpty());
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/core/time.h"

namespace keelson {

struct BadSamplesOptions {
  std::string condition = "Ready";            // empty: only the event counts
  Duration settle = std::chrono::minutes(1);  // that the operator gets for each; of virtual time in a simulation
  std::string namespace_ = "default";         // of what names none
};

// Creates what each file of the folder holds, and says what ended otherwise, a sentence each. In a file of several
// objects the last one is meant. A folder without files is such a sentence too.
std::vector<std::string> TryBadSamples(const Client& client, const std::string& folder,
                                       const BadSamplesOptions& options = {});

}  // namespace keelson
