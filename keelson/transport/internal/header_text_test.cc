#include "keelson/transport/internal/header_text.h"

#include <gtest/gtest.h>

#include <string>

#include "keelson/transport/internal/request_check.h"

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

// Every byte at every place, between letters and between other characters of tokens.
TEST(IsToken, IsTrueOfTheCharactersOfTokensAndOfNoOther) {
  EXPECT_FALSE(IsToken(""));
  for (const char other : {'a', 'Z', '7', '-', '~'}) {
    for (size_t length = 1; length <= 20; ++length) {
      for (size_t at = 0; at < length; ++at) {
        std::string text(length, other);
        for (int c = 0; c < 256; ++c) {
          text[at] = static_cast<char>(c);
          ASSERT_EQ(IsToken(text), kTokenCharacters[static_cast<size_t>(c)]) << length << " " << at << " " << c;
        }
      }
    }
  }
}

TEST(CheckRequest, RefusesTargetsWithBlanksControlCharactersOrAFragment) {
  for (size_t length = 2; length <= 20; ++length) {
    for (size_t at = 1; at < length; ++at) {
      HttpRequest request{.target = "/" + std::string(length - 1, 'a')};
      for (int c = 0; c < 256; ++c) {
        request.target[at] = static_cast<char>(c);
        ASSERT_EQ(CheckRequest(request).has_value(), c > ' ' && c != 0x7f && c != '#')
            << length << " " << at << " " << c;
      }
    }
  }
  EXPECT_FALSE(CheckRequest({.target = "api"}));
  EXPECT_FALSE(CheckRequest({.target = ""}));
}

}  // namespace
}  // namespace keelson::internal
