#include "keelson/core/error.h"

#include <gtest/gtest.h>

namespace keelson {
namespace {

struct HttpStatus final : ErrorDetail {
  explicit HttpStatus(int status) : code(status) {}
  int code;
};
struct OtherDetail final : ErrorDetail {};

TEST(Error, ContextIsPutBeforeTheMessageAndKeepsTheRest) {
  Error error = Error::NotFound("pods \"web\" not found").WithDetail(std::make_shared<HttpStatus>(404));
  Error wrapped = std::move(error).WithContext("reconciling default/web");
  EXPECT_EQ(wrapped.message(), "reconciling default/web: pods \"web\" not found");
  EXPECT_EQ(wrapped.code(), ErrorCode::kNotFound);
  ASSERT_NE(wrapped.detail<HttpStatus>(), nullptr);
  EXPECT_EQ(wrapped.detail<HttpStatus>()->code, 404);
}

TEST(Error, DetailOfAnotherTypeIsNull) {
  Error error = Error::Conflict("old").WithDetail(std::make_shared<HttpStatus>(409));
  EXPECT_EQ(error.detail<OtherDetail>(), nullptr);
  EXPECT_EQ(Error::Conflict("old").detail<HttpStatus>(), nullptr);
}

TEST(Error, CopiesShareTheDetail) {
  Error error = Error::Conflict("old").WithDetail(std::make_shared<HttpStatus>(409));
  Error copy = error;
  EXPECT_EQ(copy.detail<HttpStatus>(), error.detail<HttpStatus>());
}

TEST(Error, IsOnePointer) { EXPECT_EQ(sizeof(Error), sizeof(void*)); }

TEST(Error, CopiesAreIndependent) {
  Error error = Error::Conflict("old");
  Error copy = error;
  error = std::move(error).WithContext("saving");
  EXPECT_EQ(copy.message(), "old");
  EXPECT_EQ(error.message(), "saving: old");
  copy = error;
  EXPECT_EQ(copy.message(), "saving: old");
  copy = *&copy;
  EXPECT_EQ(copy.message(), "saving: old");
}

TEST(Error, ThatWasMovedAwaySaysSoAndCanBeUsed) {
  Error error = Error::Conflict("old");
  Error taken = std::move(error);
  EXPECT_EQ(taken.message(), "old");
  EXPECT_EQ(error.code(), ErrorCode::kInternal);
  EXPECT_EQ(error.message(), "(moved away)");
  Error copy = error;
  Error wrapped = std::move(error).WithContext("saving");
  EXPECT_EQ(wrapped.message(), "saving: (moved away)");
  EXPECT_EQ(std::move(copy).WithDetail(std::make_shared<HttpStatus>(409)).detail<HttpStatus>()->code, 409);
  EXPECT_EQ(std::move(error).message(), "(moved away)");
  EXPECT_EQ(error.message(), "(moved away)");
  error = std::move(taken);
  EXPECT_EQ(error.message(), "old");
}

TEST(Error, GivesItsMessageAway) { EXPECT_EQ(Error::Conflict("old").message(), "old"); }

TEST(Error, FactoriesSetTheirCode) {
  EXPECT_EQ(Error::InvalidArgument("").code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Error::NotFound("").code(), ErrorCode::kNotFound);
  EXPECT_EQ(Error::AlreadyExists("").code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(Error::Conflict("").code(), ErrorCode::kConflict);
  EXPECT_EQ(Error::Cancelled("").code(), ErrorCode::kCancelled);
  EXPECT_EQ(Error::Unsupported("").code(), ErrorCode::kUnsupported);
  EXPECT_EQ(Error::Internal("").code(), ErrorCode::kInternal);
}

TEST(ErrorCode, NamesAreTheOnesInLogs) {
  EXPECT_EQ(ToString(ErrorCode::kInvalidArgument), "InvalidArgument");
  EXPECT_EQ(ToString(ErrorCode::kTooManyRequests), "TooManyRequests");
  EXPECT_EQ(ToString(ErrorCode::kExpired), "Expired");
  EXPECT_EQ(ToString(ErrorCode::kInternal), "Internal");
  EXPECT_EQ(ToString(static_cast<ErrorCode>(200)), "Unknown");
}

}  // namespace
}  // namespace keelson
