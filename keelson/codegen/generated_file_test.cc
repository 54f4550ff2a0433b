#include "keelson/codegen/generated_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace keelson::codegen {
namespace {

namespace fs = std::filesystem;

class WriteFilesTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(directory_); }
  void TearDown() override { fs::remove_all(directory_); }

  std::string Read(const std::string& path) const {
    std::ifstream file(directory_ / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result<void> Write(const std::vector<GeneratedFile>& files) const { return WriteFiles(directory_.string(), files); }
  // Files and directories, without what is in them.
  std::vector<std::string> Entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
      names.push_back(fs::relative(entry.path(), directory_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const fs::path directory_ = fs::path(testing::TempDir()) / ("generated_file_test_" + std::to_string(::getpid()));
};

TEST_F(WriteFilesTest, MakesDirectoriesAndLeavesNothingElseBehind) {
  ASSERT_TRUE(Write({{.path = "v1/a.h", .content = "a\n"}, {.path = "b.yaml", .content = ""}}));
  EXPECT_EQ(Read("v1/a.h"), "a\n");
  EXPECT_EQ(Entries(), (std::vector<std::string>{"b.yaml", "v1", "v1/a.h"}));
}

TEST_F(WriteFilesTest, DoesNotTouchAFileThatIsTheSame) {
  ASSERT_TRUE(Write({{.path = "a.h", .content = "same"}, {.path = "b.h", .content = "old"}}));
  const fs::file_time_type long_ago = fs::last_write_time(directory_ / "a.h") - std::chrono::hours(1);
  fs::last_write_time(directory_ / "a.h", long_ago);
  fs::last_write_time(directory_ / "b.h", long_ago);
  ASSERT_TRUE(Write({{.path = "a.h", .content = "same"}, {.path = "b.h", .content = "new"}}));
  EXPECT_EQ(fs::last_write_time(directory_ / "a.h"), long_ago);
  EXPECT_NE(fs::last_write_time(directory_ / "b.h"), long_ago);
  EXPECT_EQ(Read("b.h"), "new");
}

TEST_F(WriteFilesTest, WritesNothingWhenOneFileCannotBeWritten) {
  fs::create_directories(directory_ / "taken");
  std::ofstream(directory_ / "a.h") << "before";
  const Result<void> result = Write(
      {{.path = "a.h", .content = "after"}, {.path = "new.h", .content = "x"}, {.path = "taken", .content = "x"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "cannot write " + (directory_ / "taken").string() + ": Is a directory");
  EXPECT_EQ(Read("a.h"), "before");
  EXPECT_EQ(Entries(), (std::vector<std::string>{"a.h", "taken"}));
}

TEST_F(WriteFilesTest, PutsBackWhatItHadReplacedWhenALaterFileFails) {
  ASSERT_TRUE(Write({{.path = "old.h", .content = "before"}}));
  // `taken` turns out to be a directory only when it is about to be put in its place.
  const Result<void> result = Write({{.path = "old.h", .content = "after"},
                                     {.path = "new.h", .content = "x"},
                                     {.path = "taken", .content = "x"},
                                     {.path = "taken/a.h", .content = "x"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "cannot write " + (directory_ / "taken").string() + ": Is a directory");
  EXPECT_EQ(Read("old.h"), "before");
  EXPECT_EQ(Entries(), (std::vector<std::string>{"old.h", "taken"}));
}

TEST_F(WriteFilesTest, SaysWhenAFileStandsWhereADirectoryBelongs) {
  fs::create_directories(directory_);
  std::ofstream(directory_ / "v1") << "a file";
  const Result<void> result = Write({{.path = "v1/a.h", .content = "x"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(),
            "cannot make the directory " + (directory_ / "v1").string() + ": Not a directory");
}

TEST_F(WriteFilesTest, RefusesPathsThatLeadElsewhere) {
  for (const char* path : {"../a.h", "v1/../../a.h", "/a.h", "", "v1/", "./a.h"}) {
    const Result<void> result = Write({{.path = path, .content = "x"}});
    ASSERT_FALSE(result) << path;
    EXPECT_EQ(result.error().message(),
              "will not write '" + std::string(path) + "': it is not a path inside " + directory_.string());
  }
  const Result<void> twice = Write({{.path = "a.h", .content = "x"}, {.path = "a.h", .content = "y"}});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message(), "two generated files have the path a.h");
  EXPECT_FALSE(fs::exists(directory_));
}

// `licence` as it stands on top of a file of that name, whose own content is "text\n".
std::string Licenced(const std::string& licence, const std::string& path) {
  std::vector<GeneratedFile> files{{.path = path, .content = "text\n"}};
  AddLicence(licence, files);
  return files[0].content;
}

TEST(AddLicence, CommentsAPlainText) {
  EXPECT_EQ(Licenced("Copyright A.\n\nFree to use.\n", "a.h"), "// Copyright A.\n//\n// Free to use.\n\ntext\n");
  EXPECT_EQ(Licenced("Copyright A.\r\n\r\nFree to use.", "v1/a.cc"), "// Copyright A.\n//\n// Free to use.\n\ntext\n");
  EXPECT_EQ(Licenced("Copyright A.\n\nFree to use.\n", "a.yaml"), "# Copyright A.\n#\n# Free to use.\ntext\n");
}

TEST(AddLicence, KeepsACommentOfTheRightKind) {
  EXPECT_EQ(Licenced("// Copyright A.\n//   Free.\n", "a.h"), "// Copyright A.\n//   Free.\n\ntext\n");
  EXPECT_EQ(Licenced("/*\n * Copyright A.\n */\n\n", "a.cc"), "/*\n * Copyright A.\n */\n\ntext\n");
  EXPECT_EQ(Licenced("# Copyright A.\n#Free.\n", "a.yaml"), "# Copyright A.\n#Free.\ntext\n");
}

TEST(AddLicence, TurnsACommentOfOneKindIntoAnother) {
  EXPECT_EQ(Licenced("/*\nCopyright A.\n\n  Free.\n*/\n", "a.yaml"), "# Copyright A.\n#\n#   Free.\ntext\n");
  EXPECT_EQ(Licenced("/**\n * Copyright A.\n *\n * Free.\n */", "a.yaml"), "# Copyright A.\n#\n# Free.\ntext\n");
  EXPECT_EQ(Licenced("/* Copyright A. */", "a.yaml"), "# Copyright A.\ntext\n");
  EXPECT_EQ(Licenced("// Copyright A.\n//\n// Free.\n", "a.yaml"), "# Copyright A.\n#\n# Free.\ntext\n");
  EXPECT_EQ(Licenced("# Copyright A.\n", "a.h"), "// Copyright A.\n\ntext\n");
}

TEST(AddLicence, AddsNothingForAnEmptyText) { EXPECT_EQ(Licenced(" \n\n", "a.h"), "text\n"); }

}  // namespace
}  // namespace keelson::codegen
