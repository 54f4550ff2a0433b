// A process that writes is killed at any moment, again and again: what it was told is kept, is kept.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>
#include <set>

#include "keelson/apiserver/store/data_dir_test_support.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/apiserver/store/store_test_support.h"
#include "keelson/core/random.h"
#include "keelson/core/thread.h"

namespace keelson::apiserver {
namespace {

using testing::MakeDraft;
using testing::TemporaryDirectory;
using testing::ValueOf;

constexpr int kRounds = 200;
constexpr int kWriters = 4;
constexpr int kKeysPerWriter = 5;

// What the writing process reports, in one write to the pipe each: before it calls the store, and when that returned.
struct Report {
  int key = 0;
  int64_t value = 0;      // what the key is to have; 0: it is to be deleted
  int64_t revision = -1;  // -1: about to be written
};

std::string NameOf(int key) { return "key-" + std::to_string(key); }

void Send(int pipe, const Report& report) {
  if (::write(pipe, &report, sizeof report) != sizeof report) ::_exit(3);
}

// Each writer has keys of its own, so that it knows what it wrote last; all of them share the transactions.
void WriteUntilKilled(Store& store, CollectionId collection, int writer, uint64_t seed, int pipe) {
  Random random(seed);
  while (true) {
    const int key = writer * kKeysPerWriter + random.Uniform(0, kKeysPerWriter - 1);
    const Result<ObjectPtr> current = store.Get(collection, "n", NameOf(key));
    const bool remove = current && random.Chance(0.3);
    const int64_t value = remove ? 0 : random.Uniform<int64_t>(1, INT64_MAX);
    Send(pipe, {.key = key, .value = value});
    Draft draft = MakeDraft("n", NameOf(key), std::to_string(value), {{"key", NameOf(key)}});
    const Result<ObjectPtr> written = remove    ? store.Delete(collection, "n", NameOf(key), (*current)->revision())
                                      : current ? store.Update(collection, std::move(draft), (*current)->revision())
                                                : store.Create(collection, std::move(draft));
    if (!written) ::_exit(4);
    Send(pipe, {.key = key, .value = value, .revision = (*written)->revision()});
  }
}

[[noreturn]] void RunWriters(const std::string& directory, uint64_t seed, int pipe) {
  Result<std::unique_ptr<Store>> store = Store::Open({.data_dir = directory});
  if (!store) ::_exit(2);
  const CollectionId collection = (*store)->Register("pods");
  std::array<Thread, kWriters> threads;
  for (int i = 0; i < kWriters; ++i) {
    threads[static_cast<size_t>(i)] = Thread("writer", [&, i] {
      WriteUntilKilled(**store, collection, i, seed * kWriters + static_cast<uint64_t>(i), pipe);
    });
  }
  for (Thread& thread : threads) thread.Join();
  ::_exit(5);
}

struct Known {
  int64_t acknowledged = 0;  // the last value that was; 0: none
  int64_t revision = 0;
  std::optional<int64_t> under_way = std::nullopt;
};

TEST(StoreKill, NothingAcknowledgedIsLostAndRevisionsNeverGoBack) {
  TemporaryDirectory directory;
  Random random(2026);
  std::map<int, Known> keys;
  Revision newest = 1;
  int reports = 0;
  int in_flight = 0;
  for (int round = 0; round < kRounds; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(pipe[0]);
      RunWriters(directory.path(), static_cast<uint64_t>(round), pipe[1]);
    }
    ::close(pipe[1]);
    // Killed once it has reported so many times: now and then before it wrote anything, often amid a transaction.
    int left = random.Uniform(0, 300);
    bool killed = false;
    Report report;
    while (true) {
      if (left-- <= 0 && !killed) {
        ::kill(child, SIGKILL);
        killed = true;  // and read on: what it had reported until then counts
      }
      const ssize_t size = ::read(pipe[0], &report, sizeof report);
      if (size == 0) break;
      ASSERT_EQ(size, static_cast<ssize_t>(sizeof report));
      ++reports;
      Known& known = keys[report.key];
      if (report.revision < 0) {
        known.under_way = report.value;
      } else {
        known = {.acknowledged = report.value, .revision = report.revision};
        newest = std::max(newest, report.revision);
      }
    }
    ::close(pipe[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "round " << round << ": it ended by itself, status " << WEXITSTATUS(status);

    Result<std::unique_ptr<Store>> opened = Store::Open({.data_dir = directory.path()});
    ASSERT_TRUE(opened) << "round " << round << ": " << opened.error().message();
    Store& store = **opened;
    const CollectionId collection = store.Register("pods");
    ASSERT_GE(store.revision(), newest) << "round " << round;
    std::set<Revision> revisions;
    size_t found = 0;
    for (auto& [key, known] : keys) {
      const Result<ObjectPtr> object = store.Get(collection, "n", NameOf(key));
      const int64_t value = object ? std::stoll(ValueOf(**object)) : 0;
      const bool as_acknowledged = value == known.acknowledged;
      ASSERT_TRUE(as_acknowledged || value == known.under_way)
          << "round " << round << ", " << NameOf(key) << ": expected " << known.acknowledged << ", found " << value;
      in_flight += as_acknowledged ? 0 : 1;
      if (object) {
        ++found;
        EXPECT_TRUE(revisions.insert((*object)->revision()).second);
        EXPECT_LE((*object)->revision(), store.revision());
        if (as_acknowledged) {
          EXPECT_EQ((*object)->revision(), known.revision);
        }
        EXPECT_EQ((*object)->labels().at("key"), NameOf(key));
      }
      known = {.acknowledged = value, .revision = object ? (*object)->revision() : 0};
    }
    EXPECT_EQ(store.Count(collection), found) << "objects that nobody wrote";
    newest = store.revision();
  }
  EXPECT_GT(reports, kRounds * 10);
  RecordProperty("reports", reports);
  RecordProperty("kept_though_not_acknowledged", in_flight);
}

}  // namespace
}  // namespace keelson::apiserver
