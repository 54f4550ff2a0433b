#include "keelson/codec/internal/fields_cut.h"

#include <gtest/gtest.h>

#include <string>

#include "keelson/api/raw.h"

namespace keelson::internal {
namespace {

std::vector<size_t> EndsByFieldsV1(std::string_view json) {
  std::vector<size_t> ends;
  size_t end = 0;
  FieldsV1::ForEachPiece(json, [&](std::string_view piece) { ends.push_back(end += piece.size()); });
  return ends;
}

void ExpectSameCuts(std::string_view json) {
  std::vector<size_t> ends = {99};  // of an earlier call
  CutFields(json, ends);
  EXPECT_EQ(ends, EndsByFieldsV1(json)) << json;
}

TEST(CutFields, CutsManagedFieldsIntoSeveralPieces) {
  std::string json = R"({"f:metadata":{"f:annotations":{".":{},"f:example.com/a":{},"f:example.com/b":{}},)"
                     R"("f:labels":{".":{},"f:app":{},"f:tier":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":)"
                     R"({".":{},"f:env":{".":{},"k:{\"name\":\"A,B\"}":{".":{},"f:name":{}}},"f:image":{}}}}})";
  ExpectSameCuts(json);
  std::vector<size_t> ends;
  CutFields(json, ends);
  EXPECT_GT(ends.size(), 2u);
  for (size_t shift = 0; shift < 64; ++shift) ExpectSameCuts(json.insert(1, " "));
}

TEST(CutFields, EmptyTextHasNoPieces) { ExpectSameCuts(""); }

// Every text of these characters is cut alike, sense or not: quotes, escapes and braces at all positions of a block.
TEST(CutFields, AgreesWithFieldsV1OnAnyText) {
  const std::string_view alphabet = "\"\\{},,,aaaaaa";
  uint32_t state = 1;
  const auto next = [&] { return state = state * 1664525 + 1013904223; };
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const size_t length = (next() >> 8) % 300;
    const size_t letters = round % 2 == 0 ? alphabet.size() : 3 + (next() >> 8) % 8;
    while (text.size() < length) text += alphabet[(next() >> 8) % letters];
    ExpectSameCuts(text);
    // Without an escape outside of strings, which leaves the quick way.
    std::erase(text, '\\');
    ExpectSameCuts(text);
  }
}

}  // namespace
}  // namespace keelson::internal
