#include "keelson/cli/assets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "keelson/cli/cli.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(Assets, AreLinksToTheProgram) {
  const TemporaryDirectory directory;
  const fs::path folder = directory.Path("deep/assets");
  for (const char* program : {"/opt/old/keelson", "/opt/new/keelson"}) {
    ASSERT_TRUE(MakeAssets({.folder = folder, .program = program}));
    EXPECT_EQ(fs::read_symlink(folder / "kube-apiserver"), program);
    EXPECT_EQ(fs::read_symlink(folder / "etcd"), program);
    EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "kubectl")));
  }
}

TEST(Assets, HaveKubectlWhileItIsOnThePath) {
  const TemporaryDirectory directory;
  const fs::path folder = directory.Path("assets");
  fs::create_directories(directory.Path("empty"));
  fs::create_directories(directory.Path("bin"));
  const fs::path kubectl = directory.Write("bin/kubectl", "#!/bin/sh\n");
  const std::string path = directory.Path("empty") + "::" + directory.Path("bin");
  // Not a program yet.
  ASSERT_TRUE(MakeAssets({.folder = folder, .program = "/k", .path = path}));
  EXPECT_FALSE(fs::exists(folder / "kubectl"));
  fs::permissions(kubectl, fs::perms::owner_all);
  ASSERT_TRUE(MakeAssets({.folder = folder, .program = "/k", .path = path}));
  EXPECT_EQ(fs::read_symlink(folder / "kubectl"), kubectl);
  // The folder itself on the path does not make the link one to itself.
  ASSERT_TRUE(MakeAssets({.folder = folder, .program = "/k", .path = folder.string() + ":" + path}));
  EXPECT_EQ(fs::read_symlink(folder / "kubectl"), kubectl);
  ASSERT_TRUE(MakeAssets({.folder = folder, .program = "/k", .path = ""}));
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "kubectl")));
}

TEST(Assets, AFileOfSomebodyElseStays) {
  const TemporaryDirectory directory;
  directory.Write("etcd", "the real one");
  const Result<void> made = MakeAssets({.folder = directory.Path(""), .program = "/k"});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("etcd' is a file of somebody else's"));
  std::ostringstream text;
  text << std::ifstream(directory.Path("etcd")).rdbuf();
  EXPECT_EQ(text.str(), "the real one");
}

TEST(Assets, OfTwoProgramsAreTwoFolders) {
  const fs::path one = DefaultAssetsFolder("/opt/a/keelson").value();
  EXPECT_EQ(one, DefaultAssetsFolder("/opt/a/keelson").value());
  EXPECT_NE(one, DefaultAssetsFolder("/opt/b/keelson").value());
}

TEST(Assets, TheCommandPrintsTheFolderAndNothingElse) {
  const TemporaryDirectory directory;
  std::ostringstream out;
  std::ostringstream err;
  const std::string folder = directory.Path("assets");
  EXPECT_EQ(cli::Run({"assets", "--dir", folder}, out, err), 0);
  EXPECT_EQ(out.str(), folder + "\n");
  EXPECT_EQ(err.str(), "");
  EXPECT_EQ(fs::read_symlink(folder + "/etcd"), fs::read_symlink("/proc/self/exe"));
}

}  // namespace
}  // namespace keelson::cli
