#include "keelson/apiserver/apply/field_manager.h"

#include <gtest/gtest.h>

#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/apply/resource_fields.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {
namespace {

const GroupVersionKind kKind = {"", "v1", "ConfigMap"};

metav1::Time At(int64_t seconds) { return metav1::Time::FromUnix(1'700'000'000 + seconds); }

// One ConfigMap and those who write to it.
class Managed : public testing::Test {
 protected:
  static corev1::ConfigMap& Map(AnyValue& object) { return *static_cast<corev1::ConfigMap*>(object.data()); }

  FieldManager By(std::string manager, int64_t seconds = 0) const {
    return FieldManager(versions_, filter_, {.manager = std::move(manager), .kind = kKind, .now = At(seconds)});
  }
  Result<void> Apply(const std::string& manager, std::string_view content, int64_t seconds = 0, bool force = false) {
    KEELSON_TRY(document, ParseJson(content));
    document.object().Set("apiVersion", "v1");
    document.object().Set("kind", "ConfigMap");
    KEELSON_TRY(applied, By(manager, seconds).Apply(object_, document, force));
    object_ = std::move(applied);
    Map(object_).metadata.uid = "u";
    return {};
  }
  void Update(const std::string& manager, const std::string& key, const std::string& value, int64_t seconds = 0) {
    AnyValue changed = object_;
    Map(changed).data.Set(key, value);
    By(manager, seconds).Track(Map(object_).metadata.uid.empty() ? nullptr : &object_, changed);
    object_ = std::move(changed);
    Map(object_).metadata.uid = "u";
  }
  // "one Apply +3 {…}" for each entry.
  std::vector<std::string> Entries() const {
    std::vector<std::string> shown;
    for (const metav1::ManagedFieldsEntry& entry : MetaOf(object_).managedFields) {
      std::string line = entry.manager.str() + " " + entry.operation.str();
      line += entry.time ? " +" + std::to_string(entry.time->unix_seconds() - 1'700'000'000) : " never";
      shown.push_back(line + " " + entry.fieldsV1->ToString());
    }
    return shown;
  }

  const OneVersion versions_{TypeOf<corev1::ConfigMap>()};
  const FieldFilter filter_;
  AnyValue object_{TypeOf<corev1::ConfigMap>()};
};

using Lines = std::vector<std::string>;

TEST_F(Managed, EntriesAreOrderedByOperationTimeAndName) {
  Update("z", "a", "1", 5);
  Update("y", "b", "1", 3);
  Update("x", "c", "1", 3);
  ASSERT_TRUE(Apply("late", R"({"data":{"d":"1"}})", 9));
  ASSERT_TRUE(Apply("early", R"({"data":{"e":"1"}})", 8));
  EXPECT_EQ(Entries(), (Lines{R"(early Apply +8 {"f:data":{"f:e":{}}})", R"(late Apply +9 {"f:data":{"f:d":{}}})",
                              R"(x Update +3 {"f:data":{"f:c":{}}})", R"(y Update +3 {"f:data":{"f:b":{}}})",
                              R"(z Update +5 {"f:data":{".":{},"f:a":{}}})"}));
}

TEST_F(Managed, TheTimeStaysWhenNothingChanges) {
  ASSERT_TRUE(Apply("one", R"({"data":{"a":"1"}})", 1));
  ASSERT_TRUE(Apply("one", R"({"data":{"a":"1"}})", 5));
  EXPECT_EQ(Entries(), (Lines{R"(one Apply +1 {"f:data":{"f:a":{}}})"}));
  // Who never changed anything has no time.
  ASSERT_TRUE(Apply("two", R"({"data":{"a":"1"}})", 6));
  EXPECT_EQ(Entries()[0], R"(two Apply never {"f:data":{"f:a":{}}})");
}

TEST_F(Managed, AnUpdateTakesFieldsFromAppliers) {
  ASSERT_TRUE(Apply("one", R"({"data":{"a":"1","b":"1"}})", 1));
  Update("two", "a", "2", 2);
  EXPECT_EQ(Entries(), (Lines{R"(one Apply +1 {"f:data":{"f:b":{}}})", R"(two Update +2 {"f:data":{"f:a":{}}})"}));
}

TEST_F(Managed, ConflictsNameManagerAndField) {
  Update("one", "a", "1");
  const Result<void> refused = Apply("two", R"({"data":{"a":"2"}})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "Apply failed with 1 conflict: conflict with \"one\" using v1: .data.a");
  ASSERT_TRUE(Apply("two", R"({"data":{"a":"2"}})", 4, true));
  EXPECT_EQ(Entries(), (Lines{R"(two Apply +4 {"f:data":{"f:a":{}}})", R"(one Update +0 {"f:data":{}})"}));
}

TEST_F(Managed, WhatIsGivenUpGoesUnlessAnotherHasIt) {
  ASSERT_TRUE(Apply("one", R"({"data":{"a":"1","b":"1"}})"));
  ASSERT_TRUE(Apply("two", R"({"data":{"b":"1"}})"));
  ASSERT_TRUE(Apply("one", R"({"metadata":{"labels":{"x":"y"}}})"));
  EXPECT_EQ(Map(object_).data, (keelson::Map<String>{{"b", "1"}}));
}

TEST_F(Managed, ElevenUpdatersBecomeTen) {
  for (int i = 0; i < 11; ++i) Update("m" + std::to_string(10 + i), "k" + std::to_string(i), "1", i);
  const Lines entries = Entries();
  ASSERT_EQ(entries.size(), 10u);
  EXPECT_EQ(entries[0], R"(ancient-changes Update +1 {"f:data":{".":{},"f:k0":{},"f:k1":{}}})");
}

TEST_F(Managed, AnEmptyEntryForgetsAllManagers) {
  Update("one", "a", "1");
  AnyValue reset = object_;
  Map(reset).metadata.managedFields = {metav1::ManagedFieldsEntry()};
  By("two").Track(&object_, reset);
  EXPECT_TRUE(Map(reset).metadata.managedFields.empty());
}

TEST(ManagerNames, ComeFromTheUserAgent) {
  EXPECT_EQ(ManagerFromUserAgent("kubectl/v1.36 (linux/amd64)"), "kubectl");
  EXPECT_EQ(ManagerFromUserAgent("a\x01z"), "az");
  EXPECT_EQ(ManagerFromUserAgent(""), "");
  EXPECT_EQ(ManagerFromUserAgent(std::string(140, 'x')), std::string(128, 'x'));
}

}  // namespace
}  // namespace keelson::apiserver
