#include "keelson/codec/internal/base64.h"

#include <gtest/gtest.h>

namespace keelson::internal {
namespace {

std::string Encoded(std::string_view bytes) {
  std::string out = ">";
  AppendBase64(bytes, out);
  return out.substr(1);
}

std::string Decoded(std::string_view text) {
  std::string out = ">";
  if (!DecodeBase64(text, out)) return out == ">" ? "error" : "error with leftovers";
  return out.substr(1);
}

TEST(Base64, EncodesEveryRemainder) {
  EXPECT_EQ(Encoded(""), "");
  EXPECT_EQ(Encoded("f"), "Zg==");
  EXPECT_EQ(Encoded("fo"), "Zm8=");
  EXPECT_EQ(Encoded("foo"), "Zm9v");
  EXPECT_EQ(Encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(Encoded("\xff\xfe\xfd"), "//79");
}

TEST(Base64, DecodesWhatItEncodes) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(Decoded(Encoded(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, LineBreaksAreIgnoredAnywhere) {
  EXPECT_EQ(Decoded("Zm9v\r\nYg==\n"), "foob");
  EXPECT_EQ(Decoded("Z\nm\n9\nvYmFy"), "foobar");
  EXPECT_EQ(Decoded("\n"), "");
  EXPECT_EQ(Decoded("Zg=\n="), "f");
}

TEST(Base64, SpareBitsMayBeAnything) { EXPECT_EQ(Decoded("Zh=="), "f"); }

TEST(Base64, RejectsWhatGoRejects) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zm8", "Zg===", "=", "====", "Z===", "Zm9v=", "Zg==Zg==", "Zm 9v", "Zm9-",
                           "Zm9_", "Zm=v", "Zg==\n=", "Zm9v\x80"}) {
    EXPECT_EQ(Decoded(text), "error") << text;
  }
}

}  // namespace
}  // namespace keelson::internal
