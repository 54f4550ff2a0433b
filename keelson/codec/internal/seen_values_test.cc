#include "keelson/codec/internal/seen_values.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "keelson/api/list.h"

namespace keelson::internal {
namespace {

const Type& kContent = TypeOf<List<String>>();

// One value through the lookup, as readers do it: a list of one text, which is the bytes.
struct Outcome {
  bool looked = false;
  bool found = false;
  bool was_last = false;  // found without a search
};

Outcome Pass(SeenValues& seen, const void* place, std::string_view bytes) {
  Outcome outcome;
  const SeenValues::Place at = seen.PlaceAt(place, bytes);
  outcome.looked = seen.WorthALook(at);
  if (!outcome.looked) return outcome;
  const auto key = seen.KeyOf(kContent, bytes);
  const auto* last = seen.LastAt(at, kContent);
  outcome.was_last = last != nullptr && last->bytes == bytes;
  Node* node = outcome.was_last ? seen.Take(*last) : seen.Find(key, at);
  outcome.found = node != nullptr;
  if (node == nullptr) {
    Node* const text = NewStringNode(bytes);
    node = OwnNode(NodeKind::kList, kContent, reinterpret_cast<const std::byte*>(&text), 1);
    seen.Note(key, at, node);
  }
  EXPECT_EQ(*reinterpret_cast<const String*>(node->payload()), bytes);
  ReleaseNode(kContent, node);
  return outcome;
}

constexpr std::string_view kBeginning = "sixteen letters:";
const int kPlace = 0;

TEST(SeenValues, WhatCameTwiceIsFoundTheThirdTime) {
  SeenValues seen;
  EXPECT_FALSE(Pass(seen, &kPlace, "a toleration").found);
  EXPECT_FALSE(Pass(seen, &kPlace, "a toleration").found);
  EXPECT_TRUE(Pass(seen, &kPlace, "a toleration").found);
  EXPECT_FALSE(Pass(seen, &kPlace, "a tolerance!").found);
}

TEST(SeenValues, TheLastOneOfAPlaceIsAtHand) {
  SeenValues seen;
  for (int i = 0; i < 3; ++i) Pass(seen, &kPlace, "a toleration");
  EXPECT_TRUE(Pass(seen, &kPlace, "a toleration").was_last);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Pass(seen, &kPlace, "a tolerance!").was_last);
  EXPECT_TRUE(Pass(seen, &kPlace, "a tolerance!").was_last);
  seen.Clear();
  EXPECT_FALSE(Pass(seen, &kPlace, "a tolerance!").was_last);
}

TEST(SeenValues, GrowsToHoldManyValues) {
  SeenValues seen;
  const auto pass_all = [&] {
    int found = 0;
    for (int i = 0; i < 2000; ++i) found += Pass(seen, &kPlace, std::to_string(i) + " of many values").found;
    return found;
  };
  // Some of what is seen once is forgotten while the tables are small.
  for (int round = 0; round < 4; ++round) pass_all();
  EXPECT_GT(pass_all(), 1300);
}

TEST(SeenValues, WhereNothingIsFoundLookingCeases) {
  SeenValues seen;
  int looks = 0;
  for (int i = 0; i < 1000; ++i) looks += Pass(seen, &kPlace, std::string(kBeginning) + std::to_string(i)).looked;
  EXPECT_LT(looks, 100);
  EXPECT_GT(looks, 20);  // every now and then, to learn of a change
}

TEST(SeenValues, LookingResumesWhereValuesBeginToRepeat) {
  SeenValues seen;
  for (int i = 0; i < 1000; ++i) Pass(seen, &kPlace, std::string(kBeginning) + std::to_string(i));
  int found = 0;
  for (int i = 0; i < 200; ++i) found += Pass(seen, &kPlace, std::string(kBeginning) + "the same").found;
  EXPECT_GT(found, 140);
}

TEST(SeenValues, ValuesThatComeInRunsAreLookedForThroughout) {
  SeenValues seen;
  int found = 0;
  for (int i = 0; i < 1000; ++i) found += Pass(seen, &kPlace, std::string(kBeginning) + std::to_string(i / 100)).found;
  EXPECT_EQ(found, 980);  // all but the first two of each run
}

}  // namespace
}  // namespace keelson::internal
