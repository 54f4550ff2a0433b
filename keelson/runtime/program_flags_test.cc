#include "keelson/runtime/program_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A program's flags, and a command line as main gets it.
struct Program {
  ProgramFlags flags() {
    return std::move(ProgramFlags("Does something.")
                         .Add("dir", &dir, "where things are")
                         .Add("dry", &dry, "only look")
                         .Add("workers", &workers, "at a time", 1)
                         .Add("rate", &rate, "a second")
                         .Add("resync", &resync, "how often"));
  }
  Result<ClientConfig> Parse(std::vector<std::string> words) {
    std::vector<char*> argv = Arguments(words);
    return flags().Parse(static_cast<int>(words.size()), argv.data(), kNowhere);
  }
  static std::vector<char*> Arguments(std::vector<std::string>& words) {
    words.insert(words.begin(), "/bin/program");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return argv;
  }
  inline static const ClientEnvironment kNowhere{
      .variable = [](const std::string&) -> std::optional<std::string> { return std::nullopt; },
      .service_account_directory = "/no-such-directory"};

  std::string dir = "here";
  bool dry = false;
  int workers = 2;
  double rate = 0.5;
  Duration resync = 30s;
};

TEST(ProgramFlags, AreThoseOfTheProgramTheClientAndLogging) {
  Program program;
  const Result<ClientConfig> config = program.Parse({"--master=http://127.0.0.1:1", "-v=0", "--workers", "7", "-dry",
                                                     "--rate=2.5", "--resync=1m30s", "-dir", "there"});
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "http://127.0.0.1:1");
  EXPECT_EQ(program.workers, 7);
  EXPECT_TRUE(program.dry);
  EXPECT_EQ(program.rate, 2.5);
  EXPECT_EQ(program.resync, 90s);
  EXPECT_EQ(program.dir, "there");
}

TEST(ProgramFlags, StayAsTheyWereWhereNothingIsSaid) {
  Program program;
  ASSERT_TRUE(program.Parse({"--master=http://127.0.0.1:1", "--dry=false"}));
  EXPECT_EQ(program.dir, "here");
  EXPECT_FALSE(program.dry);
  EXPECT_EQ(program.workers, 2);
}

TEST(ProgramFlags, SayWhatIsWrong) {
  const auto refusal = [](std::vector<std::string> words) {
    Program program;
    const Result<ClientConfig> config = program.Parse(std::move(words));
    return config ? "nothing" : config.error().message();
  };
  EXPECT_EQ(refusal({"--worker=2"}), "unknown flag --worker: did you mean --workers? --help lists all of them");
  EXPECT_EQ(refusal({"--kubeconfi=2"}),
            "unknown flag --kubeconfi: did you mean --kubeconfig? --help lists all of them");
  EXPECT_EQ(refusal({"--workers=0"}), "invalid value \"0\" for flag --workers: expected a number that is not below 1");
  EXPECT_EQ(refusal({"--resync=soon"}),
            "invalid value \"soon\" for flag --resync: expected a duration such as 15s or 1m30s");
  EXPECT_EQ(refusal({"--dry=perhaps"}), "invalid value \"perhaps\" for flag --dry: expected true or false");
  EXPECT_EQ(refusal({"--dir"}), "flag --dir needs a value and none follows");
  EXPECT_EQ(refusal({"extra"}), "unexpected argument extra: --help lists what can be said");
  EXPECT_THAT(refusal({}), HasSubstr("kubeconfig")) << "there is no cluster to be found";
}

TEST(ProgramFlags, AreTakenOutOfACommandLineThatOthersRead) {
  Program program;
  std::vector<std::string> words = {"--leader-elect", "--workers=3", "--dir", "x", "-v=2", "--", "--workers=4"};
  std::vector<char*> argv = Program::Arguments(words);
  int argc = static_cast<int>(words.size());
  ASSERT_TRUE(program.flags().Take(argc, argv.data()));
  EXPECT_EQ(std::vector<std::string>(argv.data(), argv.data() + argc),
            (std::vector<std::string>{"/bin/program", "--leader-elect", "-v=2", "--", "--workers=4"}));
  EXPECT_EQ(argv[static_cast<size_t>(argc)], nullptr);
  EXPECT_EQ(program.workers, 3);
  EXPECT_EQ(program.dir, "x");
}

TEST(ProgramFlags, AreExplainedWithTheirDefaults) {
  Program program;
  const std::string usage = program.flags().Usage("program");
  EXPECT_THAT(usage, HasSubstr("Usage: program [flags]\n\nDoes something.\n"));
  EXPECT_THAT(usage, HasSubstr("\n  --workers=N                            at a time (default 2)\n"));
  EXPECT_THAT(usage, HasSubstr("\n  --dry                                  only look (default false)\n"));
  EXPECT_THAT(usage, HasSubstr("\n  --resync=DURATION                      how often (default 30s)\n"));
  EXPECT_THAT(usage, HasSubstr("--kubeconfig"));
  EXPECT_THAT(usage, HasSubstr("--vmodule"));
}

TEST(ProgramFlagsDeathTest, HelpIsPrintedAndEndsTheProcess) {
  Program program;
  EXPECT_EXIT((void)program.Parse({"--help"}), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace keelson
