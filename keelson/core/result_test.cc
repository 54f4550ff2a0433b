#include "keelson/core/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace keelson {
namespace {

Result<int> ParseDigit(char c) {
  if (c < '0' || c > '9') return Error::InvalidArgument(std::string("expected a digit, found '") + c + "'");
  return c - '0';
}

Result<int> SumOfDigits(const std::string& text) {
  int sum = 0;
  for (char c : text) {
    KEELSON_TRY(digit, ParseDigit(c));
    sum += digit;
  }
  return sum;
}

Result<void> CheckDigit(char c) {
  KEELSON_RETURN_IF_ERROR(ParseDigit(c));
  return {};
}

TEST(Result, HoldsAValueOrAnError) {
  Result<int> value = ParseDigit('7');
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, 7);
  Result<int> failed = ParseDigit('x');
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(failed.error().message(), "expected a digit, found 'x'");
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(SumOfDigits("123").value(), 6);
  EXPECT_EQ(SumOfDigits("1a2b").error().message(), "expected a digit, found 'a'");
}

TEST(Result, ReturnIfErrorPassesSuccessOn) {
  EXPECT_TRUE(CheckDigit('3'));
  EXPECT_EQ(CheckDigit('-').error().message(), "expected a digit, found '-'");
}

TEST(Result, CarriesMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  ASSERT_TRUE(result);
  std::unique_ptr<int> value = std::move(result).value();
  EXPECT_EQ(*value, 5);
}

TEST(Result, MonadicMembersRunOnTheirSideOnly) {
  EXPECT_EQ(ParseDigit('2').and_then([](int d) -> Result<int> { return d * 10; }).value(), 20);
  EXPECT_EQ(ParseDigit('2').transform([](int d) { return std::string(static_cast<size_t>(d), '*'); }).value(), "**");
  EXPECT_EQ(ParseDigit('x').transform([](int) { return 0; }).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ParseDigit('x').or_else([](Error) -> Result<int> { return -1; }).value(), -1);
  EXPECT_EQ(ParseDigit('4').or_else([](Error) -> Result<int> { return -1; }).value(), 4);
  EXPECT_EQ(ParseDigit('x')
                .transform_error([](Error error) { return std::move(error).WithContext("line 3"); })
                .error()
                .message(),
            "line 3: expected a digit, found 'x'");
}

TEST(Result, ValueOrFallsBack) {
  EXPECT_EQ(ParseDigit('x').value_or(9), 9);
  EXPECT_EQ(ParseDigit('1').value_or(9), 1);
}

TEST(Result, OfVoidSaysOnlyWhetherItWorked) {
  Result<void> fine;
  EXPECT_TRUE(fine);
  fine.value();
  Result<void> failed = Error::Conflict("changed meanwhile");
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::kConflict);
  EXPECT_TRUE(CheckDigit('x').or_else([](Error) -> Result<void> { return {}; }));
  EXPECT_EQ(CheckDigit('1').and_then([]() -> Result<int> { return 8; }).value(), 8);
}

TEST(Result, AcceptsWhateverItsValueIsMadeFrom) {
  Result<std::string> text = "literal";
  EXPECT_EQ(*text, "literal");
  Result<std::vector<int>> list = std::vector<int>{1, 2};
  EXPECT_EQ(list->size(), 2u);
}

TEST(Result, IsOnePointerLargerThanItsValue) {
  EXPECT_EQ(sizeof(Result<void>), sizeof(void*));
  EXPECT_EQ(sizeof(Result<std::string>), sizeof(void*) + sizeof(std::string));
}

TEST(Result, StaysWhatItWasWhenItIsMovedFrom) {
  Result<std::string> value = std::string("text");
  Result<std::string> taken = std::move(value);
  EXPECT_EQ(*taken, "text");
  EXPECT_TRUE(value);
  Result<std::string> failed = Error::Conflict("old");
  Error error = std::move(failed).error();
  EXPECT_EQ(error.message(), "old");
  EXPECT_FALSE(failed);
  Result<void> fine;
  Result<void> moved = std::move(fine);
  EXPECT_TRUE(moved);
  EXPECT_TRUE(fine);
}

TEST(Result, IsAssignedBetweenValuesAndErrors) {
  const Result<std::string> value = std::string("a text that is too long to lie in the string itself");
  const Result<std::string> other_value = std::string("another text that is too long to lie in the string");
  const Result<std::string> failure = Error::Conflict("old");
  const Result<std::string> other_failure = Error::NotFound("gone");
  auto same = [](const Result<std::string>& a, const Result<std::string>& b) {
    if (a.has_value() != b.has_value()) return false;
    return a ? *a == *b : a.error().message() == b.error().message();
  };
  for (const auto* from : {&value, &other_value, &failure, &other_failure}) {
    for (const auto* to : {&value, &other_value, &failure, &other_failure}) {
      Result<std::string> copied = *to;
      copied = *from;
      EXPECT_TRUE(same(copied, *from));
      Result<std::string> source = *from;
      Result<std::string> moved = *to;
      moved = std::move(source);
      EXPECT_TRUE(same(moved, *from));
      EXPECT_EQ(source.has_value(), from->has_value());
      moved = *&moved;
      EXPECT_TRUE(same(moved, *from));
    }
  }
}

// Counts those that live, and throws when it is copied or moved if it was told to.
struct Fragile {
  explicit Fragile(int& living) : count(&living) { ++*count; }
  Fragile(const Fragile& other) : count(other.count) {
    if (throws) throw std::runtime_error("fragile");
    ++*count;
  }
  Fragile& operator=(const Fragile&) = default;
  ~Fragile() { --*count; }
  int* count;
  static inline bool throws = false;
};

TEST(Result, WhoseValueThrowsAsItIsMadeStaysWhatItWas) {
  int living = 0;
  {
    Result<Fragile> value = Fragile(living);
    Result<Fragile> failed = Error::Conflict("old");
    EXPECT_EQ(living, 1);
    Fragile::throws = true;
    EXPECT_THROW(failed = value, std::runtime_error);
    EXPECT_THROW(Result<Fragile> copy = value, std::runtime_error);
    Fragile::throws = false;
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message(), "old");
    failed = value;
    EXPECT_EQ(living, 2);
    failed = Error::Conflict("old");
    EXPECT_EQ(living, 1);
  }
  EXPECT_EQ(living, 0);
}

TEST(Result, CanBeCopiedWhenItsValueCan) {
  EXPECT_FALSE(std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Result<std::unique_ptr<int>>>);
  EXPECT_TRUE(std::is_copy_assignable_v<Result<std::string>>);
}

TEST(ResultDeathTest, ReadingTheValueOfAFailureEndsTheProcessWithTheMessage) {
  EXPECT_DEATH(ParseDigit('x').value(), "InvalidArgument: expected a digit, found 'x'");
  EXPECT_DEATH(CheckDigit('x').value(), "expected a digit");
}

TEST(ResultDeathTest, ReadingTheErrorOfASuccessEndsTheProcess) {
  EXPECT_DEATH((void)ParseDigit('1').error(), "error of a successful Result was read");
}

TEST(ResultDeathTest, OrExitPrintsTheErrorAndExitsWithOne) {
  EXPECT_EXIT((void)ParseDigit('x').OrExit(), testing::ExitedWithCode(1), "^error: expected a digit, found 'x'");
  EXPECT_EQ(ParseDigit('6').OrExit(), 6);
}

}  // namespace
}  // namespace keelson
