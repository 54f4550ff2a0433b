#include "keelson/transport/internal/gzip_inflater.h"

#include <gtest/gtest.h>

#include <string>

namespace keelson::internal {
namespace {

// gzip of "unpacked " twenty times.
constexpr std::string_view kPacked(
    "\037\213\010\000\000\000\000\000\002\003\053\315\053\110\114\316\116\115\121\050\035\072\014\000\310\351\250\026"
    "\264\000\000\000",
    32);

TEST(GzipInflater, GivesTheSameHoweverTheInputIsCut) {
  GzipInflater inflater;
  for (size_t cut = 1; cut <= kPacked.size(); ++cut) {
    inflater.Reset();
    std::string out;
    for (size_t at = 0; at < kPacked.size(); at += cut) {
      std::string_view piece = kPacked.substr(at, cut);
      while (true) {
        const Result<std::string_view> unpacked = inflater.Next(piece);
        ASSERT_TRUE(unpacked.has_value()) << unpacked.error().message();
        if (unpacked->empty()) break;
        out += *unpacked;
      }
      EXPECT_TRUE(piece.empty());
      EXPECT_EQ(inflater.complete(), at + cut >= kPacked.size());
    }
    EXPECT_EQ(out.size(), 180u);
    EXPECT_TRUE(out.ends_with("unpacked unpacked "));
  }
}

TEST(GzipInflater, RefusesWhatIsNotGzip) {
  GzipInflater inflater;
  std::string_view text = "hello, hello, hello";
  EXPECT_FALSE(inflater.Next(text).has_value());
  inflater.Reset();
  std::string_view packed = kPacked;
  EXPECT_TRUE(inflater.Next(packed).has_value());
}

}  // namespace
}  // namespace keelson::internal
