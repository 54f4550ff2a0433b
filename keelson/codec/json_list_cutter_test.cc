#include "keelson/codec/json_list_cutter.h"

#include <gtest/gtest.h>

#include <vector>

#include "keelson/codec/internal/json_block.h"
#include "keelson/codec/json_reader.h"
#include "keelson/core/random.h"

namespace keelson {
namespace {

struct Outcome {
  std::vector<std::string> items;
  std::string kind;
  std::string api_version;
  std::string resource_version;
  std::string error;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Cuts a body that arrives in pieces of the given sizes, the last one repeated.
Outcome Cut(std::string_view body, std::initializer_list<size_t> sizes, const JsonListCutterOptions& options = {}) {
  Outcome outcome;
  JsonListCutter cutter(
      [&](std::string_view item) -> Result<void> {
        outcome.items.emplace_back(item);
        return {};
      },
      options);
  const size_t* size = sizes.begin();
  while (!body.empty()) {
    const std::string chunk(body.substr(0, *size));  // of its own, so that a read beyond it is found
    body.remove_prefix(chunk.size());
    if (size + 1 != sizes.end()) ++size;
    if (!cutter.Feed(chunk)) break;
  }
  Result<JsonListHeader> header = cutter.Finish();
  if (!header) {
    outcome.error = header.error().message();
    return outcome;
  }
  outcome.kind = header->kind.str();
  outcome.api_version = header->apiVersion.str();
  outcome.resource_version = header->metadata.resourceVersion.str();
  return outcome;
}

constexpr size_t kWhole = size_t{1} << 30;

constexpr std::string_view kBody =
    R"( { "kind" : "PodList" , "apiVersion":"v1","metadata":{"resourceVersion":"12","continue":"}]\"{"}, "extra":[1,{"items":[{}]}],)"
    R"("items" : [ {"a":"}{][\"\\","b":[[{}],{"c":"\\\\\""}]} ,{},{"x":{"y":{"z":"a long enough text to fill a block of its own, and then some more, with a brace } in it"}}}  )"
    "\n, {\"k\":1}\t] , \"more\": \"\\\"}\" , \"n\":-1.5e3,\"t\":true } \n";

Outcome Expected() {
  return {
      .items =
          {R"({"a":"}{][\"\\","b":[[{}],{"c":"\\\\\""}]})", "{}",
           R"({"x":{"y":{"z":"a long enough text to fill a block of its own, and then some more, with a brace } in it"}}})",
           R"({"k":1})"},
      .kind = "PodList",
      .api_version = "v1",
      .resource_version = "12",
      .error = ""};
}

TEST(JsonListCutter, GivesEachItemAndTheHeader) { EXPECT_EQ(Cut(kBody, {kWhole}), Expected()); }

TEST(JsonListCutter, BodyMayBeSplitAnywhere) {
  for (size_t split = 1; split < kBody.size(); ++split) EXPECT_EQ(Cut(kBody, {split, kWhole}), Expected()) << split;
  for (size_t size = 1; size < 130; ++size) EXPECT_EQ(Cut(kBody, {size}), Expected()) << size;
}

TEST(JsonListCutter, MetadataMayComeBehindTheItems) {
  const Outcome outcome =
      Cut(R"({"items":[{"a":1},{"b":2}],"metadata":{"resourceVersion":"7"},"apiVersion":"v1","kind":"List"})", {3});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.items, (std::vector<std::string>{R"({"a":1})", R"({"b":2})"}));
  EXPECT_EQ(outcome.resource_version, "7");
  EXPECT_EQ(outcome.kind, "List");
}

TEST(JsonListCutter, ItemInsideOneChunkIsNotCopied) {
  const std::string body = R"({"items":[{"a":1},{"b":2}]})";
  std::vector<const char*> places;
  JsonListCutter cutter([&](std::string_view item) -> Result<void> {
    places.push_back(item.data());
    return {};
  });
  ASSERT_TRUE(cutter.Feed(body));
  EXPECT_EQ(places, (std::vector<const char*>{body.data() + 10, body.data() + 18}));
}

TEST(JsonListCutter, ListsWithoutItems) {
  for (const char* body :
       {"{}", R"({"items":[]})", R"({"items":null})", R"({"items": [ ] })", R"({"kind":"X","items":null })"}) {
    for (const size_t size : {size_t{1}, kWhole}) {
      const Outcome outcome = Cut(body, {size});
      EXPECT_EQ(outcome.error, "") << body;
      EXPECT_TRUE(outcome.items.empty()) << body;
    }
  }
}

