// Cuts the JSON of a FieldsV1 into the pieces that FieldsV1 itself would, 64 characters at a time.
//
// managedFields are up to half of an object, so finding the ends of pieces character by character would be a good part
// of reading one.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace keelson::internal {

// Sets `ends` to where each piece ends; the last one is the length of the text.
void CutFields(std::string_view json, std::vector<size_t>& ends);

}  // namespace keelson::internal
