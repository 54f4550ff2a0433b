// The rules that all kinds share: what metadata must look like, and what of it an update may not change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/resource.h"

namespace keelson::apiserver {

// Why the kind cannot have that name; none when it can. `prefix`: it is a generateName.
std::vector<std::string> CheckName(const ErasedRules& rules, std::string_view name, bool prefix);

// The name of who manages fields: printable and not too long.
void ValidateFieldManager(std::string_view manager, const Path& path, FieldErrors& errors);

void ValidateMetadata(const Resource& resource, const metav1::ObjectMeta& meta, FieldErrors& errors);
// Of an object inside another one, whose kind is not known: a name only has to fit into a path, and there may be none.
void ValidateEmbeddedMetadata(const metav1::ObjectMeta& meta, const Path& root, FieldErrors& errors);

// Fills in what a client may leave out of an update (uid, times of creation and deletion) and what it has no say in.
void CarryOverMetadata(metav1::ObjectMeta& meta, const metav1::ObjectMeta& old);
void ValidateMetadataUpdate(const metav1::ObjectMeta& meta, const metav1::ObjectMeta& old, FieldErrors& errors);

// A random version 4 UUID.
std::string NewUid();
// The prefix, cut so that there is room, and five random characters.
std::string GenerateName(std::string_view prefix);

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

}  // namespace keelson::apiserver
