// Any text as YAML: every document becomes JSON that the JSON reader takes, and survives being written and read again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codec/yaml_writer.h"

namespace {

using namespace keelson;

void Expect(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const YamlReadOptions options = {.max_depth = 200, .max_expanded_bytes = 1 << 16};
  if (const Result<std::vector<std::string>> documents = SplitYamlToJson(text, options)) {
    for (const std::string& json : *documents) {
      const Result<Json> value = ParseJson(json);
      // Text that came as JSON may still break rules that only the reader knows, such as paired surrogates.
      if (!value) continue;
      const std::string yaml = ToYaml(*value);
      const Result<Json> again = ParseYaml(yaml);
      Expect(again.has_value());
      // A double that is whole becomes an integer on its first way through YAML; then nothing changes any more.
      const std::string rewritten = ToYaml(*again);
      Expect(ToYaml(*ParseYaml(rewritten)) == rewritten);
    }
  }
  if (const Result<corev1::Pod> pod = FromYaml<corev1::Pod>(text, options)) {
    const Result<corev1::Pod> again = FromYaml<corev1::Pod>(ToYaml(*pod));
    Expect(again.has_value());
  }
  return 0;
}
