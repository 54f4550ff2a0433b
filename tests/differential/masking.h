// Takes out of a script's answers what chance decides, so that those of two servers can be compared: uids, times, names
// that the server made, addresses and ports, tokens of lists. Resource versions become their rank: which is older, and
// which are the same, is compared.
//
//   Mask(answers, {.namespace_ = "diff-qwertyui"});
//     "uid":"98f06c8c-…"                 → "uid":"{uid 1}"
//     "resourceVersion":"1606"           → "resourceVersion":"{version 2}"
//     of a list: "resourceVersion":"1700" → "{since version 2}", since others may have written meanwhile
#pragma once

#include <string>
#include <vector>

#include "keelson/api/json.h"

namespace keelson::differential {

struct MaskOptions {
  std::string namespace_;          // becomes "{ns}", wherever it is
  std::vector<std::string> names;  // likewise "{name}"
  // managedFields are compared: in one order, since theirs depends on the second in which each was written. Otherwise
  // they are left out.
  bool managed_fields = false;
};

// One answer for each step, in order.
void Mask(std::vector<Json>& answers, const MaskOptions& options);

// Every string and number by what it is: all that is left of answers whose values must differ.
Json WithoutValues(const Json& value);

}  // namespace keelson::differential
