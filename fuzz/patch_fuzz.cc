// Patches of every kind on documents of every kind. The input is a letter for the kind (j: JSON patch, m: merge patch,
// anything else: strategic merge patch of a Pod), then two JSON documents, one a line: what to patch, and the patch,
// which also stands for a document to make a patch for.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/codec/internal/drop_nulls.h"
#include "keelson/codec/json_equal.h"
#include "keelson/codec/json_patch.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/merge_patch.h"
#include "keelson/codec/strategic_merge_patch.h"

namespace {

using namespace keelson;

void Expect(bool condition) {
  if (!condition) std::abort();
}

void TryJsonPatch(const Json& document, const Json& patch) {
  if (const Result<JsonPatch> parsed = JsonPatch::Parse(patch)) {
    const Json before = document;
    (void)parsed->Apply(document).has_value();
    Expect(document == before);
    Expect(JsonPatch::Parse(parsed->AsJson()).value().AsJson() == parsed->AsJson());
  }
  const Result<Json> made = DiffToJsonPatch(document, patch).Apply(document);
  Expect(made.has_value() && *made == patch);
}

void TryMergePatch(const Json& document, const Json& patch) {
  (void)ApplyMergePatch(document, patch);
  (void)CreateThreeWayJsonMergePatch(document, patch, document).has_value();
  if (!document.is_object() || !patch.is_object()) return;
  const Json wanted = internal::DropNullMembers(patch);
  Expect(NumericallyEqual(ApplyMergePatch(document, CreateMergePatch(document, wanted)), wanted));
}

void TryStrategicMerge(const Json& document, const Json& patch) {
  const Type& type = TypeOf<corev1::Pod>();
  if (const Result<Json> patched = ApplyStrategicMergePatch(type, document, patch)) {
    (void)CreateStrategicMergePatch(type, document, *patched).has_value();
    (void)CreateThreeWayStrategicMergePatch(type, document, patch, *patched, {.overwrite = false}).has_value();
  }
  if (const Result<Json> change = CreateStrategicMergePatch(type, document, patch)) {
    (void)ApplyStrategicMergePatch(type, document, *change).has_value();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t newline = text.find('\n');
  if (newline == std::string_view::npos) return 0;
  const Result<Json> document = ParseJson(text.substr(0, newline));
  const Result<Json> patch = ParseJson(text.substr(newline + 1));
  if (!document || !patch) return 0;
  switch (data[0]) {
    case 'j': TryJsonPatch(*document, *patch); break;
    case 'm': TryMergePatch(*document, *patch); break;
    default: TryStrategicMerge(*document, *patch); break;
  }
  return 0;
}
