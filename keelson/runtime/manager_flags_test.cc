#include "keelson/runtime/manager_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Words = std::vector<std::string>;

// No variables but these, and no files.
ClientEnvironment Environment(std::map<std::string, std::string> variables = {}) {
  return {.variable = [variables](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
          },
          .service_account_directory = KEELSON_TEST_DATA "/no-such-directory"};
}

ManagerFlags Parsed(const Words& arguments, ManagerOptions options = {}) {
  Result<ManagerFlags> flags = ParseManagerFlags(arguments, std::move(options), Environment());
  EXPECT_TRUE(flags) << flags.error().message();
  return flags ? *std::move(flags) : ManagerFlags();
}

std::string Refusal(const Words& arguments) {
  const Result<ManagerFlags> flags = ParseManagerFlags(arguments, {}, Environment());
  EXPECT_FALSE(flags);
  return flags ? "" : flags.error().message();
}

TEST(ManagerFlags, WithoutAnyNothingChangesAndNoPortIsOpened) {
  const ManagerFlags flags = Parsed({});
  EXPECT_EQ(flags.client.kubeconfig, "");
  EXPECT_EQ(flags.options.health.bind_address, "");
  EXPECT_EQ(flags.options.metrics.bind_address, "");
  EXPECT_FALSE(flags.options.leader_election);
  EXPECT_EQ(flags.options.controllers.workers, 1);
  EXPECT_EQ(flags.options.grace_period, 30s);
  EXPECT_FALSE(flags.qps);
  EXPECT_FALSE(flags.help);
  EXPECT_THAT(flags.arguments, IsEmpty());
}

TEST(ManagerFlags, AreWrittenAsGosAre) {
  for (const Words& words : {Words{"--kubeconfig=x"}, Words{"-kubeconfig=x"}, Words{"--kubeconfig", "x"},
                             Words{"-kubeconfig", "x"}, Words{"--kubeconfig=y", "--kubeconfig=x"}}) {
    EXPECT_EQ(Parsed(words).client.kubeconfig, "x");
  }
  EXPECT_EQ(Parsed({"--kubeconfig="}).client.kubeconfig, "");
  EXPECT_EQ(Parsed({"--kubeconfig=a=b"}).client.kubeconfig, "a=b");
  EXPECT_EQ(Parsed({"--kubeconfig", "--master"}).client.kubeconfig, "--master");
}

TEST(ManagerFlags, SetWhatTheySay) {
  const ManagerFlags flags = Parsed({"--kubeconfig=file",
                                     "--master=https://host",
                                     "--context=dev",
                                     "--kube-api-qps=2.5",
                                     "--kube-api-burst=10",
                                     "--namespaces=one",
                                     "--workers=8",
                                     "--resync=10h",
                                     "--graceful-shutdown-timeout=1m30s",
                                     "--leader-elect",
                                     "--leader-election-id=op",
                                     "--leader-election-namespace=system",
                                     "--leader-elect-lease-duration=30s",
                                     "--leader-elect-renew-deadline=20s",
                                     "--leader-elect-retry-period=500ms",
                                     "--health-probe-bind-address=:8081",
                                     "--metrics-bind-address=127.0.0.1:8443",
                                     "--metrics-secure",
                                     "--metrics-cert-path=/certs",
                                     "--metrics-cert-name=metrics.crt"});
  EXPECT_EQ(flags.client.kubeconfig, "file");
  EXPECT_EQ(flags.client.master, "https://host");
  EXPECT_EQ(flags.client.context, "dev");
  EXPECT_EQ(flags.qps, 2.5);
  EXPECT_EQ(flags.burst, 10);
  EXPECT_EQ(flags.options.controllers.workers, 8);
  EXPECT_EQ(flags.options.cluster.cache.resync, 10h);
  EXPECT_EQ(flags.options.grace_period, 90s);
  ASSERT_TRUE(flags.options.leader_election);
  EXPECT_EQ(flags.options.leader_election->name, "op");
  EXPECT_EQ(flags.options.leader_election->namespace_, "system");
  EXPECT_EQ(flags.options.leader_election->lease_duration, 30s);
  EXPECT_EQ(flags.options.leader_election->renew_deadline, 20s);
  EXPECT_EQ(flags.options.leader_election->retry_period, 500ms);
  EXPECT_EQ(flags.options.health.bind_address, ":8081");
  EXPECT_EQ(flags.options.metrics.bind_address, "127.0.0.1:8443");
  EXPECT_TRUE(flags.options.metrics.secure);
  ASSERT_TRUE(flags.options.metrics.tls);
  EXPECT_EQ(flags.options.metrics.tls->certificate.file, "/certs/metrics.crt");
  EXPECT_EQ(flags.options.metrics.tls->key.file, "/certs/tls.key");
}

