// Any text as the body of a list that arrives in pieces: the pieces' sizes, which the first bytes give, change nothing.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/codec/json_list_cutter.h"
#include "keelson/codec/json_reader.h"

namespace {

using namespace keelson;

void Expect(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::vector<std::string> items;
  bool good = false;
  std::string header;
};

Outcome Cut(std::string_view body, size_t first, size_t rest) {
  Outcome outcome;
  JsonListCutter cutter(
      [&](std::string_view item) -> Result<void> {
        outcome.items.emplace_back(item);
        return {};
      },
      {.max_depth = 100});
  size_t size = first;
  while (!body.empty()) {
    const std::string chunk(body.substr(0, size));
    size = rest;
    body.remove_prefix(chunk.size());
    if (!cutter.Feed(chunk)) break;
  }
  if (const Result<JsonListHeader> header = cutter.Finish()) {
    outcome.good = true;
    outcome.header = header->kind + "|" + header->apiVersion.str() + "|" + header->metadata.resourceVersion.str();
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Outcome whole = Cut(body, body.size(), body.size());
  const Outcome pieces = Cut(body, data[0] + size_t{1}, data[1] + size_t{1});
  Expect(whole.good == pieces.good);
  Expect(whole.header == pieces.header);
  Expect(whole.items == pieces.items);

  // A body that is a JSON object gives the items that the JSON reader finds.
  const Result<Json> document = ParseJson(body, {.max_depth = 90});
  if (!document || !document->is_object() || !whole.good) return 0;
  const Json* items = document->find("items");
  const size_t count = items != nullptr && items->is_list() ? items->list().size() : 0;
  Expect(whole.items.size() == count);
  for (size_t i = 0; i < count; ++i) Expect(*ParseJson(whole.items[i]) == items->list()[i]);
  return 0;
}
