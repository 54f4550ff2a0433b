#include "keelson/transport/certificate_authority.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

TEST(CertificateAuthority, IsKeptInAFileThatOnlyItsOwnerReads) {
  const TemporaryDirectory directory;
  const std::string file = directory.Path("ca.pem");
  const Result<CertificateAuthority> first = CertificateAuthority::Open(file);
  ASSERT_TRUE(first) << first.error().message();
  struct stat about = {};
  ASSERT_EQ(stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
  const Result<CertificateAuthority> again = CertificateAuthority::Open(file);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->certificate(), first->certificate());
  EXPECT_NE(CertificateAuthority::Make()->certificate(), first->certificate());
}

std::string TextOf(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(CertificateAuthority, DamagedFilesAreRefusedAndStayAsTheyAre) {
  const TemporaryDirectory directory;
  const std::string file = directory.Path("ca.pem");
  ASSERT_TRUE(CertificateAuthority::Open(file));
  const std::string whole = TextOf(file);
  const size_t key = whole.find("-----BEGIN PRIVATE KEY");
  ASSERT_NE(key, std::string::npos);
  ASSERT_TRUE(CertificateAuthority::Open(directory.Path("other.pem")));
  const std::string other = TextOf(directory.Path("other.pem"));
  TestAuthority test_authority;
  const TestCertificate leaf = test_authority.IssueServer();

  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "its certificate cannot be read"},
      {"nonsense", "its certificate cannot be read"},
      {whole.substr(0, key), "its key cannot be read"},
      {whole.substr(0, whole.size() - 60), "its key cannot be read"},
      {whole.substr(0, key) + other.substr(other.find("-----BEGIN PRIVATE KEY")), "the two do not belong together"},
      {leaf.certificate + leaf.key, "the certificate is no authority's"}};
  for (const auto& [text, reason] : cases) {
    std::ofstream(file, std::ios::trunc) << text;
    const Result<CertificateAuthority> opened = CertificateAuthority::Open(file);
    ASSERT_FALSE(opened) << reason;
    EXPECT_NE(opened.error().message().find(reason), std::string::npos) << opened.error().message();
    EXPECT_EQ(TextOf(file), text);
  }
}

TEST(CertificateAuthority, AKeyThatOthersCouldReadIsRefused) {
  const TemporaryDirectory directory;
  const std::string file = directory.Path("ca.pem");
  ASSERT_TRUE(CertificateAuthority::Open(file));
  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  const Result<CertificateAuthority> opened = CertificateAuthority::Open(file);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kForbidden);
  EXPECT_NE(opened.error().message().find("mode 640"), std::string::npos) << opened.error().message();
}

TEST(CertificateAuthority, SaysWhereItCouldNotBeKept) {
  const TemporaryDirectory directory;
  const Result<CertificateAuthority> opened = CertificateAuthority::Open(directory.Path("missing/ca.pem"));
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message().find("missing/ca.pem"), std::string::npos);
}

}  // namespace
}  // namespace keelson
