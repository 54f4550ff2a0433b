#include "simulated_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network_test_support.h"

namespace network {
namespace {

using namespace keelson;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ObjectKey kRed = {"default", "red"};
const ObjectKey kBlue = {"default", "blue"};

// In memory, and in a folder.
class Backend : public testing::TestWithParam<bool> {
 protected:
  const ScratchFolder folder_;
  SimulatedBackend backend_{GetParam() ? folder_.path() : ""};
};
INSTANTIATE_TEST_SUITE_P(Simulated, Backend, testing::Bool());

TEST_P(Backend, ProvidesWhatItWasAskedFor) {
  EXPECT_THAT(Provided(backend_), IsEmpty());
  ASSERT_TRUE(backend_.Create(kRed, {"10.1.0.0/16", "10.1.0.1"}));
  ASSERT_TRUE(backend_.Create(kBlue, {"10.2.0.0/16", "10.2.0.1"}));
  ASSERT_TRUE(backend_.Update(kRed, {"10.1.0.0/24", "10.1.0.9"}));
  EXPECT_THAT(Provided(backend_),
              ElementsAre("default/blue: 10.2.0.0/16 10.2.0.1", "default/red: 10.1.0.0/24 10.1.0.9"));
  EXPECT_EQ(backend_.Get(kRed).value()->gateway, "10.1.0.9");
  ASSERT_TRUE(backend_.Delete(kRed));
  EXPECT_FALSE(backend_.Get(kRed).value());
  EXPECT_THAT(Provided(backend_), ElementsAre("default/blue: 10.2.0.0/16 10.2.0.1"));
}

TEST_P(Backend, RefusesAddressesThatAnotherNetworkHas) {
  ASSERT_TRUE(backend_.Create(kRed, {"10.1.0.0/16", "10.1.0.1"}));
  const Result<void> created = backend_.Create(kBlue, {"10.1.2.0/24", "10.1.2.1"});
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code(), ErrorCode::kInvalid);
  EXPECT_EQ(created.error().message(), "10.1.2.0/24 overlaps 10.1.0.0/16 of network default/red");

  ASSERT_TRUE(backend_.Create(kBlue, {"10.2.0.0/16", "10.2.0.1"}));
  EXPECT_EQ(backend_.Update(kBlue, {"10.0.0.0/8", "10.0.0.1"}).error().code(), ErrorCode::kInvalid);
  EXPECT_EQ(backend_.Get(kBlue).value()->cidr, "10.2.0.0/16") << "it is as it was";
  EXPECT_TRUE(backend_.Update(kBlue, {"10.2.0.0/15", "10.2.0.1"})) << "its own addresses are no obstacle";
}

TEST_P(Backend, SaysWhatIsThereAndWhatIsNot) {
  EXPECT_EQ(backend_.Update(kRed, {"10.1.0.0/16", "10.1.0.1"}).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(backend_.Delete(kRed).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(backend_.Create(kRed, {"many", "10.1.0.1"}).error().code(), ErrorCode::kInvalid);
  ASSERT_TRUE(backend_.Create(kRed, {"10.1.0.0/16", "10.1.0.1"}));
  EXPECT_EQ(backend_.Create(kRed, {"10.2.0.0/16", "10.2.0.1"}).error().code(), ErrorCode::kAlreadyExists);
}

TEST(BackendFolder, IsForPeopleToLookInto) {
  const ScratchFolder folder;
  ASSERT_TRUE(SimulatedBackend(folder.path()).Create(kRed, {"10.1.0.0/16", "10.1.0.1"}));
  EXPECT_EQ(ReadFile(folder.path("default_red.json")),
            "{\n  \"cidr\": \"10.1.0.0/16\",\n  \"gateway\": \"10.1.0.1\"\n}\n");
  SimulatedBackend after_a_restart(folder.path());
  EXPECT_THAT(Provided(after_a_restart), ElementsAre("default/red: 10.1.0.0/16 10.1.0.1"));
}

TEST(BackendFolder, MayHoldAnything) {
  const ScratchFolder folder;
  SimulatedBackend backend(folder.path());
  ASSERT_TRUE(backend.Create(kRed, {"10.1.0.0/16", "10.1.0.1"}));
  WriteFile(folder.path("default_red.json"), "{\"cidr\": 3");
  WriteFile(folder.path("default_big.json"), std::string(1'000'000, '['));
  for (const char* name : {"README.md", ".default_blue.json", "_.json", "default_.json", "_red.json", ".json"}) {
    WriteFile(folder.path(name), "{}");
  }
  std::filesystem::create_directories(folder.path("default_folder.json/more"));
  EXPECT_THAT(Provided(backend), ElementsAre("default/big:  ", "default/folder:  ", "default/red:  "));
  EXPECT_TRUE(backend.Update(kRed, {"10.1.0.0/16", "10.1.0.1"}));
  EXPECT_TRUE(backend.Delete({"default", "big"}));
  EXPECT_EQ(backend.Delete({"default", "folder"}).error().code(), ErrorCode::kUnavailable);
}

TEST(BackendFolder, MayBeOutOfReach) {
  const ScratchFolder folder;
  WriteFile(folder.path(), "a file");
  SimulatedBackend backend(folder.path("below"));
  EXPECT_THAT(backend.Create(kRed, {"10.1.0.0/16", "10.1.0.1"}).error().message(), HasSubstr("cannot use "));
}

}  // namespace
}  // namespace network
