#include "keelson/runtime/finalizer_registry.h"

#include <algorithm>

#include "keelson/api/access.h"
#include "keelson/api/status_error.h"
#include "keelson/client/create_or_update.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::internal {

namespace {

// The patch for that version only.
Result<Patch> Locked(const Patch& patch, const String& version) {
  if (version.empty()) return patch;
  KEELSON_TRY(document, ParseJson(patch.text()));
  JsonObject members = document.object();
  const Json* found = document.find("metadata");
  JsonObject metadata = found != nullptr && found->is_object() ? found->object() : JsonObject();
  metadata.Set("resourceVersion", Json(version));
  members.Set("metadata", Json(std::move(metadata)));
  return Patch::Raw(patch.type(), ToJson(Json(std::move(members))));
}

}  // namespace

Result<void> CheckFinalizer(std::string_view name, const std::vector<std::string>& taken) {
  const size_t slash = name.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == name.size() ||
      name.find('/', slash + 1) != name.npos) {
    return Error::InvalidArgument("a finalizer is called \"domain/name\", such as \"example.com/cleanup\", found \"" +
                                  std::string(name) + "\"");
  }
  if (std::find(taken.begin(), taken.end(), name) == taken.end()) return {};
  return Error(ErrorCode::kAlreadyExists, "the finalizer \"" + std::string(name) + "\" is registered already");
}

Result<void> WriteFinalized(const ObjectClient& client, const Target& target, const ObjectKey& key, const void* before,
                            void* object) {
  const Type& type = *target.type;
  KEELSON_TRY(change, SplitChange(type, before, object));
  const bool deleted = IsBeingDeleted(*FindObjectMeta(type, before));
  String version = FindObjectMeta(type, before)->resourceVersion;
  const auto write = [&](std::string_view subresource, const Patch& patch) -> Result<bool> {
    AnyValue answer(type);
    Result<void> written = client.PatchObject(target, key, subresource, patch, {}, answer.data());
    if (!written) {
      if (deleted && IsNotFound(written.error())) return false;
      return std::move(written).error();
    }
    version = FindObjectMeta(type, answer.data())->resourceVersion;
    AssignValue(type, object, answer.data());
    return true;
  };
  if (!change.status.empty()) {
    KEELSON_TRY(there, write("status", change.status));
    if (!there) return {};
  }
  if (change.main.empty()) return {};
  KEELSON_TRY(locked, Locked(change.main, version));
  KEELSON_RETURN_IF_ERROR(write({}, locked));
  return {};
}

}  // namespace keelson::internal