TEST(ManagerFlags, TrueAndFalseMayStandAlone) {
  EXPECT_TRUE(Parsed({"--leader-elect"}).options.leader_election);
  EXPECT_TRUE(Parsed({"-leader-elect"}).options.leader_election);
  for (const char* yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    EXPECT_TRUE(Parsed({std::string("--leader-elect=") + yes}).options.leader_election) << yes;
  }
  for (const char* no : {"0", "f", "F", "false", "FALSE", "False"}) {
    EXPECT_FALSE(Parsed({std::string("--leader-elect=") + no}).options.leader_election) << no;
  }
  // What follows is no value of theirs.
  const ManagerFlags flags = Parsed({"--leader-elect", "false"});
  EXPECT_TRUE(flags.options.leader_election);
  EXPECT_THAT(flags.arguments, ElementsAre("false"));
}

TEST(ManagerFlags, AProgramsOwnElectionCanBeTurnedOffAndChanged) {
  const ManagerOptions own{.leader_election = LeaderElectionOptions{.name = "op", .lease_duration = 60s}};
  ASSERT_TRUE(Parsed({}, own).options.leader_election);
  EXPECT_EQ(Parsed({}, own).options.leader_election->lease_duration, 60s);
  EXPECT_FALSE(Parsed({"--leader-elect=false"}, own).options.leader_election);
  const ManagerFlags changed = Parsed({"--leader-election-id=other"}, own);
  EXPECT_EQ(changed.options.leader_election->name, "other");
  EXPECT_EQ(changed.options.leader_election->lease_duration, 60s);
  // A name alone does not turn it on.
  EXPECT_FALSE(Parsed({"--leader-election-id=other"}).options.leader_election);
}

TEST(ManagerFlags, WhatIsNoFlagIsKept) {
  const ManagerFlags flags = Parsed({"serve", "--workers", "3", "-", "now", "--", "--workers=9", "--", "-x"});
  EXPECT_EQ(flags.options.controllers.workers, 3);
  EXPECT_THAT(flags.arguments, ElementsAre("serve", "-", "now", "--workers=9", "--", "-x"));
}

TEST(ManagerFlags, HelpIsAskedForInThreeWays) {
  EXPECT_TRUE(Parsed({"-h"}).help);
  EXPECT_TRUE(Parsed({"--help"}).help);
  EXPECT_TRUE(Parsed({"-help"}).help);
  EXPECT_FALSE(Parsed({"--", "-h"}).help);
}

