#include "keelson/client/create_or_update.h"

#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson {

std::string_view ToString(Change change) {
  switch (change) {
    case Change::kNone: return "unchanged";
    case Change::kCreated: return "created";
    case Change::kUpdated: return "updated";
    case Change::kUpdatedStatus: return "updatedStatusOnly";
    case Change::kUpdatedBoth: return "updatedStatus";
  }
  return "?";
}

namespace internal {

Result<SplitPatch> SplitChange(const Type& type, const void* before, const void* after) {
  KEELSON_TRY(whole, Patch::Between(type, before, after));
  KEELSON_TRY(document, ParseJson(whole.text()));
  JsonObject main = document.object();
  JsonObject status;
  if (const Json* found = document.find("status")) {
    status.Set("status", *found);
    main.erase("status");
  }
  return SplitPatch{Patch::Raw(whole.type(), ToJson(Json(std::move(main)))),
                    Patch::Raw(whole.type(), ToJson(Json(std::move(status))))};
}

}  // namespace internal
}  // namespace keelson
