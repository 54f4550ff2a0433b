#include "keelson/runtime/finalizer_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/controlplane/control_plane.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ObjectKey kKey = {"default", "web"};

class FinalizerRegistryTest : public ::testing::Test {
 protected:
  FinalizerRegistryTest() {
    appsv1::Deployment web{.metadata = {.name = "web", .namespace_ = "default"}};
    web.spec.selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}};
    web.spec.template_.metadata.labels = {{"app", "web"}};
    web.spec.template_.spec.containers = {corev1::Container{.name = "web", .image = "web:1"}};
    EXPECT_TRUE(client_.Create(web));
  }
  appsv1::Deployment Read() { return client_.Get<appsv1::Deployment>(kKey).value(); }
  std::vector<std::string> Finalizers() {
    std::vector<std::string> names;
    for (const String& name : Read().metadata.finalizers) names.push_back(name.str());
    return names;
  }
  // One call, as a reconciler makes it.
  Result<std::optional<Outcome>> Finalize() {
    appsv1::Deployment web = Read();
    return finalizers_.Finalize(context_, client_, web);
  }
  auto Noting(std::string what) {
    return [this, what](Context&, appsv1::Deployment&) -> Result<void> {
      calls_.push_back(what);
      return {};
    };
  }

  ControlPlane control_plane_;
  Client client_ = control_plane_.client();
  Context context_;
  FinalizerRegistry<appsv1::Deployment> finalizers_;
  std::vector<std::string> calls_;
};

TEST_F(FinalizerRegistryTest, AddsWhatIsMissingToALivingObject) {
  ASSERT_TRUE(finalizers_.Register("example.com/one", Noting("one")));
  ASSERT_TRUE(finalizers_.Register("example.com/two", Noting("two")));
  appsv1::Deployment web = Read();
  const auto outcome = finalizers_.Finalize(context_, client_, web);
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(*outcome, std::nullopt) << "it lives: the reconciler goes on";
  EXPECT_EQ(web.metadata.resourceVersion, Read().metadata.resourceVersion) << "it goes on with what was written";
  EXPECT_THAT(Finalizers(), ElementsAre("example.com/one", "example.com/two"));
  const String version = Read().metadata.resourceVersion;
  ASSERT_TRUE(Finalize());
  EXPECT_EQ(Read().metadata.resourceVersion, version) << "nothing is written a second time";
  EXPECT_THAT(calls_, ElementsAre());
}

TEST_F(FinalizerRegistryTest, RunsInOrderAtDeletionAndLetsTheObjectGo) {
  ASSERT_TRUE(finalizers_.Register("example.com/one", Noting("one")));
  ASSERT_TRUE(finalizers_.Register("example.com/two", Noting("two")));
  ASSERT_TRUE(Finalize());
  ASSERT_TRUE(client_.Delete<appsv1::Deployment>(kKey));
  const auto outcome = Finalize();
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(*outcome, Outcome::Done());
  EXPECT_THAT(calls_, ElementsAre("one", "two"));
  EXPECT_TRUE(IsNotFound(client_.Get<appsv1::Deployment>(kKey).error()));
}

TEST_F(FinalizerRegistryTest, OneThatIsNotReadyHoldsUpThoseBehindIt) {
  bool ready = false;
  ASSERT_TRUE(finalizers_.Register("example.com/one", Noting("one")));
  ASSERT_TRUE(finalizers_.Register("example.com/two", [&](Context&, appsv1::Deployment&) -> Result<Outcome> {
    return ready ? Outcome::Done() : Outcome::After(7s);
  }));
  ASSERT_TRUE(finalizers_.Register("example.com/three", Noting("three")));
  ASSERT_TRUE(Finalize());
  ASSERT_TRUE(client_.Delete<appsv1::Deployment>(kKey));
  EXPECT_EQ(Finalize().value(), Outcome::After(7s));
  EXPECT_THAT(Finalizers(), ElementsAre("example.com/two", "example.com/three")) << "what is finished is written";
  ready = true;
  EXPECT_EQ(Finalize().value(), Outcome::Done());
  EXPECT_THAT(calls_, ElementsAre("one", "three"));
  EXPECT_FALSE(client_.Get<appsv1::Deployment>(kKey));
}

TEST_F(FinalizerRegistryTest, AFailureKeepsWhatWasDoneAndSaidBefore) {
  ASSERT_TRUE(finalizers_.Register("example.com/one", Noting("one")));
  ASSERT_TRUE(finalizers_.Register("example.com/two", [](Context&, appsv1::Deployment& web) -> Result<void> {
    web.status.replicas = 5;
    return Error(ErrorCode::kUnavailable, "the bucket is locked");
  }));
  ASSERT_TRUE(Finalize());
  ASSERT_TRUE(client_.Delete<appsv1::Deployment>(kKey));
  const auto outcome = Finalize();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message(), "finalizer example.com/two: the bucket is locked");
  EXPECT_THAT(Finalizers(), ElementsAre("example.com/two"));
  EXPECT_EQ(Read().status.replicas, 5);
}

TEST_F(FinalizerRegistryTest, LeavesOthersFinalizersAndSeesConflicts) {
  ASSERT_TRUE(finalizers_.Register("example.com/one", Noting("one")));
  appsv1::Deployment stale = Read();
  appsv1::Deployment theirs = Read();
  theirs.metadata.finalizers = {"other.org/theirs"};
  ASSERT_TRUE(client_.Update(theirs));
  EXPECT_TRUE(IsConflict(finalizers_.Finalize(context_, client_, stale).error()));
  ASSERT_TRUE(Finalize());
  EXPECT_THAT(Finalizers(), ElementsAre("other.org/theirs", "example.com/one"));
  ASSERT_TRUE(client_.Delete<appsv1::Deployment>(kKey));
  EXPECT_EQ(Finalize().value(), Outcome::Done());
  EXPECT_THAT(Finalizers(), ElementsAre("other.org/theirs"));
  EXPECT_EQ(Finalize().value(), Outcome::Done()) << "what is left is not ours";
  EXPECT_THAT(calls_, ElementsAre("one"));
}

TEST_F(FinalizerRegistryTest, AnObjectThatIsGoneMeanwhileIsDone) {
  ASSERT_TRUE(finalizers_.Register("example.com/one", [&](Context&, appsv1::Deployment& web) -> Result<void> {
    appsv1::Deployment gone = web;
    gone.metadata.finalizers = {};
    KEELSON_RETURN_IF_ERROR(client_.Update(gone));
    return {};
  }));
  ASSERT_TRUE(Finalize());
  ASSERT_TRUE(client_.Delete<appsv1::Deployment>(kKey));
  EXPECT_EQ(Finalize().value(), Outcome::Done());
}

TEST_F(FinalizerRegistryTest, NamesAreQualifiedAndDifferent) {
  ASSERT_TRUE(finalizers_.Register("example.com/one", Noting("one")));
  EXPECT_EQ(finalizers_.Register("example.com/one", Noting("one")).error().code(), ErrorCode::kAlreadyExists);
  for (const char* name : {"", "one", "/one", "example.com/", "example.com/a/b"}) {
    EXPECT_THAT(finalizers_.Register(name, Noting("x")).error().message(), HasSubstr("domain/name")) << name;
  }
}

}  // namespace
}  // namespace keelson
