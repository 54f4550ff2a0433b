// Checks of the rules of a schema when its CustomResourceDefinition is written: that they compile, that oldSelf is used
// where there can be one, and that neither one nor all of them can cost too much.
//
//   CheckSchemaRules(*schema, {.any_cost = unchanged}, path / "openAPIV3Schema", errors);
#pragma once

#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/path.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

struct RuleCheckOptions {
  // Of a schema that did not change: a single rule may cost what it likes.
  bool any_cost = false;
};

// `root` is structural and has no other errors. In upstream's order: places before the ones they are in; then the rules
// that cost most, when all together cost too much.
void CheckSchemaRules(const Schema& root, const RuleCheckOptions& options, const Path& path, FieldErrors& errors);

}  // namespace keelson::apiserver