TEST(JsonListCutter, LastOfRepeatedMembersCounts) {
  const Outcome outcome =
      Cut(R"({"kind":"A","metadata":{"resourceVersion":"1"},"kind":"B","items":[],"metadata":{},"apiVersion":"v1"})",
          {kWhole});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.kind, "B");
  EXPECT_EQ(outcome.resource_version, "");
}

TEST(JsonListCutter, EscapedKeysAreUnderstood) {
  EXPECT_EQ(Cut(R"({"it\u0065ms":[{}],"k\u0069nd":"P\u006fd"})", {1}).items.size(), 1u);
  EXPECT_EQ(Cut(R"({"it\u0065ms":[{}],"k\u0069nd":"P\u006fd"})", {1}).kind, "Pod");
}

TEST(JsonListCutter, MalformedListsAreRefusedWithThePosition) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "list body ends early, behind byte 0: the connection may have broken off"},
      {"  ", "list body ends early, behind byte 2: the connection may have broken off"},
      {R"({"items":[{})", "list body ends early, behind byte 12: the connection may have broken off"},
      {R"({"items":[{"a":"})", "list body ends early, behind byte 17: the connection may have broken off"},
      {"[]", "list body, byte 0: expected a list, which starts with '{', found '['"},
      {"<html>", "list body, byte 0: expected a list, which starts with '{', found '<'"},
      {"{a:1}", "list body, byte 1: expected a key in quotes, found 'a'"},
      {R"({"a" 1})", "list body, byte 5: expected ':' behind a key, found '1'"},
      {R"({"a":})", "list body, byte 5: expected a value, found '}'"},
      {R"({"a":1]})", "list body, byte 6: expected ',' or '}' behind a member, found ']'"},
      {R"({"a":1,})", "list body, byte 7: expected a key in quotes, found '}'"},
      {R"({"items":{}})", "list body, byte 9: expected the array of items, found '{'"},
      {R"({"items":"x"})", "list body, byte 9: expected the array of items, found '\"'"},
      {R"({"items":[1]})", "list body, byte 10: expected an item, which starts with '{', found '1'"},
      {R"({"items":[{},]})", "list body, byte 13: expected an item, which starts with '{', found ']'"},
      {R"({"items":[{} {}]})", "list body, byte 13: expected ',' or ']' behind an item, found '{'"},
      {R"({"items":[{}}})", "list body, byte 12: expected ',' or ']' behind an item, found '}'"},
      {R"({"items":[]} x)", "list body, byte 13: expected nothing behind the list, found 'x'"},
      {R"({"items":[],"items":[]})", "list body, byte 19: a second member \"items\""},
      {"{\"items\":[{}\x01]}", "list body, byte 12: expected ',' or ']' behind an item, found 0x01"},
  };
  for (const auto& [body, message] : cases) {
    EXPECT_EQ(Cut(body, {kWhole}).error, message) << body;
    EXPECT_EQ(Cut(body, {1}).error, message) << body;
  }
  EXPECT_NE(Cut(R"({"items":flse})", {kWhole}).error, "");
  EXPECT_NE(Cut(R"({"kind":7})", {kWhole}).error, "");
  EXPECT_NE(Cut(R"({"metadata":[]})", {kWhole}).error, "");
}

TEST(JsonListCutter, ErrorOfTheItemFunctionEndsTheCutting) {
  int calls = 0;
  JsonListCutter cutter([&](std::string_view) -> Result<void> {
    ++calls;
    return Error::Cancelled("enough");
  });
  const std::string body = R"({"items":[{},{},{}]})";
  const Result<void> fed = cutter.Feed(body);
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().message(), "enough");
  EXPECT_EQ(fed.error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(cutter.Feed("{}").error().message(), "enough");
  EXPECT_EQ(cutter.Finish().error().message(), "enough");
  EXPECT_EQ(calls, 1);
}

