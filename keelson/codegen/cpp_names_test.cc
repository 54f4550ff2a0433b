#include "keelson/codegen/cpp_names.h"

#include <gtest/gtest.h>

namespace keelson::codegen {
namespace {

TEST(CppNames, AMemberIsCalledAsInJsonWhereThatIsPossible) {
  EXPECT_EQ(MemberName("replicas"), "replicas");
  EXPECT_EQ(MemberName("enable_ingress"), "enable_ingress");
  EXPECT_EQ(MemberName("X"), "X");
}

TEST(CppNames, ReservedNamesGetAnUnderscoreThatJsonDoesNotHave) {
  for (const char* name : {"class", "namespace", "not", "errno", "linux", "std", "xor_eq", "NULL"}) {
    EXPECT_EQ(MemberName(name), std::string(name) + "_");
    EXPECT_EQ(JsonNameOf(MemberName(name)), name);
  }
}

TEST(CppNames, OtherCharactersAreFolded) {
  EXPECT_EQ(MemberName("x-kubernetes-list-type"), "xKubernetesListType");
  EXPECT_EQ(MemberName("$ref"), "ref_");
  EXPECT_EQ(MemberName("-Xmx"), "Xmx");
  EXPECT_EQ(MemberName("3scale"), "_3scale");
  EXPECT_EQ(MemberName("tls.crt"), "tlsCrt");
  EXPECT_EQ(MemberName("!"), "field");
  EXPECT_EQ(MemberName("de-fault"), "deFault");
}

TEST(CppNames, TheReaderTakesOneUnderscoreAway) {
  EXPECT_EQ(JsonNameOf("short_"), "short");
  EXPECT_EQ(JsonNameOf("short__"), "short_");
  EXPECT_EQ(JsonNameOf("_"), "_");
  EXPECT_EQ(JsonNameOf("a_b"), "a_b");
}

TEST(CppNames, TypesAreCalledInWordsWithCapitals) {
  EXPECT_EQ(TypeNamePart("issuerRef"), "IssuerRef");
  EXPECT_EQ(TypeNamePart("keep_firing-for"), "KeepFiringFor");
  EXPECT_EQ(TypeNamePart("$"), "Field");
}

TEST(CppNames, ElementsAreCalledInTheSingular) {
  EXPECT_EQ(SingularOf("SpecRules"), "SpecRule");
  EXPECT_EQ(SingularOf("SpecPolicies"), "SpecPolicy");
  EXPECT_EQ(SingularOf("SpecAddresses"), "SpecAddress");
  EXPECT_EQ(SingularOf("SpecMatches"), "SpecMatch");
  EXPECT_EQ(SingularOf("SpecStatus"), "SpecStatus");
  EXPECT_EQ(SingularOf("SpecClass"), "SpecClass");
  EXPECT_EQ(SingularOf("SpecEnv"), "SpecEnv");
  EXPECT_EQ(SingularOf("s"), "s");
}

TEST(CppNames, AGroupIsANamespace) {
  EXPECT_EQ(NamespaceName("cert-manager.io"), "cert_manager_io");
  EXPECT_EQ(NamespaceName("3scale.net"), "n3scale_net");
  EXPECT_EQ(NamespaceName("v1"), "v1");
  EXPECT_EQ(NamespaceName("default"), "default_");
}

TEST(CppNames, IdentifiersAreOfAscii) {
  EXPECT_TRUE(IsIdentifier("a_1"));
  EXPECT_FALSE(IsIdentifier("1a"));
  EXPECT_FALSE(IsIdentifier(""));
  EXPECT_FALSE(IsIdentifier("a-b"));
  EXPECT_FALSE(IsIdentifier("größe"));
}

}  // namespace
}  // namespace keelson::codegen
