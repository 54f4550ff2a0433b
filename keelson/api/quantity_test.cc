#include "keelson/api/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <unordered_set>

#include "keelson/api/recorded_cases_test_support.h"

namespace keelson {
namespace {

using resource::Format;

static_assert(sizeof(Quantity) == 16);
static_assert(std::is_trivially_copyable_v<Quantity>);
static_assert(std::is_standard_layout_v<Quantity>);
static_assert(std::has_unique_object_representations_v<Quantity>, "no padding");
static_assert(Quantity().IsZero());

Quantity Read(std::string_view text) {
  Result<Quantity> quantity = Quantity::Parse(text);
  EXPECT_TRUE(quantity.has_value()) << text;
  return quantity ? *quantity : Quantity();
}

std::string FormatName(Format format) {
  switch (format) {
    case Format::kDecimalSi: return "DecimalSI";
    case Format::kBinarySi: return "BinarySI";
    case Format::kDecimalExponent: return "DecimalExponent";
  }
  return "";
}

// Kubernetes knows no suffix beyond E and prints a larger decimal amount without one: 1000E as "1". Here it is printed
// with an exponent instead, and reads back as what it was.
bool LostItsSuffix(const Quantity& value, const std::string& printed_by_kubernetes) {
  return Read(printed_by_kubernetes) != value;
}

TEST(Quantity, ReadsAndPrintsAsKubernetesDoes) {
  int compared = 0;
  for (const auto& recorded : testing::ReadRecordedCases("quantity.jsonl")) {
    SCOPED_TRACE(recorded.line);
    const Result<Quantity> parsed = Quantity::Parse(recorded["in"].text);
    ASSERT_EQ(parsed.has_value(), recorded["ok"].is_true());
    if (!parsed) {
      EXPECT_EQ(parsed.error().message(), recorded["error"].text);
      EXPECT_EQ(parsed.error().code(), ErrorCode::kInvalidArgument);
      continue;
    }
    ++compared;
    if (LostItsSuffix(*parsed, recorded["canonical"].text)) {
      EXPECT_GE(parsed->Canonical(), Read("1000E"));
      EXPECT_EQ(Read(parsed->ToString()), *parsed);
      continue;
    }
    EXPECT_EQ(parsed->Canonical().ToString(), recorded["canonical"].text);
    EXPECT_EQ(parsed->ToString(), recorded["string"].text);
    EXPECT_EQ(parsed->Sign(), recorded["sign"].integer());
    EXPECT_EQ(FormatName(parsed->format()), recorded["format"].text);
    // Kubernetes' own answers overflow, and are "odd" where it gets negative numbers wrong: -1Pi has value -2882303760.
    const bool odd = recorded["odd"].is_true();
    if (recorded.has("value") && !odd) {
      EXPECT_EQ(parsed->Value(), recorded["value"].integer());
    }
    if (recorded.has("milli") && !odd) {
      EXPECT_EQ(parsed->MilliValue(), recorded["milli"].integer());
    }
    const double expected = std::stod(recorded["float"].text);
    EXPECT_LE(std::abs(parsed->AsDouble() - expected), std::abs(expected) * 1e-15);
  }
  EXPECT_GT(compared, 100);
}

TEST(Quantity, CalculatesAsKubernetesDoes) {
  for (const auto& recorded : testing::ReadRecordedCases("quantity_arith.jsonl")) {
    SCOPED_TRACE(recorded.line);
    const Quantity a = Read(recorded["a"].text);
    const Quantity b = Read(recorded["b"].text);
    EXPECT_EQ((a + b).ToString(), recorded["sum"].text);
    EXPECT_EQ((a - b).ToString(), recorded["diff"].text);
    EXPECT_EQ((-a).ToString(), recorded["negated_a"].text);
    EXPECT_EQ(a.Cmp(b), recorded["cmp"].integer());
    EXPECT_EQ(b.Cmp(a), -recorded["cmp"].integer());
  }
}

TEST(Quantity, DefaultIsAllZeroBytesAndPrintsZero) {
  const Quantity zero;
  const char zeros[sizeof(Quantity)] = {};
  EXPECT_EQ(std::memcmp(&zero, zeros, sizeof(zero)), 0);
  EXPECT_EQ(zero.ToString(), "0");
  EXPECT_EQ(zero.format(), Format::kDecimalSi);
  EXPECT_EQ(zero.Sign(), 0);
  EXPECT_TRUE(Read("0").SameAs(zero));
}

TEST(Quantity, LiteralsBuildMaps) {
  const std::map<std::string, Quantity> requests = {{"cpu", "500m"}, {"memory", "128Mi"}};
  EXPECT_EQ(requests.at("cpu").MilliValue(), 500);
  EXPECT_EQ(requests.at("memory").Value(), 128 << 20);
  EXPECT_THROW(Quantity("12 apples"), std::invalid_argument);
}

TEST(Quantity, ComparesByValueAlone) {
  EXPECT_EQ(Quantity("1Ki"), Quantity("1024"));
  EXPECT_EQ(Quantity("1000m"), Quantity("1"));
  EXPECT_LT(Quantity("-1n"), Quantity());
  EXPECT_GT(Quantity("1e30"), Quantity("9223372036854775807"));
  EXPECT_LT(Quantity("-1e30"), Quantity("-9223372036854775808"));
  EXPECT_LT(Quantity("1e30"), Quantity("10000000000000001e14"));
  EXPECT_EQ(Quantity("10E"), Quantity("10000000000000000000"));
  EXPECT_FALSE(Quantity("1Ki").SameAs("1024"));
  EXPECT_TRUE(Quantity("1000m").SameAs("1"));
  EXPECT_FALSE(Quantity("1.125").SameAs("1125m")) << "they print differently";
}

TEST(Quantity, EqualValuesHashAlike) {
  const std::hash<Quantity> hash;
  EXPECT_EQ(hash("1Ki"), hash("1024"));
  EXPECT_EQ(hash("1.125"), hash("1125m"));
  EXPECT_NE(hash("1"), hash("1m"));
}

TEST(Quantity, ArithmeticForgetsSpelling) {
  Quantity quantity = "1.125";
  EXPECT_EQ(quantity.ToString(), "1.125");
  quantity += "0";
  EXPECT_EQ(quantity.ToString(), "1125m");
}

TEST(Quantity, SumsCrossTheSignWithBorrow) {
  EXPECT_EQ((Quantity("1") - Quantity("1n")).ToString(), "999999999n");
  EXPECT_EQ((Quantity("-1") + Quantity("1n")).ToString(), "-999999999n");
  EXPECT_EQ((Quantity("1500m") - Quantity("2")).ToString(), "-500m");
  EXPECT_EQ((Quantity("600m") + Quantity("600m")).ToString(), "1200m");
  EXPECT_EQ((Quantity("-600m") - Quantity("600m")).ToString(), "-1200m");
}

TEST(Quantity, SumsBeyondTheNarrowRangeStayExact) {
  const Quantity most = "9223372036854775807";
  EXPECT_EQ((most + "1").ToString(), "9223372036854775808");
  EXPECT_EQ((most + "1") - "1", most);
  EXPECT_EQ((most + "1n").ToString(), "9223372036854775807000000001n");
  EXPECT_EQ((-most - "2").ToString(), "-9223372036854775809");
  EXPECT_EQ(Quantity::FromInt(INT64_MIN).ToString(), "-9223372036854775808");
  EXPECT_EQ(Quantity::FromInt(INT64_MIN), -most - "1");
  EXPECT_TRUE(Quantity::FromInt(INT64_MIN).SameAs(-most - "1"));
  EXPECT_EQ((Quantity("1e30") + "1e30").ToString(), "2e30");
  EXPECT_TRUE((Quantity("1e30") - "1e30").IsZero());
}

TEST(Quantity, SumsWithTooManyDigitsRoundAwayFromZero) {
  EXPECT_EQ((Quantity("1e40") + "1").Cmp("1e40"), 1);
  EXPECT_EQ((Quantity("-1e40") - "1").Cmp("-1e40"), -1);
  EXPECT_EQ((Quantity("1e30000") + "1e29999").ToString(), "1100e29997");
}

TEST(Quantity, WhatCannotBeHeldIsRefused) {
  for (const std::string& text : {std::string("1e99999"), std::string("1e2147483647"), "9" + std::string(40, '8')}) {
    const Result<Quantity> parsed = Quantity::Parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_TRUE(parsed.error().message().starts_with("quantity is too large")) << parsed.error().message();
  }
  EXPECT_FALSE(Quantity::Parse(std::string(Quantity::kMaxInputLength + 1, '0')).has_value());
  EXPECT_TRUE(Quantity::Parse(std::string(Quantity::kMaxInputLength, '0')).has_value());
  EXPECT_TRUE(Quantity::Parse("0e2147483647")->IsZero());
}

TEST(Quantity, ValuesSaturate) {
  EXPECT_EQ(Quantity("1e30").Value(), INT64_MAX);
  EXPECT_EQ(Quantity("-1e30").Value(), INT64_MIN);
  EXPECT_EQ(Quantity("9223372036854775807.5").Value(), INT64_MAX);
  EXPECT_EQ(Quantity("1E").MilliValue(), INT64_MAX);
  EXPECT_EQ(Quantity::FromInt(INT64_MIN).Value(), INT64_MIN);
}

TEST(Quantity, ScaledValuesRoundAwayFromZero) {
  EXPECT_EQ(Quantity("1234").ScaledValue(resource::kKilo), 2);
  EXPECT_EQ(Quantity("-1234").ScaledValue(resource::kKilo), -2);
  EXPECT_EQ(Quantity("1n").ScaledValue(resource::kNano), 1);
  EXPECT_EQ(Quantity("1n").ScaledValue(resource::kExa), 1);
  EXPECT_EQ(Quantity("5G").ScaledValue(resource::kMega), 5000);
  EXPECT_EQ(Quantity("-1.1Ki").Value(), -1127);
  EXPECT_EQ(Quantity().ScaledValue(resource::kNano), 0);
}

TEST(Quantity, FactoriesTakeAFormat) {
  EXPECT_EQ(Quantity::FromInt(1 << 20, Format::kBinarySi).ToString(), "1Mi");
  EXPECT_EQ(Quantity::FromMilli(-1500).ToString(), "-1500m");
  EXPECT_EQ(Quantity::FromMilli(2000, Format::kDecimalExponent).ToString(), "2");
  EXPECT_EQ(Quantity::FromScaled(15, 5).ToString(), "1500k");
  EXPECT_EQ(Quantity::FromScaled(-1, -20).ToString(), "-1n");
  EXPECT_THROW(Quantity::FromScaled(1, 1001), std::out_of_range);
}

TEST(Quantity, DoublesAreTheNearest) {
  EXPECT_EQ(Quantity("12n").AsDouble(), 12e-9);
  EXPECT_EQ(Quantity("-100m").AsDouble(), -0.1);
  EXPECT_EQ(Quantity("1e30").AsDouble(), 1e30);
  EXPECT_EQ(Quantity("-1e400").AsDouble(), -HUGE_VAL);
}

TEST(Quantity, PrintStaysWithinItsBuffer) {
  // A wide mantissa, an odd exponent and every oddity of spelling.
  for (const char* text : {"-39614081257132168796771975167", "-9999999999999999999999999999e32000",
                           "+000123.456789e+03", "-9223372036854775807.999999999"}) {
    const Quantity quantity = Read(text);
    EXPECT_LE(quantity.ToString().size(), Quantity::kMaxTextLength) << text;
    EXPECT_EQ(Read(quantity.ToString()), quantity) << text;
  }
  EXPECT_EQ(Read("+000123.456789e+03").ToString(), "+000123.456789e+03");
}

}  // namespace
}  // namespace keelson
