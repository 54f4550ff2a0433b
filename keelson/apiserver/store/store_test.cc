#include "keelson/apiserver/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/apiserver/store/store_test_support.h"

namespace keelson::apiserver {
namespace {

using std::chrono::milliseconds;
using testing::Describe;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeDraft;
using testing::RecordingSink;
using testing::ValueOf;

std::unique_ptr<Store> OpenStore(StoreOptions options = {}) { return Store::Open(std::move(options)).value(); }

std::vector<std::string> Names(const ListPage& page) {
  std::vector<std::string> names;
  for (const ObjectPtr& object : page.items) {
    const std::string prefix = object->namespace_().empty() ? "" : object->namespace_() + "/";
    names.push_back(prefix + object->name().str());
  }
  return names;
}
std::vector<std::string> States(const ListPage& page) {
  std::vector<std::string> states;
  for (const ObjectPtr& object : page.items) states.push_back(object->name() + "=" + ValueOf(*object));
  return states;
}

TEST(Store, CreatedObjectHasItsRevisionInItsJson) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  const ObjectPtr pod = store->Create(pods, MakeDraft("default", "web", "v1")).value();
  EXPECT_EQ(pod->revision(), 2);
  EXPECT_EQ(pod->json(), R"({"metadata":{"name":"web","resourceVersion":"2"},"value":"v1"})");
  EXPECT_EQ(store->revision(), 2);
  EXPECT_EQ(store->Get(pods, "default", "web").value(), pod);
  EXPECT_EQ(store->Count(pods), 1u);
}

TEST(Store, RegisterGivesOneIdPerName) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  EXPECT_NE(store->Register("services"), pods);
  EXPECT_EQ(store->Register("pods"), pods);
}

TEST(Store, HoldsManyCollections) {
  auto store = OpenStore();
  std::vector<CollectionId> ids;
  for (int i = 0; i < 1000; ++i) ids.push_back(store->Register("kind" + std::to_string(i)));
  ASSERT_TRUE(store->Create(ids[999], MakeDraft("", "x")));
  EXPECT_EQ(store->Count(ids[999]), 1u);
  EXPECT_EQ(store->Count(ids[998]), 0u);
}

TEST(Store, WritesAreRefusedByCode) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  const Revision first = store->Create(pods, MakeDraft("a", "x", "1")).value()->revision();
  EXPECT_EQ(store->Create(pods, MakeDraft("a", "x")).error().code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(store->Get(pods, "a", "y").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store->Get(pods, "b", "x").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store->Update(pods, MakeDraft("a", "y"), 1).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store->Delete(pods, "a", "y", 1).error().code(), ErrorCode::kNotFound);
  const Revision second = store->Update(pods, MakeDraft("a", "x", "2"), first).value()->revision();
  EXPECT_EQ(second, first + 1);
  EXPECT_EQ(store->Update(pods, MakeDraft("a", "x", "3"), first).error().code(), ErrorCode::kConflict);
  EXPECT_EQ(store->Delete(pods, "a", "x", first).error().code(), ErrorCode::kConflict);
  EXPECT_EQ(ValueOf(*store->Get(pods, "a", "x").value()), "2");
  EXPECT_EQ(store->revision(), second) << "refused writes take no revision";
}

TEST(Store, DeletionComesBackWithItsOwnRevision) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  Revision revision = store->Create(pods, MakeDraft("a", "x", "1")).value()->revision();
  for (int i = 0; i < 10; ++i)
    revision = store->Update(pods, MakeDraft("a", "x", "last"), revision).value()->revision();
  const ObjectPtr gone = store->Delete(pods, "a", "x", revision).value();
  EXPECT_EQ(gone->revision(), 13);
  EXPECT_EQ(gone->json(), R"({"metadata":{"name":"x","resourceVersion":"13"},"value":"last"})");
  EXPECT_EQ(store->Get(pods, "a", "x").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store->Create(pods, MakeDraft("a", "x")).value()->revision(), 14);
}

TEST(Store, ListsInTheOrderOfWholeKeys) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  for (const auto& [namespace_, name] : {std::pair("b", "1"), {"a", "2"}, {"a-b", "9"}, {"a", "1"}, {"ab", "0"}}) {
    ASSERT_TRUE(store->Create(pods, MakeDraft(namespace_, name)));
  }
  const ListPage all = store->List(pods, {}).value();
  EXPECT_THAT(Names(all), ElementsAre("a-b/9", "a/1", "a/2", "ab/0", "b/1"));
  EXPECT_EQ(all.revision, 6);
  EXPECT_FALSE(all.more);
  EXPECT_THAT(Names(store->List(pods, {.namespace_ = "a"}).value()), ElementsAre("a/1", "a/2"));
  EXPECT_THAT(Names(store->List(pods, {.namespace_ = "c"}).value()), IsEmpty());
}

