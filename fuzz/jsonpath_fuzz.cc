// A template and, behind the first zero byte, the document to apply it to. Also reads the template as a field path,
// which must print as it reads and leave the document alone when it fails.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "keelson/codec/field_path.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/jsonpath.h"

namespace {

using keelson::FieldPath;
using keelson::Json;
using keelson::JsonPath;
using keelson::Result;

void Require(bool holds) {
  if (!holds) std::abort();
}

Json SampleDocument() {
  return Json::Object(
      {{"items", Json::Array({Json::Object({{"name", "a"}, {"n", 1}, {"f", 1.5}, {"ok", true}}),
                              Json::Object({{"name", "b"}, {"list", Json::Array({1, 2, nullptr})}}), Json()})},
       {"a.b", "dotted"},
       {"empty", Json::Array()}});
}

void RenderTemplate(std::string_view text, const Json& document) {
  for (const bool allow : {false, true}) {
    const Result<JsonPath> path =
        JsonPath::Parse(text, {.allow_missing_keys = allow, .max_steps = 20'000, .max_output_bytes = 1 << 20});
    if (!path) continue;
    const Result<std::string> once = path->Render(document);
    const Result<std::string> again = path->Render(document);
    Require(once.has_value() == again.has_value());
    if (once) Require(*once == *again);
    if (once) Require(path->Find(document).has_value());
    (void)path->RenderAsJson(document).has_value();
  }
}

void FollowFieldPath(std::string_view text, const Json& document) {
  const Result<FieldPath> path = FieldPath::Parse(text);
  if (!path) return;
  const Result<FieldPath> again = FieldPath::Parse(path->ToString());
  Require(again.has_value() && *again == *path);
  Json changed = document;
  if (!SetField(changed, *path, "new")) {
    Require(changed == document);
    return;
  }
  const Result<Json> read = GetField(changed, *path);
  // Writing the field that an element is found by makes the path name another one.
  if (read) Require(*read == Json("new") || path->ToString().find('=') != std::string::npos);
  if (!path->empty()) Require(RemoveField(changed, *path).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t zero = input.find('\0');
  const std::string_view text = input.substr(0, zero);
  Json document = SampleDocument();
  if (zero != std::string_view::npos) {
    if (Result<Json> parsed = keelson::ParseJson(input.substr(zero + 1), {.max_depth = 100}))
      document = *std::move(parsed);
  }
  RenderTemplate(text, document);
  FollowFieldPath(text, document);
  return 0;
}
