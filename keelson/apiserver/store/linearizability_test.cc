#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/apiserver/store/data_dir_test_support.h"
#include "keelson/apiserver/store/linearizability_test_support.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/apiserver/store/store_test_support.h"
#include "keelson/core/simulation.h"

namespace keelson::apiserver {
namespace {

using testing::FindViolation;
using ::testing::HasSubstr;
using testing::MakeDraft;
using testing::Operation;
using testing::RecordHistory;
using Kind = Operation::Kind;
using Outcome = Operation::Outcome;

Operation Create(Revision revision, uint64_t start, uint64_t end, int key = 1) {
  return {.kind = Kind::kCreate, .key = key, .revision = revision, .start = start, .end = end};
}
Operation Update(Revision expected, Revision revision, uint64_t start, uint64_t end) {
  return {.kind = Kind::kUpdate, .key = 1, .expected = expected, .revision = revision, .start = start, .end = end};
}
Operation Delete(Revision expected, Revision revision, uint64_t start, uint64_t end) {
  return {.kind = Kind::kDelete, .key = 1, .expected = expected, .revision = revision, .start = start, .end = end};
}
Operation Get(Revision revision, uint64_t start, uint64_t end) {
  return {.kind = Kind::kGet, .key = 1, .revision = revision, .start = start, .end = end};
}
Operation Refused(Kind kind, Outcome outcome, Revision expected, uint64_t start, uint64_t end) {
  return {.kind = kind, .key = 1, .expected = expected, .outcome = outcome, .start = start, .end = end};
}

TEST(LinearizabilityCheck, AcceptsOperationsOneAfterTheOther) {
  EXPECT_EQ(FindViolation({Refused(Kind::kGet, Outcome::kAbsent, 0, 1, 2), Create(2, 3, 4), Get(2, 5, 6),
                           Update(2, 3, 7, 8), Refused(Kind::kUpdate, Outcome::kConflict, 2, 9, 10),
                           Refused(Kind::kCreate, Outcome::kExists, 0, 11, 12), Delete(3, 4, 13, 14),
                           Refused(Kind::kDelete, Outcome::kAbsent, 3, 15, 16), Create(5, 17, 18), Get(5, 19, 20)}),
            "");
}

TEST(LinearizabilityCheck, AcceptsEitherVersionDuringAWrite) {
  EXPECT_EQ(FindViolation({Create(2, 1, 2), Update(2, 3, 3, 10), Get(2, 4, 5), Get(3, 6, 7), Get(3, 11, 12)}), "");
  EXPECT_EQ(FindViolation({Create(2, 1, 10), Refused(Kind::kGet, Outcome::kAbsent, 0, 2, 3), Get(2, 4, 5)}), "");
}

TEST(LinearizabilityCheck, FindsAStaleRead) {
  EXPECT_THAT(FindViolation({Create(2, 1, 2), Update(2, 3, 3, 4), Get(2, 5, 6)}), HasSubstr("too late"));
}

TEST(LinearizabilityCheck, FindsReadsThatGoBackDuringOneWrite) {
  EXPECT_THAT(FindViolation({Create(2, 1, 2), Update(2, 3, 3, 10), Get(3, 4, 5), Get(2, 6, 7)}), HasSubstr("too late"));
}

TEST(LinearizabilityCheck, FindsAReadBeforeItsWrite) {
  EXPECT_THAT(FindViolation({Create(2, 1, 2), Get(3, 3, 4), Update(2, 3, 5, 6)}), HasSubstr("too late"));
}

TEST(LinearizabilityCheck, FindsALostUpdate) {
  EXPECT_THAT(FindViolation({Create(2, 1, 2), Update(2, 3, 3, 6), Update(2, 4, 4, 5)}), HasSubstr("overwrote"));
}

TEST(LinearizabilityCheck, FindsAVersionThatNobodyWrote) {
  EXPECT_THAT(FindViolation({Create(2, 1, 2), Get(7, 3, 4)}), HasSubstr("nobody wrote"));
}

TEST(LinearizabilityCheck, FindsTwoCreations) {
  EXPECT_THAT(FindViolation({Create(2, 1, 2), Create(3, 3, 4)}), HasSubstr("no such version"));
}

TEST(LinearizabilityCheck, FindsAbsenceWhereItWasNever) {
  EXPECT_THAT(FindViolation({Create(2, 1, 2), Refused(Kind::kGet, Outcome::kAbsent, 0, 3, 4), Delete(2, 3, 5, 6)}),
              HasSubstr("too late"));
  EXPECT_THAT(FindViolation({Create(2, 1, 2), Refused(Kind::kGet, Outcome::kAbsent, 0, 3, 4)}),
              HasSubstr("no version explains"));
}

TEST(LinearizabilityCheck, FindsAConflictWithoutReason) {
  EXPECT_THAT(FindViolation({Create(2, 1, 2), Refused(Kind::kUpdate, Outcome::kConflict, 2, 3, 4)}),
              HasSubstr("no version explains"));
}

TEST(LinearizabilityCheck, FindsRevisionsOfTwoKeysOutOfOrder) {
  EXPECT_THAT(FindViolation({Create(3, 1, 2, 1), Create(2, 3, 4, 2)}), HasSubstr("greater than a later"));
}

void Do(Store& store, CollectionId collection, Operation& operation) {
  const std::string name = "key-" + std::to_string(operation.key);
  Result<ObjectPtr> result = Error::Internal("");
  switch (operation.kind) {
    case Kind::kGet: result = store.Get(collection, "n", name); break;
    case Kind::kCreate: result = store.Create(collection, MakeDraft("n", name)); break;
    case Kind::kUpdate: result = store.Update(collection, MakeDraft("n", name), operation.expected); break;
    case Kind::kDelete: result = store.Delete(collection, "n", name, operation.expected); break;
  }
  if (result) {
    operation.revision = (*result)->revision();
    return;
  }
  const ErrorCode code = result.error().code();
  operation.outcome = code == ErrorCode::kNotFound        ? Outcome::kAbsent
                      : code == ErrorCode::kAlreadyExists ? Outcome::kExists
                                                          : Outcome::kConflict;
}

size_t CountWrites(const std::vector<Operation>& history) {
  return static_cast<size_t>(
      std::count_if(history.begin(), history.end(), [](const Operation& operation) { return operation.wrote(); }));
}

TEST(Linearizability, OfTheStoreInMemory) {
  auto store = Store::Open({}).value();
  const CollectionId collection = store->Register("pods");
  const auto history = RecordHistory([&](Operation& operation) { Do(*store, collection, operation); },
                                     {.threads = 4, .operations = 20'000});
  EXPECT_EQ(FindViolation(history), "");
  EXPECT_GT(CountWrites(history), 1000u);
}

TEST(Linearizability, OfTheStoreInADataDirectory) {
  testing::TemporaryDirectory directory;
  auto store = Store::Open({.data_dir = directory.path()}).value();
  const CollectionId collection = store->Register("pods");
  const auto history = RecordHistory([&](Operation& operation) { Do(*store, collection, operation); },
                                     {.threads = 8, .operations = 1000});
  EXPECT_EQ(FindViolation(history), "");
  EXPECT_GT(CountWrites(history), 500u);
}

TEST(Linearizability, OfTheStoreInSeededSchedules) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Simulation simulation({.seed = seed, .trace_capacity = 0});
    const Result<void> result = simulation.Run([&] {
      auto store = Store::Open({}).value();
      const CollectionId collection = store->Register("pods");
      const auto history = RecordHistory([&](Operation& operation) { Do(*store, collection, operation); },
                                         {.threads = 3, .operations = 15, .keys = 2, .seed = seed});
      EXPECT_EQ(FindViolation(history), "") << "seed " << seed;
    });
    ASSERT_TRUE(result) << result.error().message();
  }
}

}  // namespace
}  // namespace keelson::apiserver