TEST(Store, PagesContinueAtTheFirstPagesRevision) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  for (const char* name : {"a", "b", "c", "d", "e"}) ASSERT_TRUE(store->Create(pods, MakeDraft("n", name, "old")));
  const ListPage first = store->List(pods, {.namespace_ = "n", .limit = 2}).value();
  EXPECT_THAT(Names(first), ElementsAre("n/a", "n/b"));
  EXPECT_TRUE(first.more);
  EXPECT_EQ(first.remaining, 3u);

  // What happens between the pages does not show.
  ASSERT_TRUE(store->Create(pods, MakeDraft("n", "bb", "new")));
  ASSERT_TRUE(store->Create(pods, MakeDraft("other", "x", "new")));
  ASSERT_TRUE(store->Delete(pods, "n", "c", store->Get(pods, "n", "c").value()->revision()));
  ASSERT_TRUE(store->Create(pods, MakeDraft("n", "c", "again")));
  ASSERT_TRUE(store->Update(pods, MakeDraft("n", "d", "new"), store->Get(pods, "n", "d").value()->revision()));
  ASSERT_TRUE(store->Delete(pods, "n", "e", store->Get(pods, "n", "e").value()->revision()));
  ASSERT_TRUE(store->Delete(pods, "n", "a", store->Get(pods, "n", "a").value()->revision()));

  const ListPage second =
      store
          ->List(pods,
                 {.namespace_ = "n", .revision = first.revision, .limit = 2, .after_namespace = "n", .after_name = "b"})
          .value();
  EXPECT_THAT(States(second), ElementsAre("c=old", "d=old"));
  EXPECT_EQ(second.revision, first.revision);
  EXPECT_TRUE(second.more);
  EXPECT_EQ(second.remaining, 1u);
  const ListPage third =
      store
          ->List(pods,
                 {.namespace_ = "n", .revision = first.revision, .limit = 2, .after_namespace = "n", .after_name = "d"})
          .value();
  EXPECT_THAT(States(third), ElementsAre("e=old"));
  EXPECT_FALSE(third.more);
  EXPECT_THAT(States(store->List(pods, {.namespace_ = "n"}).value()),
              ElementsAre("b=old", "bb=new", "c=again", "d=new"));
}

TEST(Store, ObjectsThatDoNotMatchDoNotCountTowardsTheLimit) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(store->Create(pods, MakeDraft("n", std::to_string(i), i % 2 ? "odd" : "even")));
  const auto odd = [](const StoredObject& object) { return ValueOf(object) == "odd"; };
  const ListPage page = store->List(pods, {.limit = 2, .matches = odd}).value();
  EXPECT_THAT(Names(page), ElementsAre("n/1", "n/3"));
  EXPECT_TRUE(page.more);
  EXPECT_EQ(page.remaining, 6u) << "matching or not";
  const ListPage rest =
      store->List(pods, {.limit = 3, .after_namespace = "n", .after_name = "3", .matches = odd}).value();
  EXPECT_THAT(Names(rest), ElementsAre("n/5", "n/7", "n/9"));
  EXPECT_FALSE(rest.more) << "nothing further matches";
  const ListPage last =
      store->List(pods, {.limit = 1, .after_namespace = "n", .after_name = "7", .matches = odd}).value();
  EXPECT_THAT(Names(last), ElementsAre("n/9"));
  EXPECT_FALSE(last.more);
}

TEST(Store, FilterMayUseTheStore) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  ASSERT_TRUE(store->Create(pods, MakeDraft("n", "a")));
  const auto writes = [&](const StoredObject&) { return store->Create(pods, MakeDraft("n", "b")).has_value(); };
  EXPECT_THAT(Names(store->List(pods, {.matches = writes}).value()), ElementsAre("n/a"));
  EXPECT_EQ(store->Count(pods), 2u);
}

TEST(Store, RevisionToComeIsATimeout) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  EXPECT_EQ(store->List(pods, {.revision = 2}).error().code(), ErrorCode::kTimeout);
  EXPECT_TRUE(store->List(pods, {.revision = 1}));
}

