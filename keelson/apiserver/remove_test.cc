// Deleting while others delete.
#include <gtest/gtest.h>

#include <string>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/own_writes.h"

namespace keelson::apiserver {
namespace {

// Deletes a Pod for good as soon as it is marked, before who marked it goes on.
class QuickKubelet final : public WriteObserver {
 public:
  explicit QuickKubelet(Objects& objects) : objects_(objects) {}

  void OnWritten(const Resource& resource, const ObjectPtr& object, bool deleted) override {
    if (deleted || deletes_ > 0 || !MetaOf(DecodeStored(resource, *object)).deletionTimestamp) return;
    ++deletes_;
    const ResourcePtr pods = objects_.resources().FindServing(TypeOf<corev1::Pod>());
    Exchange exchange = OwnRequest(pods, "default", "delete");
    EXPECT_TRUE(objects_.DeleteOne(exchange, *pods, "default", "p", {.grace_seconds = 0}));
    if (recreates) {
      EXPECT_TRUE(Ensure(objects_, PodOnNode()));
    }
  }

  static corev1::Pod PodOnNode() {
    return {.metadata = {.name = "p", .namespace_ = "default"},
            .spec = {.containers =
                         {{.name = "a", .image = "b", .terminationMessagePolicy = "File", .imagePullPolicy = "Always"}},
                     .terminationGracePeriodSeconds = 30,
                     .nodeName = "n"}};
  }

  bool recreates = false;

 private:
  Objects& objects_;
  int deletes_ = 0;
};

// A server's objects without the server.
struct Bench {
  Bench() {
    EXPECT_TRUE(Ensure(objects, corev1::Namespace{.metadata = {.name = "default"}}));
    const Result<void> made = Ensure(objects, QuickKubelet::PodOnNode());
    EXPECT_TRUE(made) << made.error().message();
    objects.AddObserver(kubelet);
  }
  Result<Reply> Delete() {
    Exchange exchange = OwnRequest(pods, "default", "delete");
    return objects.DeleteOne(exchange, *pods, "default", "p", {.grace_seconds = 0});
  }

  const RulesTable rules = RulesTable::Builtin();
  const std::unique_ptr<Store> store = Store::Open({}).value();
  ResourceTable resources{rules, *store};
  Objects objects{*store, resources};
  const ResourcePtr pods = resources.FindServing(TypeOf<corev1::Pod>());
  QuickKubelet kubelet{objects};
};

TEST(Remove, WhoDeletesAtOnceSucceedsAlsoWhenAKubeletIsQuicker) {
  Bench bench;
  const Result<Reply> deleted = bench.Delete();
  ASSERT_TRUE(deleted) << deleted.error().message();
  EXPECT_EQ(deleted->stored->name(), "p");
  EXPECT_FALSE(bench.objects.Get(*bench.pods, "default", "p"));
}

TEST(Remove, AnotherObjectOfTheNameIsNotMeant) {
  Bench bench;
  bench.kubelet.recreates = true;
  const Result<Reply> deleted = bench.Delete();
  ASSERT_TRUE(deleted) << deleted.error().message();
  const Result<ObjectPtr> there = bench.objects.Get(*bench.pods, "default", "p");
  ASSERT_TRUE(there) << "the new one was deleted too";
  EXPECT_NE((*there)->uid(), deleted->stored->uid());
}

}  // namespace
}  // namespace keelson::apiserver
