// Uses the installed headers, links the installed libraries, and has API types of its own.
#include <cstdio>
#include <string>

#include "api/v1/generated.h"
#include "gadgets/v1/generated.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/scheme.h"
#include "keelson/codec/yaml_reader.h"

using example::v1::Widget;

keelson::Result<std::string> Read(const std::string& yaml) {
  keelson::Scheme scheme;
  KEELSON_RETURN_IF_ERROR(example::v1::AddToScheme(scheme));
  KEELSON_RETURN_IF_ERROR(example::gadgets::v1::AddToScheme(scheme));
  KEELSON_TRY(widget, keelson::FromYaml<Widget>(yaml));
  return keelson::ToJson(widget.spec);
}

int main() {
  const keelson::Result<std::string> read = Read("spec: {name: World, tone: Friendly}");
  const keelson::Result<std::string> wrong = Read("spec: {name: World, tone: Rude}");
  if (!read || wrong) return 1;
  std::printf("%s\n%s: %s\n", read->c_str(), std::string(keelson::ToString(wrong.error().code())).c_str(),
              wrong.error().message().c_str());
  for (const keelson::Field& field : keelson::TypeOf<example::v1::WidgetSpec>().fields) {
    std::printf("field %s\n", std::string(field.name).c_str());
  }
  return *read == R"({"name":"World","tone":"Friendly"})" ? 0 : 1;
}
