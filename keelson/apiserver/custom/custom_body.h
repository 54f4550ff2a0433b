// Custom objects as requests bring them: read, fitted to the schema, oddities told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/apiserver/custom/custom_version.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// As DecodeBody and DecodeDocument do for built-in kinds. Fields that the schema does not know are dropped.
Result<AnyValue> DecodeCustomBody(const CustomVersion& version, std::string_view body, Format format,
                                  FieldValidation validation, std::vector<std::string>& warnings);
Result<AnyValue> DecodeCustomDocument(const CustomVersion& version, Json document, FieldValidation validation,
                                      std::vector<std::string>& warnings);

}  // namespace keelson::apiserver
