// Any text as JSON of several types: what is read can be written, and what was written is read back as the same value.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/api/access.h"
#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace {

using namespace keelson;

void Expect(bool condition) {
  if (!condition) std::abort();
}

void TryType(const Type& type, std::string_view text) {
  AnyValue value(type);
  if (!DecodeJson(type, value.data(), text)) {
    // Nothing is left half filled.
    const AnyValue untouched(type);
    Expect(Equal(type, value.data(), untouched.data()));
    return;
  }
  std::string written;
  AppendJson(type, value.data(), written);
  AnyValue again(type);
  Expect(DecodeJson(type, again.data(), written).has_value());
  std::string rewritten;
  AppendJson(type, again.data(), rewritten);
  Expect(written == rewritten);
  // Not equal to `value` itself, where raw JSON may have had space in it.
  AnyValue third(type);
  Expect(DecodeJson(type, third.data(), rewritten).has_value());
  Expect(Equal(type, again.data(), third.data()));

  std::string indented;
  AppendJson(type, value.data(), indented, {.indent = 4});
  AnyValue from_indented(type);
  Expect(DecodeJson(type, from_indented.data(), indented).has_value());
  rewritten.clear();
  AppendJson(type, from_indented.data(), rewritten);
  Expect(written == rewritten);
  AnyValue strictly(type);
  (void)DecodeJson(type, strictly.data(), text, {.strict = true}).has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TryType(TypeOf<Json>(), text);
  TryType(TypeOf<corev1::Pod>(), text);
  TryType(TypeOf<corev1::PodList>(), text);
  TryType(TypeOf<corev1::Secret>(), text);
  TryType(TypeOf<appsv1::StatefulSet>(), text);
  TryType(TypeOf<appsv1::ControllerRevision>(), text);
  TryType(TypeOf<apiextensionsv1::CustomResourceDefinition>(), text);
  return 0;
}
