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

TEST(TokenSize, IsThatOfTheTokenInFront) {
  EXPECT_EQ(TokenSize(""), 0u);
  EXPECT_EQ(TokenSize(": b"), 0u);
  EXPECT_EQ(TokenSize("a"), 1u);
  EXPECT_EQ(TokenSize("Content-Type: text"), 12u);
  // Every byte at every place.
  for (const char other : {'a', '~'}) {
    for (size_t length = 1; length <= 40; ++length) {
      for (size_t at = 0; at < length; ++at) {
        std::string text(length, other);
        for (int c = 0; c < 256; ++c) {
          text[at] = static_cast<char>(c);
          ASSERT_EQ(TokenSize(text), kTokenCharacters[static_cast<size_t>(c)] ? length : at)
              << length << " " << at << " " << c;
        }
      }
    }
  }
}

// Every byte at every place.
TEST(ValueSize, EndsBeforeTheFirstControlCharacter) {
  EXPECT_EQ(ValueSize(""), 0u);
  for (size_t length = 1; length <= 40; ++length) {
    for (size_t at = 0; at < length; ++at) {
      for (int c = 0; c < 256; ++c) {
        std::string text(length, 'a');
        text[at] = static_cast<char>(c);
        if (at + 2 < length) text[at + 2] = '\r';
        const bool ends = HasControl(text.substr(at, 1));
        const size_t expected = ends ? at : at + 2 < length ? at + 2 : length;
        ASSERT_EQ(ValueSize(text), expected) << length << " " << at << " " << c;
      }
    }
  }
}

TEST(EndOfHead, IsBehindTheFirstEmptyLineWhereverItStandsAndHoweverItCame) {
  EXPECT_EQ(EndOfHead("", 0), 0u);
  EXPECT_EQ(EndOfHead("\n", 0), 0u);
  EXPECT_EQ(EndOfHead("a\n\r\n", 0), 0u);
  for (size_t before = 0; before <= 40; ++before) {
    for (const std::string_view line : {"", "\n", "a: b\r\n", "a\r\nb: c\r\n\r"}) {
      const std::string head = std::string(before, 'x') + std::string(line) + "y\r\n\r\n";
      const std::string text = head + "body\r\n\r\nmore";
      for (size_t came = 0; came <= text.size(); ++came) {
        const size_t expected = came < head.size() ? 0 : head.size();
        ASSERT_EQ(EndOfHead(std::string_view(text).substr(0, came), 0), expected);
        if (came < head.size()) {
          ASSERT_EQ(EndOfHead(text, came), head.size()) << "the first " << came << " bytes were looked at before";
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