TEST(Store, CompactionExpiresWhatWasBefore) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store->Create(pods, MakeDraft("n", std::to_string(i))));
  store->Compact(4);
  EXPECT_EQ(store->oldest_watchable(pods), 4);
  EXPECT_EQ(store->List(pods, {.revision = 3}).error().code(), ErrorCode::kExpired);
  EXPECT_EQ(store->List(pods, {.revision = 4}).value().items.size(), 3u);
  auto sink = std::make_shared<RecordingSink>();
  EXPECT_EQ(store->Watch(pods, 3, sink).error().code(), ErrorCode::kExpired);
  auto watch = store->Watch(pods, 4, sink).value();
  EXPECT_THAT(Describe(sink->Await(2)), ElementsAre("created 3@5=", "created 4@6="));
  EXPECT_EQ(store->oldest_watchable(store->Register("later")), 4);
  store->Compact(1'000'000);
  EXPECT_EQ(store->oldest_watchable(pods), 6) << "the newest revision stays";
}

TEST(Store, HistoryIsBoundedByEvents) {
  auto store = OpenStore({.history_events = 3});
  const CollectionId pods = store->Register("pods");
  const CollectionId services = store->Register("services");
  ASSERT_TRUE(store->Create(services, MakeDraft("n", "kept")));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(store->Create(pods, MakeDraft("n", std::to_string(i))));
  EXPECT_EQ(store->oldest_watchable(pods), 9);
  EXPECT_EQ(store->oldest_watchable(services), 1) << "each collection by itself";
  EXPECT_EQ(store->List(pods, {.revision = 9}).value().items.size(), 7u);
  EXPECT_EQ(store->List(pods, {.revision = 8}).error().code(), ErrorCode::kExpired);
}

TEST(Store, HistoryIsBoundedByBytes) {
  auto store = OpenStore({.history_bytes = 10'000});
  const CollectionId pods = store->Register("pods");
  const CollectionId services = store->Register("services");
  Revision service = store->Create(services, MakeDraft("n", "s")).value()->revision();
  service = store->Update(services, MakeDraft("n", "s"), service).value()->revision();
  const std::string kilobyte(1000, 'x');
  Revision revision = store->Create(pods, MakeDraft("n", "p", kilobyte)).value()->revision();
  for (int i = 0; i < 100; ++i)
    revision = store->Update(pods, MakeDraft("n", "p", kilobyte), revision).value()->revision();
  EXPECT_GT(store->oldest_watchable(pods), revision - 20);
  EXPECT_LT(store->oldest_watchable(pods), revision);
  EXPECT_EQ(store->oldest_watchable(services), 1) << "the collection that keeps the most gives";
}

TEST(Store, WatchGivesTheRestFromAnyRememberedRevision) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  const CollectionId others = store->Register("others");
  std::vector<std::string> all;
  for (int i = 0; i < 10; ++i) {
    const std::string name = std::to_string(i);
    Revision revision = store->Create(pods, MakeDraft("n", name, "a")).value()->revision();
    ASSERT_TRUE(store->Create(others, MakeDraft("n", name)));
    revision = store->Update(pods, MakeDraft("n", name, "b"), revision).value()->revision();
    if (i % 3 == 0) {
      ASSERT_TRUE(store->Delete(pods, "n", name, revision));
    }
  }
  auto full = std::make_shared<RecordingSink>();
  auto watch = store->Watch(pods, 1, full).value();
  const std::vector<EventPtr> events = full->Await(24);
  ASSERT_EQ(events.size(), 24u);
  EXPECT_EQ(Describe(*events[0]), "created 0@2=a");
  EXPECT_EQ(Describe(*events[1]), "updated 0@4=b");
  EXPECT_EQ(Describe(*events[2]), "deleted 0@5=b");
  EXPECT_EQ(events[0]->previous(), nullptr);
  EXPECT_EQ(events[1]->previous(), events[0]->object());
  EXPECT_EQ(events[2]->previous(), events[1]->object());

  for (Revision since = 1; since <= store->revision(); ++since) {
    std::vector<EventPtr> rest;
    for (const EventPtr& event : events) {
      if (event->revision() > since) rest.push_back(event);
    }
    auto sink = std::make_shared<RecordingSink>();
    auto from = store->Watch(pods, since, sink).value();
    EXPECT_EQ(sink->Await(rest.size()), rest) << "since " << since;
  }
}

TEST(Store, WatchGoesOnWithNewEvents) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  auto sink = std::make_shared<RecordingSink>();
  auto watch = store->Watch(pods, 1, sink).value();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(store->Create(pods, MakeDraft("n", std::to_string(i))));
    EXPECT_EQ(sink->Await(static_cast<size_t>(i) + 1).back()->object()->name(), std::to_string(i));
  }
}

