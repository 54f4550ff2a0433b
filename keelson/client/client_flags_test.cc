#include "keelson/client/client_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson {
namespace {

using Arguments = std::vector<std::string>;

TEST(ClientFlags, AreTakenInEveryFormThatGoReads) {
  Arguments arguments = {"-kubeconfig=a", "--master", "https://m:1", "run", "-context", "c=d", "--verbose"};
  const Result<ClientFlags> flags = TakeClientFlags(arguments);
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->kubeconfig, "a");
  EXPECT_EQ(flags->master, "https://m:1");
  EXPECT_EQ(flags->context, "c=d");
  EXPECT_EQ(arguments, (Arguments{"run", "--verbose"}));
}

TEST(ClientFlags, LastOneCountsAndMayBeEmpty) {
  Arguments arguments = {"--context=a", "--context=b=c", "--master=x", "--master="};
  const Result<ClientFlags> flags = TakeClientFlags(arguments);
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->context, "b=c");
  EXPECT_EQ(flags->master, "");
  EXPECT_TRUE(arguments.empty());
}

TEST(ClientFlags, NothingBehindTwoDashesIsTaken) {
  Arguments arguments = {"--context", "a", "--", "--context", "b"};
  const Result<ClientFlags> flags = TakeClientFlags(arguments);
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->context, "a");
  EXPECT_EQ(arguments, (Arguments{"--", "--context", "b"}));
}

TEST(ClientFlags, SimilarNamesAreLeftAlone) {
  Arguments arguments = {"--contexts=a", "--kube", "kubeconfig=b", "---master=c", "-", ""};
  const Arguments before = arguments;
  const Result<ClientFlags> flags = TakeClientFlags(arguments);
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->context + flags->kubeconfig + flags->master, "");
  EXPECT_EQ(arguments, before);
}

TEST(ClientFlags, MissingValueIsAnError) {
  Arguments arguments = {"--kubeconfig"};
  const Result<ClientFlags> flags = TakeClientFlags(arguments);
  ASSERT_FALSE(flags);
  EXPECT_EQ(flags.error().message(), "flag --kubeconfig needs a value and none follows");
}

TEST(ClientFlags, AreTakenFromTheArgumentsOfMain) {
  std::string texts[] = {"program", "-v=2", "--kubeconfig", "file", "rest"};
  char* argv[] = {texts[0].data(), texts[1].data(), texts[2].data(), texts[3].data(), texts[4].data(), nullptr};
  int argc = 5;
  const Result<ClientFlags> flags = TakeClientFlags(argc, argv);
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->kubeconfig, "file");
  ASSERT_EQ(argc, 3);
  EXPECT_STREQ(argv[0], "program");
  EXPECT_STREQ(argv[1], "-v=2");
  EXPECT_STREQ(argv[2], "rest");
  EXPECT_EQ(argv[3], nullptr);
}

TEST(ClientFlags, UsageNamesEachFlag) {
  for (const char* name : {"--kubeconfig", "--master", "--context"}) {
    EXPECT_THAT(ClientFlagsUsage(), testing::HasSubstr(name));
  }
}

}  // namespace
}  // namespace keelson
