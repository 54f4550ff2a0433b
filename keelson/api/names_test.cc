#include "keelson/api/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::names {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Names, LabelsAreLowerCaseWithoutPoints) {
  for (const char* name : {"a", "a-b", "0", "my-name", "123-abc"})
    EXPECT_THAT(CheckDns1123Label(name), IsEmpty()) << name;
  EXPECT_THAT(CheckDns1123Label("a.b"), ElementsAre("must not contain dots"));
  EXPECT_THAT(
      CheckDns1123Label("A"),
      ElementsAre("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
                  "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
                  "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"));
  for (const char* name : {"", "-a", "a-", "a_b", "a b", "\xc3\xa9"})
    EXPECT_EQ(CheckDns1123Label(name).size(), 1u) << name;
  EXPECT_THAT(CheckDns1123Label(std::string(63, 'a')), IsEmpty());
  EXPECT_THAT(CheckDns1123Label(std::string(64, 'a')), ElementsAre("must be no more than 63 characters"));
}

TEST(Names, SubdomainsAreLabelsBetweenPoints) {
  for (const char* name : {"a", "a.b", "example.com", "0.1.2"})
    EXPECT_THAT(CheckDns1123Subdomain(name), IsEmpty()) << name;
  for (const char* name : {"", ".", "a.", ".a", "a..b", "a.-b", "A.b", "a_b"}) {
    EXPECT_THAT(CheckDns1123Subdomain(name), ElementsAre(StartsWith("a lowercase RFC 1123 subdomain must"))) << name;
  }
  EXPECT_THAT(CheckDns1123Subdomain(std::string(254, 'a')), ElementsAre("must be no more than 253 characters"));
}

TEST(Names, ServicesStartWithALetter) {
  EXPECT_THAT(CheckDns1035Label("a1-b"), IsEmpty());
  EXPECT_THAT(CheckDns1035Label("1a"), ElementsAre(HasSubstr("start with an alphabetic character")));
  EXPECT_EQ(CheckDns1035Label("").size(), 1u);
}

TEST(Names, QualifiedNamesMayHaveAPrefix) {
  for (const char* name : {"a", "MyName", "my.name_1-x", "example.com/MyName", "1/2"}) {
    EXPECT_THAT(CheckQualifiedName(name), IsEmpty()) << name;
  }
  EXPECT_THAT(CheckQualifiedName("/x"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(CheckQualifiedName("a/"),
              ElementsAre("name part must be non-empty", StartsWith("name part must consist")));
  EXPECT_THAT(CheckQualifiedName("A/x"), ElementsAre(StartsWith("prefix part a lowercase RFC 1123 subdomain")));
  EXPECT_THAT(CheckQualifiedName("a/b/c"), ElementsAre(StartsWith("a valid label key must consist")));
  EXPECT_THAT(CheckQualifiedName("a/" + std::string(64, 'x')), ElementsAre("name part must be no more than 63 bytes"));
}

TEST(Names, LabelValuesMayBeEmpty) {
  for (const char* value : {"", "a", "my_value", "1.2-3"}) EXPECT_THAT(CheckLabelValue(value), IsEmpty()) << value;
  for (const char* value : {"-", "a/b", "a b", ".a"}) EXPECT_EQ(CheckLabelValue(value).size(), 1u) << value;
  EXPECT_THAT(CheckLabelValue(std::string(64, 'x')), ElementsAre("must be no more than 63 bytes"));
}

TEST(Names, ShortAnswersAgreeWithReasons) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string("A"), std::string("a.b"), std::string("a/b"), std::string("/b"),
        std::string("a/"), std::string("a/b/c"), std::string("1a"), std::string("a_b"), std::string("-a"),
        std::string("x.y/A_b"), std::string("X/y"), std::string(63, 'a'), std::string(64, 'a'), std::string(254, 'a'),
        std::string(254, 'a') + "/x"}) {
    EXPECT_EQ(IsDns1123Label(text), CheckDns1123Label(text).empty()) << text;
    EXPECT_EQ(IsDns1123Subdomain(text), CheckDns1123Subdomain(text).empty()) << text;
    EXPECT_EQ(IsDns1035Label(text), CheckDns1035Label(text).empty()) << text;
    EXPECT_EQ(IsQualifiedName(text), CheckQualifiedName(text).empty()) << text;
    EXPECT_EQ(IsLabelValue(text), CheckLabelValue(text).empty()) << text;
  }
}

}  // namespace
}  // namespace keelson::names
