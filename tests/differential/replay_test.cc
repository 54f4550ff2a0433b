// Each recorded request, sent to our own server: its answers are those of a kube-apiserver.
//
//   keelson_differential_test --gtest_filter='*create*'
//   KEELSON_SCRIPTS='create/Pod: *' keelson_differential_test       those scripts alone
//   KEELSON_REPORT=FILE keelson_differential_test                   also writes every difference to the file
#include "tests/differential/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "keelson/apiserver/api_server.h"
#include "keelson/core/simulation.h"
#include "tests/differential/difference.h"

namespace keelson::differential {
namespace {

// Beyond that a topic's failure tells nothing new.
constexpr size_t kMaxShown = 20;

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// As the recorder's administrator, who comes with a token too: what shows of users depends on how they are known.
const apiserver::User kAdmin{.name = "admin", .uid = "admin", .groups = {"system:masters"}};

Result<std::vector<Json>> OwnAnswers(const Script& script) {
  std::vector<Json> answers;
  std::optional<Error> failure;
  Simulation simulation({.seed = 1, .trace_capacity = 0});
  KEELSON_RETURN_IF_ERROR(simulation.Run([&] {
    Result<std::unique_ptr<ApiServer>> server =
        ApiServer::Make({.authentication = {.tokens = {{std::string(kAdminToken), kAdmin}}}, .tend_namespaces = false});
    if (!server) {
      failure = server.error();
      return;
    }
    apiserver::Store& store = (*server)->store();
    Replay replay(**server, [&store] { store.Compact(store.revision()); });
    answers = replay.Run(script);
    MaskOptions mask = replay.mask();
    mask.managed_fields = script.managed_fields;
    Mask(answers, mask);
  }));
  if (failure) return *failure;
  return answers;
}

std::vector<Json> RecordedAnswers(const Script& script) {
  std::vector<Json> answers = ReadableAnswers(script);
  MaskOptions mask{.namespace_ = script.namespace_, .names = {}, .managed_fields = script.managed_fields};
  for (size_t i = 0; i < answers.size(); ++i) {
    if (script.steps[i].find("mask") == nullptr) continue;
    // The recorder masks nothing but names.
    const Json* body = answers[i].find("body");
    const Json* metadata = body == nullptr ? nullptr : body->find("metadata");
    if (metadata != nullptr) mask.names.push_back(Text(*metadata, "name"));
  }
  Mask(answers, mask);
  return answers;
}

std::vector<Difference> DifferencesOf(const Script& script) {
  std::vector<Difference> differences;
  Result<std::vector<Json>> own = OwnAnswers(script);
  if (!own) {
    differences.push_back({.step = 0, .at = "script", .expected = "an end", .got = own.error().message()});
    return differences;
  }
  const std::vector<Json> recorded = RecordedAnswers(script);
  for (size_t i = 0; i < recorded.size(); ++i) {
    const bool values = Text(script.steps[i], "values") != "masked";
    Compare(values ? recorded[i] : WithoutValues(recorded[i]), values ? (*own)[i] : WithoutValues((*own)[i]), i + 1,
            differences);
  }
  return differences;
}

std::string Request(const Script& script, size_t step) {
  if (step == 0) return "";
  const Json& one = script.steps[step - 1];
  std::string text = Text(one, "method") + " " + Text(one, "path") + Text(one, "events");
  if (const std::string query = Text(one, "query"); !query.empty()) text += "?" + query;
  text += " " + Text(one, "body").substr(0, 300);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

class Differential : public testing::TestWithParam<std::string> {};

TEST_P(Differential, AnswersAsKubeApiserverDoes) {
  Result<std::vector<Script>> scripts = ReadTopic(GetParam());
  ASSERT_TRUE(scripts) << scripts.error().message();
  Result<KnownDifferences> known = KnownDifferences::Read(KEELSON_TEST_DATA "/../differential/known_differences.yaml");
  ASSERT_TRUE(known) << known.error().message();
  const std::string wanted = Setting("KEELSON_SCRIPTS");
  std::ofstream report(Setting("KEELSON_REPORT"), std::ios::app);

  size_t shown = 0;
  size_t different = 0;
  for (const Script& script : *scripts) {
    if (!wanted.empty() && !MatchesPattern(script.title(), wanted)) continue;
    bool failed = false;
    for (const Difference& difference : DifferencesOf(script)) {
      if (known->Find(script.title(), difference) != nullptr) continue;
      report << script.title() << "\t" << difference.step << "\t" << difference.at << "\t" << difference.expected
             << "\t" << difference.got << "\t" << Request(script, difference.step) << "\n";
      if (!failed && ++shown <= kMaxShown) {
        ADD_FAILURE() << script.title() << ": " << ToString(difference) << "\n  after "
                      << Request(script, difference.step);
      }
      failed = true;
    }
    different += failed;
  }
  EXPECT_EQ(different, 0u) << "scripts of " << scripts->size() << " differ";
  if (!wanted.empty()) return;
  for (const std::string& unused : known->Unused(GetParam())) {
    ADD_FAILURE() << "known_differences.yaml: " << unused << " differs no more: remove it";
  }
}

INSTANTIATE_TEST_SUITE_P(Topics, Differential, testing::ValuesIn(Topics()),
                         [](const testing::TestParamInfo<std::string>& topic) { return topic.param; });

}  // namespace
}  // namespace keelson::differential
