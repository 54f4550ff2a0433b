#include "keelson/codec/json_pointer.h"

#include <gtest/gtest.h>

namespace keelson {
namespace {

Json Sample() {
  return Json::Object({{"foo", Json::Array({"bar", "baz"})}, {"", 0}, {"a/b", 1}, {"m~n", 8}, {"~1", 10}});
}

const Json* Find(const Json& document, std::string_view text) {
  return JsonPointer::Parse(text).value().Find(document);
}

TEST(JsonPointer, FindsMembersAndElements) {
  const Json document = Sample();
  EXPECT_EQ(*Find(document, ""), document);
  EXPECT_EQ(*Find(document, "/foo/0"), Json("bar"));
  EXPECT_EQ(*Find(document, "/"), Json(0));
}

TEST(JsonPointer, UnescapesEachTokenOnce) {
  const Json document = Sample();
  EXPECT_EQ(*Find(document, "/a~1b"), Json(1));
  EXPECT_EQ(*Find(document, "/m~0n"), Json(8));
  EXPECT_EQ(*Find(document, "/~01"), Json(10));
}

TEST(JsonPointer, WhatIsNotThereIsNull) {
  const Json document = Sample();
  EXPECT_EQ(Find(document, "/bar"), nullptr);
  EXPECT_EQ(Find(document, "/foo/2"), nullptr);
  EXPECT_EQ(Find(document, "/foo/-"), nullptr);
  EXPECT_EQ(Find(document, "/foo/-3"), nullptr);
  EXPECT_EQ(Find(document, "/foo/x"), nullptr);
  EXPECT_EQ(Find(document, "/foo/0/deeper"), nullptr);
}

TEST(JsonPointer, NegativeIndexCountsFromTheEnd) {
  const Json document = Sample();
  EXPECT_EQ(*Find(document, "/foo/-1"), Json("baz"));
  EXPECT_EQ(*Find(document, "/foo/-2"), Json("bar"));
}

TEST(JsonPointer, IndexMustBeANumberInRange) {
  EXPECT_EQ(ParseArrayIndex("01", 2), 1u);
  EXPECT_EQ(ParseArrayIndex("+1", 2), 1u);
  EXPECT_EQ(ParseArrayIndex("+-1", 2), std::nullopt);
  EXPECT_EQ(ParseArrayIndex("", 2), std::nullopt);
  EXPECT_EQ(ParseArrayIndex("1 ", 2), std::nullopt);
  EXPECT_EQ(ParseArrayIndex("99999999999999999999", 2), std::nullopt);
  EXPECT_EQ(ParseArrayIndex("-9223372036854775808", 2), std::nullopt);
}

TEST(JsonPointer, PrintsWhatItParsed) {
  for (const char* text : {"", "/", "/a/b", "/a~1b/m~0n", "//x//"}) {
    EXPECT_EQ(JsonPointer::Parse(text).value().ToString(), text);
  }
  EXPECT_EQ((JsonPointer{"metadata", "annotations", "example.com/owner"}).ToString(),
            "/metadata/annotations/example.com~1owner");
}

TEST(JsonPointer, RefusesTextWithoutTheFirstSlash) {
  const Result<JsonPointer> pointer = JsonPointer::Parse("spec/replicas");
  ASSERT_FALSE(pointer);
  EXPECT_EQ(pointer.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(pointer.error().message(), "JSON pointer \"spec/replicas\": expected it to be empty or to start with '/'");
}

}  // namespace
}  // namespace keelson