TEST(JsonListCutter, LimitsHold) {
  const std::string item = "{\"a\":\"" + std::string(1000, 'x') + "\"}";
  const std::string body = "{\"items\":[" + item + "]}";
  for (const size_t size : {size_t{7}, size_t{100}, kWhole}) {
    EXPECT_EQ(Cut(body, {size}, {.max_item_bytes = item.size()}).error, "");
    EXPECT_NE(Cut(body, {size}, {.max_item_bytes = item.size() - 1}).error.find("an item is longer than 1007 bytes"),
              std::string::npos);
    const std::string metadata = "{\"metadata\":{\"continue\":\"" + std::string(1000, 'x') + "\"}}";
    EXPECT_EQ(Cut(metadata, {size}).error, "");
    EXPECT_NE(Cut(metadata, {size}, {.max_metadata_bytes = 500}).error.find("a member is longer than 500 bytes"),
              std::string::npos);
    const auto nested = [](size_t depth) {
      return "{\"items\":[{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}]}";
    };
    EXPECT_EQ(Cut(nested(300), {size}, {.max_depth = 300}).error, "");
    EXPECT_NE(Cut(nested(500), {size}, {.max_depth = 300}).error.find("nested deeper than 300 levels"),
              std::string::npos);
  }
}

TEST(JsonListCutter, SkippedMembersAreNotKept) {
  // Longer than any limit, and neither copied nor refused.
  const std::string body = "{\"x\":\"" + std::string(5000, 'y') + "\",\"" + std::string(5000, 'k') + "\":[" +
                           std::string(5000, ' ') + "1],\"items\":[{}]}";
  for (const size_t size : {size_t{1}, size_t{64}, kWhole}) {
    const Outcome outcome = Cut(body, {size}, {.max_item_bytes = 10, .max_metadata_bytes = 10});
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.items.size(), 1u);
  }
}

// ---- Against a slow and obvious implementation ----

// The end of the value at `at`, by characters.
size_t EndOfValue(std::string_view text, size_t at) {
  int depth = 0;
  bool in_string = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

std::vector<std::string> ItemsSlowly(std::string_view body, size_t at) {
  std::vector<std::string> items;
  while (body[at] == '{') {
    const size_t end = EndOfValue(body, at);
    items.emplace_back(body.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

std::string RandomItem(Random& random) {
  std::string item = "{";
  const size_t parts = random() % 12;
  for (size_t i = 0; i < parts; ++i) {
    if (i > 0) item += ',';
    item += "\"k" + std::to_string(i) + "\":";
    switch (random() % 5) {
      case 0: item += std::to_string(random() % 1000); break;
      case 1: item.append(random() % 9 + 1, '['); break;
      default: {
        item += '"';
        for (size_t n = random() % 90; n > 0; --n) {
          constexpr std::string_view kTexts[] = {"a",    "{",       "}", "[", "]", "\\\"",
                                                 "\\\\", "\\u0041", ",", ":", " ", "é"};
          item += kTexts[random() % 12];
        }
        item += '"';
      }
    }
    // Close what case 1 opened.
    size_t open = 0;
    for (size_t back = item.size(); back-- > 0 && item[back] == '[';) ++open;
    item += std::string(open, ']');
  }
  return item + "}";
}

TEST(JsonListCutter, AgreesWithTheObviousImplementationOnRandomLists) {
  Random random(20240601);  // fixed: a failure repeats
  for (int round = 0; round < 500; ++round) {
    std::string body = "{\"items\":[";
    const size_t count = random() % 8;
    for (size_t i = 0; i < count; ++i) body += (i > 0 ? "," : "") + RandomItem(random);
    body += "]}";
    const std::vector<std::string> expected = ItemsSlowly(body, 10);
    ASSERT_EQ(expected.size(), count);
    const Outcome outcome = Cut(body, {random() % 200 + 1, random() % 100 + 1, random() % 300 + 1});
    ASSERT_EQ(outcome.error, "") << body;
    ASSERT_EQ(outcome.items, expected) << body;
  }
}

TEST(JsonBlock, MasksAreThoseOfTheObviousForm) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    char bytes[64];
    for (char& byte : bytes)
      byte = random() % 2 == 0 ? "{}[]\"\\;|~\x1b\x02\xfb\xfd"[random() % 13] : static_cast<char>(random());
    const internal::JsonBlock fast = internal::ClassifyJsonBlock(bytes);
    const internal::JsonBlock slow = internal::ClassifyJsonBlockPortably(bytes);
    ASSERT_EQ(fast.quotes, slow.quotes);
    ASSERT_EQ(fast.backslashes, slow.backslashes);
    ASSERT_EQ(fast.opens, slow.opens);
    ASSERT_EQ(fast.closes, slow.closes);
    uint64_t parity = 0;
    for (int i = 0; i < 64; ++i) parity |= static_cast<uint64_t>(internal::CountBits(slow.quotes << (63 - i)) & 1) << i;
    ASSERT_EQ(internal::PrefixXor(slow.quotes), parity);
  }
}

}  // namespace
}  // namespace keelson
