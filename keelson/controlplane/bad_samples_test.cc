#include "keelson/controlplane/bad_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/core/v1.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Map(const std::string& name) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n";
}

TEST(BadSamples, ThatEndOtherwiseAreTold) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory.Path("bad"));
  const ControlPlane control_plane;
  const Client client = control_plane.client();
  const auto try_one = [&](const std::string& sample, const BadSamplesOptions& options) {
    directory.Write("bad/sample.yaml", sample);
    const std::vector<std::string> differences = TryBadSamples(client, directory.Path("bad"), options);
    if (differences.empty()) return std::string("as it says");
    return differences.size() == 1 ? differences[0] : "more than one";
  };
  const BadSamplesOptions plain = {.condition = "", .settle = {}};
  EXPECT_THAT(TryBadSamples(client, directory.Path("bad")), ElementsAre(HasSubstr("there is no sample in")));
  EXPECT_THAT(try_one(Map("a"), plain), HasSubstr("its first line is \"apiVersion: v1\""));
  EXPECT_EQ(try_one("# rejected: lower case\n" + Map("A"), plain), "as it says");
  EXPECT_THAT(try_one("# rejected: too long\n" + Map("A"), plain), HasSubstr("expected an error with \"too long\""));
  EXPECT_THAT(try_one("# rejected: lower case\n" + Map("a"), plain), HasSubstr("the server took it"));
  EXPECT_THAT(try_one("# accepted: Odd\n" + Map("A"), plain), HasSubstr("the server refused it"));
  EXPECT_THAT(try_one("# accepted: Odd\n" + Map("b"), plain),
              HasSubstr("sample.yaml: expected an event \"Warning Odd\", found []"));
  EXPECT_THAT(try_one("# accepted: Odd\n" + Map("c"), {.settle = {}}),
              HasSubstr("expected \"Ready=False Odd: …\", found \"nothing is said\""));
  {
    EventBroadcaster events({.client = client});
    const auto about = client.Create(corev1::ConfigMap{.metadata = {.name = "d", .namespace_ = "default"}}).value();
    events.RecorderFor("tester").Event(about, EventType::kWarning, "Odd", "it is odd");
  }
  ASSERT_TRUE(client.Delete<corev1::ConfigMap>({"default", "d"}));
  EXPECT_EQ(try_one("# accepted: Odd\n" + Map("d"), plain), "as it says");
}

}  // namespace
}  // namespace keelson
