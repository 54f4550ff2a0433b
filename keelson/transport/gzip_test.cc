#include "keelson/transport/gzip.h"

#include <gtest/gtest.h>

#include "keelson/transport/internal/gzip_inflater.h"

namespace keelson {
namespace {

TEST(Gzip, IsWantedWhenTheHeaderNamesIt) {
  EXPECT_FALSE(WantsGzip({}));
  EXPECT_TRUE(WantsGzip({{"Accept-Encoding", "gzip"}}));
  EXPECT_TRUE(WantsGzip({{"accept-encoding", "deflate, GZIP;q=0.5, br"}}));
  EXPECT_TRUE(WantsGzip({{"Accept-Encoding", "br"}, {"Accept-Encoding", " gzip ; q=1"}}));
  EXPECT_FALSE(WantsGzip({{"Accept-Encoding", "identity, x-gzipped"}}));
  for (const char* refused : {"gzip;q=0", "gzip; q=0.0", "br, gzip;q=0.000"}) {
    EXPECT_FALSE(WantsGzip({{"Accept-Encoding", refused}})) << refused;
  }
}

TEST(Gzip, MakesLessOfARepetitiveText) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "workqueue_depth{name=\"pods\"} " + std::to_string(i) + "\n";
  const std::string packed = Gzip(text);
  EXPECT_LT(packed.size(), text.size() / 4);
  internal::GzipInflater inflater;
  std::string unpacked;
  for (std::string_view rest = packed; !inflater.complete();) {
    const Result<std::string_view> part = inflater.Next(rest);
    ASSERT_TRUE(part) << part.error().message();
    unpacked += *part;
  }
  EXPECT_EQ(unpacked, text);
  EXPECT_FALSE(Gzip("").empty());
}

}  // namespace
}  // namespace keelson
