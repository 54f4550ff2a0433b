#include "keelson/transport/internal/header_text.h"

#include <gtest/gtest.h>

#include <string>

namespace keelson::internal {
namespace {

TEST(IsName, LooksAtLettersWithoutRegardToCase) {
  EXPECT_TRUE(IsName("Content-Type", "Content-Type"));
  EXPECT_TRUE(IsName("content-TYPE", "Content-Type"));
  EXPECT_FALSE(IsName("Content-Typf", "Content-Type"));
  EXPECT_FALSE(IsName("Content-Type", "Content-Typ"));
  EXPECT_FALSE(IsName("", "A"));
}

TEST(HasControl, FindsOneWhereverItStands) {
  for (size_t length = 1; length <= 40; ++length) {
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, 'a');
      EXPECT_FALSE(HasControl(text));
      for (const char c : {'\0', '\n', '\r', '\x01', '\x1f', '\x7f'}) {
        text[at] = c;
        EXPECT_TRUE(HasControl(text)) << length << " " << at << " " << static_cast<int>(c);
      }
    }
  }
}

TEST(HasControl, TabsBlanksAndBytesBeyondAsciiAreNone) {
  EXPECT_FALSE(HasControl(""));
  for (size_t length = 1; length <= 40; ++length) {
    for (const char c : {'\t', ' ', '~', '\x80', '\x9f', '\xff'}) EXPECT_FALSE(HasControl(std::string(length, c)));
  }
  EXPECT_TRUE(HasControl("a\tb\tc\td\te\tf\n"));
}

}  // namespace
}  // namespace keelson::internal
