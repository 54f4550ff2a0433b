// What happened to an object, as the parts of an informer tell each other.
#pragma once

#include <cstdint>
#include <string_view>

#include "keelson/cache/object.h"

namespace keelson {

enum class DeltaType : uint8_t {
  kAdded,
  kUpdated,
  kDeleted,
  kReplaced,  // a list has it: new to the cache where `old` is null, else changed since
  kSync,      // nothing happened; a resync shows it again
};
std::string_view ToString(DeltaType type);  // "Added"

struct Delta {
  DeltaType type = DeltaType::kAdded;
  ObjectPtr object = {};  // as it is now; of a deletion, as it was last
  ObjectPtr old = {};     // as the cache had it before; null when it had none
  // Of a deletion that was missed while no watch was open: a list lacks the object, and `object` is the last that is
  // known of it, which need not be the state in which it was deleted.
  bool final_state_unknown = false;
  // Of the first list, or of the present state shown to a handler that came later.
  bool initial = false;
};

}  // namespace keelson
