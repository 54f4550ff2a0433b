// Label and field selectors: what is read prints to text that reads back to an equal selector with the same answers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/api/field_selector.h"
#include "keelson/api/label_selector.h"

namespace {

using keelson::Result;

void Require(bool holds) {
  if (!holds) std::abort();
}

const keelson::labels::Set kSets[] = {
    {}, {{"app", "web"}}, {{"app", "db"}, {"tier", "1"}}, {{"a", ""}, {"metadata.name", "x,y=z"}}, {{"tier", "17"}}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  if (const Result<keelson::labels::Selector> selector = keelson::labels::Parse(text)) {
    const Result<keelson::labels::Selector> again = keelson::labels::Parse(selector->ToString());
    Require(again.has_value());
    Require(again->ToString() == selector->ToString());
    for (const auto& set : kSets) Require(again->Matches(set) == selector->Matches(set));
  }

  if (const Result<keelson::fields::Selector> selector = keelson::fields::Parse(text)) {
    const Result<keelson::fields::Selector> again = keelson::fields::Parse(selector->ToString());
    Require(again.has_value());
    // Terms are ordered by their text before it is read, as in Go, so that "a==b" and "a=b" sort differently: only what
    // was printed once is sure to print the same again.
    const Result<keelson::fields::Selector> settled = keelson::fields::Parse(again->ToString());
    Require(settled.has_value() && settled->ToString() == again->ToString());
    for (const auto& set : kSets) Require(again->Matches(set) == selector->Matches(set));
  }

  const Result<std::string> unescaped = keelson::fields::UnescapeValue(keelson::fields::EscapeValue(text));
  Require(unescaped.has_value() && *unescaped == text);
  return 0;
}
