#include "keelson/runtime/cause.h"

namespace keelson {

std::string_view ToString(CauseType type) {
  switch (type) {
    case CauseType::kInitial: return "was there";
    case CauseType::kCreated: return "created";
    case CauseType::kUpdated: return "updated";
    case CauseType::kDeleted: return "deleted";
    case CauseType::kResync: return "resync";
    case CauseType::kGeneric: return "event";
    case CauseType::kError: return "retry after an error";
    case CauseType::kRetry: return "retry";
    case CauseType::kAfter: return "requeued for now";
  }
  return "event";
}

std::string ToString(const Cause& cause) {
  std::string text(cause.source.view());
  if (!cause.name.empty()) {
    if (!text.empty()) text += ' ';
    if (!cause.namespace_.empty()) text.append(cause.namespace_.view()) += '/';
    text += cause.name.view();
  }
  if (!text.empty()) text += ' ';
  return text += ToString(cause.type);
}

}  // namespace keelson
