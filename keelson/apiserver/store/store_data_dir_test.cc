#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "keelson/apiserver/store/data_dir_test_support.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/apiserver/store/store_test_support.h"
#include "keelson/core/random.h"
#include "keelson/core/thread.h"

namespace keelson::apiserver {
namespace {

using ::testing::AllOf;
using testing::Contents;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeDraft;
using testing::ReadFile;
using testing::RecordingSink;
using testing::TemporaryDirectory;
using testing::ValueOf;
using testing::WriteFile;

std::unique_ptr<Store> OpenAt(const std::string& directory) { return Store::Open({.data_dir = directory}).value(); }

std::vector<std::string> Dump(const Store& store, CollectionId collection) {
  std::vector<std::string> lines;
  const ListPage page = store.List(collection, {}).value();
  for (const ObjectPtr& object : page.items) {
    lines.push_back(object->namespace_() + "/" + object->name().str() + "@" + std::to_string(object->revision()) + "=" +
                    ValueOf(*object));
  }
  return lines;
}

TEST(StoreDataDir, EverythingIsThereAfterReopening) {
  TemporaryDirectory directory;
  Draft draft = MakeDraft("n", "a", "1", {{"app", "web"}, {"odd:3", "7:x"}});
  draft.fields = {"", "value", "2:"};
  std::string json;
  {
    auto store = OpenAt(directory / "data");
    const CollectionId pods = store->Register("pods");
    const CollectionId services = store->Register("services");
    json = store->Create(pods, draft).value()->json();
    const Revision b = store->Create(pods, MakeDraft("n", "b", "1")).value()->revision();
    const Revision c = store->Create(services, MakeDraft("", "c", "1")).value()->revision();
    ASSERT_TRUE(store->Update(pods, MakeDraft("n", "b", "2"), b));
    ASSERT_TRUE(store->Delete(services, "", "c", c));
    EXPECT_EQ(store->revision(), 6);
  }
  auto store = OpenAt(directory / "data");
  EXPECT_EQ(store->revision(), 6) << "the deletion's";
  const CollectionId services = store->Register("services");
  const CollectionId pods = store->Register("pods");
  EXPECT_THAT(Dump(*store, pods), ElementsAre("n/a@2=1", "n/b@5=2"));
  EXPECT_EQ(store->Count(services), 0u);
  const ObjectPtr a = store->Get(pods, "n", "a").value();
  EXPECT_EQ(a->json(), json);
  EXPECT_EQ(a->uid(), "uid-a");
  EXPECT_EQ(a->labels(), draft.labels);
  EXPECT_EQ(a->fields(), draft.fields);
  EXPECT_EQ(a->namespace_().data(), store->Get(pods, "n", "b").value()->namespace_().data());
  EXPECT_EQ(store->Create(services, MakeDraft("", "d")).value()->revision(), 7);
  EXPECT_EQ(store->Delete(pods, "n", "a", 2).value()->revision(), 8);
}

TEST(StoreDataDir, HistoryBeginsAnewWithTheProcess) {
  TemporaryDirectory directory;
  {
    auto store = OpenAt(directory.path());
    const CollectionId pods = store->Register("pods");
    for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(store->Create(pods, MakeDraft("n", name)));
  }
  auto store = OpenAt(directory.path());
  const CollectionId pods = store->Register("pods");
  EXPECT_EQ(store->oldest_watchable(pods), 4);
  auto sink = std::make_shared<RecordingSink>();
  EXPECT_EQ(store->Watch(pods, 3, sink).error().code(), ErrorCode::kExpired);
  EXPECT_EQ(store->List(pods, {.revision = 3}).error().code(), ErrorCode::kExpired);
  auto watch = store->Watch(pods, 4, sink).value();
  ASSERT_TRUE(store->Create(pods, MakeDraft("n", "d")));
  EXPECT_THAT(testing::Describe(sink->Await(1)), ElementsAre("created d@5="));
}

TEST(StoreDataDir, ConcurrentWritersShareTransactionsAndLoseNothing) {
  TemporaryDirectory directory;
  constexpr int kThreads = 8;
  constexpr int kKeys = 20;
  std::vector<std::string> expected;
  {
    auto store = OpenAt(directory.path());
    const CollectionId pods = store->Register("pods");
    {
      std::vector<Thread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back("writer", [&, t] {
          for (int i = 0; i < kKeys; ++i) {
            const std::string name = std::to_string(t) + "-" + std::to_string(i);
            const Revision revision = store->Create(pods, MakeDraft("n", name, "1")).value()->revision();
            EXPECT_GT(store->Update(pods, MakeDraft("n", name, "2"), revision).value()->revision(), revision);
            // All want the same key: one of them gets it.
            (void)store->Create(pods, MakeDraft("shared", std::to_string(i), name));
          }
        });
      }
    }
    EXPECT_EQ(store->revision(), 1 + kThreads * kKeys * 2 + kKeys);
    expected = Dump(*store, pods);
    EXPECT_EQ(expected.size(), static_cast<size_t>(kThreads * kKeys + kKeys));
  }
  auto store = OpenAt(directory.path());
  EXPECT_EQ(Dump(*store, store->Register("pods")), expected);
}

TEST(StoreDataDir, IsUsedByOneAtATime) {
  TemporaryDirectory directory;
  auto store = OpenAt(directory.path());
  const Result<std::unique_ptr<Store>> second = Store::Open({.data_dir = directory.path()});
  EXPECT_EQ(second.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message(),
              AllOf(HasSubstr(directory.path()), HasSubstr("in use by process"), HasSubstr(std::to_string(getpid()))));
  store.reset();
  EXPECT_TRUE(Store::Open({.data_dir = directory.path()}));
}

TEST(StoreDataDir, IsForItsOwnerOnly) {
  TemporaryDirectory directory;
  auto store = OpenAt(directory / "data");
  struct stat status;
  ASSERT_EQ(::stat((directory / "data").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat((directory / "data/keelson.db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(StoreDataDir, CannotBeAFile) {
  TemporaryDirectory directory;
  WriteFile(directory / "file", "x");
  const Result<std::unique_ptr<Store>> store = Store::Open({.data_dir = directory / "file"});
  EXPECT_EQ(store.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(store.error().message(), HasSubstr(directory / "file"));
}

// The files of a store that was not closed: a database and the log that holds its last writes.
class DamagedStore : public ::testing::Test {
 protected:
  void Fill(int objects) {
    auto store = OpenAt(directory_ / "live");
    const CollectionId pods = store->Register("pods");
    for (int i = 0; i < objects; ++i) {
      const ObjectPtr pod =
          store->Create(pods, MakeDraft("n", "pod-" + std::to_string(i), std::string(300, 'x'))).value();
      if (i % 4 == 0) {
        EXPECT_TRUE(store->Delete(pods, "n", pod->name(), pod->revision()));
      }
    }
    expected_ = Dump(*store, pods);
    std::filesystem::create_directory(directory_ / "copy");
    for (const auto& [name, content] : Contents(directory_ / "live")) WriteFile(Copy(name), content);
  }
  // As a clean end leaves them: no log.
  void FillAndClose(int objects) {
    Fill(objects);
    std::filesystem::remove_all(directory_ / "copy");
    std::filesystem::rename(directory_ / "live", directory_ / "copy");
  }
  std::string Copy(const std::string& name) const { return directory_ / ("copy/" + name); }

  Result<std::unique_ptr<Store>> OpenCopy() const { return Store::Open({.data_dir = directory_ / "copy"}); }
  void ExpectRefusedUntouched(ErrorCode code, const std::string& message) const {
    const auto before = Contents(directory_ / "copy");
    const Result<std::unique_ptr<Store>> store = OpenCopy();
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code(), code) << store.error().message();
    EXPECT_THAT(store.error().message(), AllOf(HasSubstr(message), HasSubstr(directory_ / "copy")));
    EXPECT_TRUE(Contents(directory_ / "copy") == before) << "files were changed";
  }

  TemporaryDirectory directory_;
  std::vector<std::string> expected_;
};

TEST_F(DamagedStore, WithoutDamageIsReadWithItsLog) {
  Fill(100);
  ASSERT_FALSE(ReadFile(Copy("keelson.db-wal")).empty());
  auto store = OpenCopy().value();
  EXPECT_EQ(Dump(*store, store->Register("pods")), expected_);
  EXPECT_EQ(store->revision(), 1 + 100 + 25);
}

TEST_F(DamagedStore, ForeignFileIsRefused) {
  std::filesystem::create_directory(directory_ / "copy");
  WriteFile(Copy("keelson.db"), "Dear diary");
  ExpectRefusedUntouched(ErrorCode::kInternal, "not a database of this program");
  WriteFile(Copy("keelson.db"), "");
  ExpectRefusedUntouched(ErrorCode::kInternal, "not a database of this program");
}

TEST_F(DamagedStore, OtherProgramsDatabaseIsRefused) {
  FillAndClose(1);
  std::string file = ReadFile(Copy("keelson.db"));
  file[68] = 'x';
  WriteFile(Copy("keelson.db"), file);
  ExpectRefusedUntouched(ErrorCode::kInvalidArgument, "another program");
}

TEST_F(DamagedStore, OtherVersionIsRefused) {
  FillAndClose(1);
  std::string file = ReadFile(Copy("keelson.db"));
  file[63] = 9;
  WriteFile(Copy("keelson.db"), file);
  ExpectRefusedUntouched(ErrorCode::kInvalidArgument, "version 9");
}

TEST_F(DamagedStore, LogWithoutDatabaseIsRefused) {
  Fill(5);
  std::filesystem::remove(Copy("keelson.db"));
  ExpectRefusedUntouched(ErrorCode::kInternal, "is missing");
}

TEST_F(DamagedStore, TruncatedDatabaseIsRefused) {
  FillAndClose(200);
  std::string file = ReadFile(Copy("keelson.db"));
  ASSERT_GT(file.size(), 16384u);
  WriteFile(Copy("keelson.db"), file.substr(0, file.size() / 2));
  ExpectRefusedUntouched(ErrorCode::kInternal, "damaged");
}

// Whatever byte of the content changes: either it did not matter and all objects are as they were, or it is noticed.
TEST_F(DamagedStore, AnyChangedByteOfTheDatabaseIsHarmlessOrRefused) {
  FillAndClose(60);
  const std::string file = ReadFile(Copy("keelson.db"));
  Random random(7);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = file;
    const size_t at = random.Uniform<size_t>(100, file.size() - 1);
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.Uniform(0, 7)));
    WriteFile(Copy("keelson.db"), damaged);
    const Result<std::unique_ptr<Store>> store = OpenCopy();
    if (store) {
      EXPECT_EQ(Dump(**store, (*store)->Register("pods")), expected_) << "byte " << at;
    } else {
      ++refused;
      EXPECT_TRUE(ReadFile(Copy("keelson.db")) == damaged) << "byte " << at << ": " << store.error().message();
    }
  }
  EXPECT_GT(refused, 50) << "much of the file is in use";
}

TEST_F(DamagedStore, ChangedByteInsideTheLogIsRefused) {
  Fill(60);
  const std::string log = ReadFile(Copy("keelson.db-wal"));
  Random random(8);
  for (int i = 0; i < 100; ++i) {
    std::string damaged = log;
    // Not in the last transaction: damage there looks like a write that a kill cut off.
    const size_t at = random.Uniform<size_t>(32 + 24, log.size() - 1 - 5 * (4096 + 24));
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    WriteFile(Copy("keelson.db-wal"), damaged);
    ExpectRefusedUntouched(ErrorCode::kInternal, "damaged");
  }
  std::string damaged = log;
  damaged[9] ^= 1;
  WriteFile(Copy("keelson.db-wal"), damaged);
  ExpectRefusedUntouched(ErrorCode::kInternal, "header of its write-ahead log");
}

TEST_F(DamagedStore, LogCutAnywhereGivesTheStateOfSomeMoment) {
  Fill(60);
  const std::string database = ReadFile(Copy("keelson.db"));
  const std::string log = ReadFile(Copy("keelson.db-wal"));
  Random random(9);
  for (int i = 0; i < 100; ++i) {
    WriteFile(Copy("keelson.db"), database);
    WriteFile(Copy("keelson.db-wal"), log.substr(0, random.Uniform<size_t>(0, log.size())));
    auto store = OpenCopy().value();
    const CollectionId pods = store->Register("pods");
    // Each object is as it was written; nothing is newer than the revision.
    const ListPage page = store->List(pods, {}).value();
    for (const ObjectPtr& object : page.items) {
      EXPECT_LE(object->revision(), store->revision());
      EXPECT_EQ(ValueOf(*object), std::string(300, 'x'));
    }
  }
}

}  // namespace
}  // namespace keelson::apiserver
