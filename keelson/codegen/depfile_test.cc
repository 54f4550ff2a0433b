#include "keelson/codegen/depfile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace keelson::codegen {
namespace {

TEST(WriteDepfile, NamesOutputsAndInputsByAbsolutePaths) {
  const std::string directory = ::testing::TempDir() + "depfile_test";
  std::filesystem::remove_all(directory);
  const std::string path = directory + "/code.d";
  const auto written = WriteDepfile(path, "/out", {{"v1/generated.h", ""}, {"v1/generated.cc", ""}},
                                    {"/src/api/v1/app.h", "/src/my dir/#odd$.h"});
  ASSERT_TRUE(written) << written.error().message();
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "/out/v1/generated.h /out/v1/generated.cc: \\\n"
            "  /src/api/v1/app.h \\\n"
            "  /src/my\\ dir/\\#odd$$.h\n");
}

}  // namespace
}  // namespace keelson::codegen
