#include "table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace demo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<Row> Two() {
  return {{.object = "AppService/example",
           .phase = "Ready",
           .tone = Tone::kGood,
           .children = "Deployment example 2/2",
           .event = "Synced: AppService synced successfully"},
          {.object = "Count/three", .phase = "Waiting"}};
}

size_t Characters(const std::string& line) {
  size_t count = 0;
  for (const char byte : line) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

TEST(Table, HasAHeadingAndALineARow) {
  EXPECT_THAT(RenderTable(Two(), {}),
              ElementsAre("OBJECT              PHASE    CHILDREN                LAST EVENT",
                          "AppService/example  Ready    Deployment example 2/2  Synced: AppService synced successfully",
                          "Count/three         Waiting"));
}

TEST(Table, ChildrenAndEventsShareWhatIsLeft) {
  std::vector<Row> rows = Two();
  rows[0].children = std::string(60, 'c');
  rows[0].event = std::string(60, 'e');
  const std::string before = "AppService/example  Ready    ";
  EXPECT_EQ(RenderTable(rows, {.width = 91})[1], before + std::string(29, 'c') + "…  " + std::string(29, 'e') + "…");
  rows[0].event = "brief";
  EXPECT_EQ(RenderTable(rows, {.width = 91})[1], before + std::string(49, 'c') + "…  brief");
}

TEST(Table, EventsGiveWayFirst) {
  EXPECT_THAT(RenderTable(Two(), {.width = 70}),
              ElementsAre("OBJECT              PHASE    CHILDREN                LAST EVENT",
                          "AppService/example  Ready    Deployment example 2/2  Synced: AppServi…",
                          "Count/three         Waiting"));
}

TEST(Table, NoLineIsWiderThanTheTerminal) {
  std::vector<Row> rows = Two();
  rows[1].event = "Grüße: “ä” und noch viel mehr davon, bis es nicht mehr passt";
  for (size_t width = 1; width < 120; ++width) {
    for (const std::string& line : RenderTable(rows, {.width = width})) EXPECT_LE(Characters(line), width) << line;
  }
}

TEST(Table, FitsTheHeightAndSaysWhatIsMissing) {
  std::vector<Row> rows(9, Two()[1]);
  const std::vector<std::string> lines = RenderTable(rows, {.height = 4});
  EXPECT_THAT(lines, ElementsAre("OBJECT       PHASE    CHILDREN  LAST EVENT", "Count/three  Waiting",
                                 "Count/three  Waiting", "… and 7 more"));
  EXPECT_EQ(RenderTable(rows, {.height = 10}).size(), 10u);
  EXPECT_THAT(RenderTable(rows, {.height = 10}).back(), "Count/three  Waiting");
}

TEST(Table, ColoursPhasesAndWarnings) {
  std::vector<Row> rows = Two();
  rows[1].tone = Tone::kBad;
  rows[1].event = "Failed: no";
  rows[1].warning = true;
  const std::vector<std::string> lines = RenderTable(rows, {.colour = true});
  EXPECT_THAT(lines[1], HasSubstr("\x1b[32mReady"));
  EXPECT_THAT(lines[1], HasSubstr("  Synced: AppService"));
  EXPECT_THAT(lines[2], HasSubstr("\x1b[31mWaiting"));
  EXPECT_THAT(lines[2], HasSubstr("\x1b[33mFailed: no\x1b[0m"));
}

TEST(Table, WhatOthersWroteCannotCommandTheTerminal) {
  const std::vector<Row> rows = {{.object = "A/b",
                                  .phase = "x\ny",
                                  .tone = Tone::kGood,
                                  .children = "\xC2\x9B"
                                              "2J",
                                  .event = "a\x1b[2Jb\x7f"}};
  const std::string line = RenderTable(rows, {})[1];
  EXPECT_EQ(line, "A/b     x y     2J       a [2Jb");
  EXPECT_THAT(RenderLine(rows[0]), Not(HasSubstr("\x1b")));
}

TEST(Table, ALineByItselfIsWhole) {
  EXPECT_EQ(RenderLine(Two()[0]),
            "AppService/example            Ready           Deployment example 2/2                    "
            "Synced: AppService synced successfully");
  EXPECT_EQ(RenderLine(Two()[1]), "Count/three                   Waiting");
}

TEST(Table, TextIsCutBetweenCharacters) {
  EXPECT_EQ(Fit("grün", 0), "grün");
  EXPECT_EQ(Fit("grün", 4), "grün");
  EXPECT_EQ(Fit("grün", 3), "gr…");
  EXPECT_EQ(Fit("größer", 4), "grö…");
}

}  // namespace
}  // namespace demo