TEST(Store, WatchFromARevisionToComeBeginsThere) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  auto sink = std::make_shared<RecordingSink>();
  auto watch = store->Watch(pods, 3, sink).value();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(store->Create(pods, MakeDraft("n", std::to_string(i))));
  EXPECT_THAT(Describe(sink->Await(2)), ElementsAre("created 2@4=", "created 3@5="));
}

TEST(Store, EndedWatchHearsNothing) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  auto ended = std::make_shared<RecordingSink>();
  auto other = std::make_shared<RecordingSink>();
  auto watch = store->Watch(pods, 1, ended).value();
  auto other_watch = store->Watch(pods, 1, other).value();
  ASSERT_TRUE(store->Create(pods, MakeDraft("n", "a")));
  ended->Await(1);
  watch.reset();
  ASSERT_TRUE(store->Create(pods, MakeDraft("n", "b")));
  other->Await(2);
  EXPECT_EQ(ended->count(), 1u);
}

TEST(Store, EndedWatchLetsGoOfItsSink) {
  auto store = OpenStore({.tick = milliseconds(1)});
  const CollectionId pods = store->Register("pods");
  auto sink = std::make_shared<RecordingSink>();
  std::weak_ptr<RecordingSink> alive = sink;
  auto watch = store->Watch(pods, 1, sink).value();
  sink->AwaitTicks(1);
  sink.reset();
  watch.reset();
  auto other = std::make_shared<RecordingSink>();
  auto other_watch = store->Watch(pods, 1, other).value();
  other->AwaitTicks(3);
  EXPECT_TRUE(alive.expired());
}

TEST(Store, SubscriptionMayOutliveTheStore) {
  auto store = OpenStore();
  auto watch = store->Watch(store->Register("pods"), 1, std::make_shared<RecordingSink>()).value();
  store.reset();
  watch.reset();
}

TEST(Store, TicksTellOfOtherCollectionsRevisions) {
  auto store = OpenStore({.tick = milliseconds(1)});
  const CollectionId pods = store->Register("pods");
  const CollectionId others = store->Register("others");
  auto sink = std::make_shared<RecordingSink>();
  auto watch = store->Watch(pods, 1, sink).value();
  ASSERT_TRUE(store->Create(others, MakeDraft("n", "a")));
  EXPECT_THAT(sink->AwaitRevision(2), IsEmpty());
}

TEST(Store, UpdatesShareWhatStaysEqual) {
  auto store = OpenStore();
  const CollectionId pods = store->Register("pods");
  const ObjectPtr a = store->Create(pods, MakeDraft("n", "a", "1", {{"app", "web"}})).value();
  const ObjectPtr b = store->Create(pods, MakeDraft("n", "b", "1", {{"app", "web"}})).value();
  const ObjectPtr c = store->Update(pods, MakeDraft("n", "b", "2", {{"app", "web"}}), b->revision()).value();
  EXPECT_EQ(a->namespace_().data(), b->namespace_().data());
  EXPECT_EQ(b->uid().data(), c->uid().data());
  EXPECT_EQ(b->name().data(), c->name().data());
  EXPECT_EQ(c->labels().at("app"), "web");
}

TEST(StoredObject, ProtobufIsMadeOnce) {
  const StoredObject object(MakeDraft("n", "a", "v"), 7);
  int made = 0;
  const auto make = [&](std::string_view json) {
    ++made;
    return "proto:" + std::to_string(json.size());
  };
  const String first = object.Protobuf(make);
  const String second = object.Protobuf(make);
  EXPECT_EQ(second.data(), first.data());
  EXPECT_EQ(made, 1);
  EXPECT_EQ(first, "proto:" + std::to_string(object.json().size()));
}

TEST(Event, FramesAreMadeOncePerKind) {
  const Event event(Event::Kind::kCreated, std::make_shared<const StoredObject>(MakeDraft("n", "a"), 7), nullptr);
  int made = 0;
  const auto make = [&] { return std::to_string(++made); };
  EXPECT_EQ(event.Encoded(Event::Frame::kJsonAdded, make), "1");
  EXPECT_EQ(event.Encoded(Event::Frame::kJsonAdded, make), "1");
  EXPECT_EQ(event.Encoded(Event::Frame::kProtobufAdded, make), "2");
  EXPECT_EQ(event.revision(), 7);
}

}  // namespace
}  // namespace keelson::apiserver
