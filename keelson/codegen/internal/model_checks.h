// What remains to be done when all declarations of the headers are read.
#pragma once

#include "keelson/codegen/source_model.h"
#include "keelson/codegen/source_position.h"

namespace keelson::codegen::internal {

// Packages by directory, declarations by header and line.
void SortModel(SourceModel& model);

// Reports JSON names that a struct has twice, and roots without metadata.
void CheckModel(const SourceModel& model, Diagnostics& problems);

}  // namespace keelson::codegen::internal
