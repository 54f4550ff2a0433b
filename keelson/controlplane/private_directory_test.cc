#include "keelson/controlplane/private_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace keelson {
namespace {

TEST(PrivateDirectory, IsForItsOwnerAloneAndGoesWithAllInIt) {
  std::string path;
  {
    PrivateDirectory made = PrivateDirectory::Make().value();
    const PrivateDirectory directory(std::move(made));
    path = directory.path();
    struct stat about = {};
    ASSERT_EQ(stat(path.c_str(), &about), 0) << path;
    EXPECT_EQ(about.st_mode & 0777u, 0700u);
    std::filesystem::create_directory(path + "/logs");
    std::ofstream(path + "/logs/one") << "line\n";
    EXPECT_NE(PrivateDirectory::Make()->path(), path);
  }
  EXPECT_FALSE(std::filesystem::exists(path)) << path;
}

}  // namespace
}  // namespace keelson