TEST(ManagerFlags, AnUnknownOneIsAnErrorThatNamesTheClosest) {
  EXPECT_EQ(Refusal({"--leader-elct"}),
            "unknown flag --leader-elct: did you mean --leader-elect? --help lists all of them");
  EXPECT_EQ(Refusal({"-kubeconf=x"}), "unknown flag -kubeconf: did you mean --kubeconfig? --help lists all of them");
  EXPECT_EQ(Refusal({"--vmodul=x"}), "unknown flag --vmodul: did you mean --vmodule? --help lists all of them");
  EXPECT_EQ(Refusal({"--xyzzy-plugh"}), "unknown flag --xyzzy-plugh: --help lists all of them");
  EXPECT_EQ(Refusal({"--=x"}), "unknown flag --: --help lists all of them");
  EXPECT_THAT(Refusal({"--" + std::string(100'000, 'x')}), HasSubstr("unknown flag"));
}

TEST(ManagerFlags, ABadValueIsAnErrorThatSaysWhatIsExpected) {
  EXPECT_EQ(Refusal({"--workers=many"}),
            "invalid value \"many\" for flag --workers: expected a number that is not below 1");
  EXPECT_THAT(Refusal({"--workers=0"}), HasSubstr("not below 1"));
  EXPECT_THAT(Refusal({"--workers=3x"}), HasSubstr("not below 1"));
  EXPECT_THAT(Refusal({"--workers=99999999999"}), HasSubstr("expected a number"));
  EXPECT_THAT(Refusal({"--kube-api-qps=nan"}), HasSubstr("expected a number"));
  EXPECT_THAT(Refusal({"--kube-api-qps=-1"}), HasSubstr("not below 0"));
  EXPECT_EQ(Refusal({"--leader-elect=maybe"}),
            "invalid value \"maybe\" for flag --leader-elect: expected true or false");
  EXPECT_EQ(Refusal({"--resync", "15"}),
            "invalid value \"15\" for flag --resync: expected a duration such as 15s or 1m30s");
  EXPECT_THAT(Refusal({"--metrics-bind-address=8080"}), HasSubstr("for flag --metrics-bind-address"));
  EXPECT_EQ(Refusal({"--workers"}), "flag --workers needs a value and none follows");
}

TEST(ManagerFlags, NamespacesAreAListOrAVariable) {
  const auto namespaces = [](const Words& words, std::map<std::string, std::string> variables) {
    return ParseManagerFlags(words, {}, Environment(std::move(variables)))->options.cluster.cache.namespaces;
  };
  EXPECT_THAT(namespaces({}, {}), IsEmpty());
  EXPECT_THAT(namespaces({"--namespaces=a"}, {}), ElementsAre("a"));
  EXPECT_THAT(namespaces({"--namespaces=a, b,,a"}, {}), ElementsAre("a", "b"));
  EXPECT_THAT(namespaces({}, {{"WATCH_NAMESPACE", "c,d"}}), ElementsAre("c", "d"));
  EXPECT_THAT(namespaces({"--namespaces=a"}, {{"WATCH_NAMESPACE", "c,d"}}), ElementsAre("a"));
  EXPECT_THAT(namespaces({"--namespaces="}, {{"WATCH_NAMESPACE", "c,d"}}), IsEmpty());
}

TEST(ManagerFlags, TheHelpShowsEveryFlagWithItsDefault) {
  const std::string help = ManagerFlagsUsage(
      "my-operator", {.controllers = {.workers = 4}, .leader_election = LeaderElectionOptions{.name = "op"}});
  EXPECT_THAT(help, HasSubstr("Usage: my-operator [flags]"));
  EXPECT_THAT(help, HasSubstr("--workers=N                            reconciles at a time"));
  EXPECT_THAT(help, HasSubstr("(default 4)"));
  EXPECT_THAT(help, HasSubstr("--leader-elect                         take part in the election; without it every "
                              "replica works (default true)"));
  EXPECT_THAT(help, HasSubstr("--leader-election-id=NAME              name of the Lease, which no other program has; "
                              "else the program's (default op)"));
  EXPECT_THAT(help, HasSubstr("--graceful-shutdown-timeout=DURATION"));
  EXPECT_THAT(help, HasSubstr("(default 30s)"));
  EXPECT_THAT(help, HasSubstr("--metrics-bind-address=ADDRESS         where /metrics is served (default 0)"));
  EXPECT_THAT(help, HasSubstr("--vmodule"));
  EXPECT_THAT(help, Not(HasSubstr("(default )")));
}

TEST(PodNamespace, IsWhatTheVariableSaysAndNothingOutsideOfAPod) {
  EXPECT_EQ(PodNamespace(Environment({{"POD_NAMESPACE", "system"}})), "system");
  EXPECT_EQ(PodNamespace(Environment()), std::nullopt);
}

}  // namespace
}  // namespace keelson
