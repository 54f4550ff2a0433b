// Why a request is in a controller's queue, for people who read logs.
//
//   for (const Cause& cause : context.causes()) log.Info("Reconciling", "because", cause);   // "ConfigMap web updated"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "keelson/api/string.h"

namespace keelson {

enum class CauseType : uint8_t {
  kInitial,  // it was there when the controller began
  kCreated,
  kUpdated,
  kDeleted,
  kResync,   // nothing changed
  kGeneric,  // a channel, a timer or a source of one's own said so
  kError,    // the try before failed
  kRetry,    // the try before asked for another
  kAfter,    // the time came that a reconcile had asked for
};
std::string_view ToString(CauseType type);  // "updated"

struct Cause {
  CauseType type = CauseType::kGeneric;
  String source = {};  // the kind that was watched, or the source's name; empty: the controller itself
  // The object of the event, where it is not the request's own.
  String namespace_ = {};
  String name = {};

  friend bool operator==(const Cause&, const Cause&) = default;
};

std::string ToString(const Cause& cause);  // "ConfigMap default/web updated"

}  // namespace keelson
