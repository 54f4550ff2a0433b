#include "keelson/cli/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace keelson::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A project directory of its own for each test.
class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) /
            ("cli_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }

  int Run(const std::vector<std::string>& arguments) {
    out_.str("");
    err_.str("");
    return cli::Run(arguments, out_, err_);
  }

  std::string Path(const std::string& relative) const { return (root_ / relative).string(); }

  void Write(const std::string& relative, std::string_view text) {
    fs::create_directories((root_ / relative).parent_path());
    std::ofstream(root_ / relative) << text;
  }

  std::string Read(const std::string& relative) const {
    std::ifstream file(root_ / relative);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path root_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(Cli, HelpTeachesByExample) {
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("keelson generate crd --input api/v1/*.h --output config/crd/bases"));
  EXPECT_EQ(Run({"generate", "crd", "--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("--allow-dangerous-types"));
}

TEST_F(Cli, WrongUseFailsAndSaysWhy) {
  EXPECT_EQ(Run({}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("subcommand"));
  EXPECT_EQ(Run({"generate", "everything"}), 1);
  EXPECT_EQ(Run({"generate", "crd", "--output", Path("out")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("--input"));
  EXPECT_EQ(Run({"generate", "crd", "--input", Path("nowhere/*.h")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("nowhere/*.h"));
}

TEST_F(Cli, VersionIsPrinted) {
  EXPECT_EQ(Run({"version"}), 0);
  EXPECT_THAT(out_.str(), StartsWith("keelson "));
}

TEST_F(Cli, ScaffoldedTypeBecomesACrd) {
  ASSERT_EQ(Run({"scaffold", "type", "--kind", "AppService", "--group", "apps.example.com", "--output", Path("")}), 0)
      << err_.str();
  ASSERT_TRUE(fs::exists(root_ / "api/v1alpha1/app_service.h"));
  ASSERT_EQ(Run({"generate", "crd", "--input", Path("api"), "--output", Path("config/crd/bases")}), 0) << err_.str();
  const std::string crd = Read("config/crd/bases/apps.example.com_appservices.yaml");
  EXPECT_THAT(crd, HasSubstr("kind: CustomResourceDefinition\n"));
  EXPECT_THAT(crd, HasSubstr("name: appservices.apps.example.com\n"));
  EXPECT_THAT(crd, HasSubstr("description: How many there should be.\n"));
  ASSERT_EQ(Run({"generate", "code", "--base", Path(""), "--input", Path("api"), "--output", Path("gen"), "--depfile",
                 Path("gen/code.d")}),
            0)
      << err_.str();
  EXPECT_THAT(Read("gen/api/v1alpha1/generated.h"), HasSubstr("AppServiceList"));
  EXPECT_THAT(Read("gen/code.d"), HasSubstr("api/v1alpha1/app_service.h"));
}

TEST_F(Cli, ScaffoldLeavesAnExistingHeaderAlone) {
  Write("api/v1alpha1/app.h", "mine");
  EXPECT_EQ(Run({"scaffold", "type", "--kind", "App", "--output", Path("")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("--force"));
  EXPECT_EQ(Read("api/v1alpha1/app.h"), "mine");
  EXPECT_EQ(Run({"scaffold", "type", "--kind", "App", "--output", Path(""), "--force"}), 0);
  EXPECT_THAT(Read("api/v1alpha1/app.h"), HasSubstr("struct App {"));
}

TEST_F(Cli, ScaffoldRefusesBadNames) {
  EXPECT_EQ(Run({"scaffold", "type", "--kind", "app"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("CamelCase"));
}

TEST_F(Cli, ProblemsAreListedAndNothingIsWritten) {
  Write("api/v1/app.h", R"(// +groupName=example.com
#pragma once
#include <string>
#include "keelson/api/meta/v1.h"
struct AppSpec {
  // +kubebuilder:validation:MinLenght=1
  std::string name;
};
// +kubebuilder:object:root=true
struct App {
  keelson::metav1::ObjectMeta metadata;
  AppSpec spec;
};
)");
  EXPECT_EQ(Run({"generate", "crd", "--input", Path("api/v1/*.h"), "--output", Path("out")}), 1);
  EXPECT_THAT(err_.str(), StartsWith(Path("api/v1/app.h") + ":6:6: error: "));
  EXPECT_THAT(err_.str(), HasSubstr("kubebuilder:validation:MinLength"));
  EXPECT_FALSE(fs::exists(root_ / "out"));
}

TEST_F(Cli, HeadersWithoutAKindAreRemarkedOn) {
  Write("api/v1/app.h", "// +groupName=example.com\n#pragma once\nstruct AppSpec {\n  bool on = false;\n};\n");
  EXPECT_EQ(Run({"generate", "crd", "--input", Path("api"), "--output", Path("out")}), 0) << err_.str();
  EXPECT_THAT(err_.str(), HasSubstr("+kubebuilder:object:root=true"));
}

TEST_F(Cli, LicenceGoesOnTopOfEverything) {
  Write("licence.txt", "Copyright Example\n");
  Write("api/v1/app.h", R"(// +groupName=example.com
#pragma once
#include "keelson/api/meta/v1.h"
namespace example {
// +kubebuilder:object:root=true
struct App {
  keelson::metav1::ObjectMeta metadata;
};
}  // namespace example
)");
  ASSERT_EQ(
      Run({"generate", "crd", "--input", Path("api"), "--output", Path("crd"), "--header-file", Path("licence.txt")}),
      0)
      << err_.str();
  EXPECT_THAT(Read("crd/example.com_apps.yaml"), StartsWith("# Copyright Example\n"));
  ASSERT_EQ(Run({"generate", "code", "--base", Path(""), "--input", Path("api"), "--output", Path("code"),
                 "--header-file", Path("licence.txt")}),
            0)
      << err_.str();
  EXPECT_THAT(Read("code/api/v1/generated.h"), StartsWith("// Copyright Example\n"));
  EXPECT_EQ(Run({"generate", "crd", "--input", Path("api"), "--header-file", Path("none.txt")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("none.txt"));
}

TEST_F(Cli, TwoRunsGiveTheSameBytes) {
  const std::string base = KEELSON_TEST_DATA "/crd/workloads";
  std::vector<std::string> listed[2];
  for (int run = 0; run < 2; ++run) {
    const std::string out = "run" + std::to_string(run);
    ASSERT_EQ(Run({"generate", "code", "--base", base, "--input", base + "/api", "--output", Path(out)}), 0)
        << err_.str();
    ASSERT_EQ(Run({"generate", "crd", "-I", base, "--input", base + "/api", "--output", Path(out)}), 0) << err_.str();
    for (const auto& entry : fs::recursive_directory_iterator(root_ / out)) {
      if (entry.is_regular_file()) listed[run].push_back(fs::relative(entry.path(), root_ / out).string());
    }
    std::sort(listed[run].begin(), listed[run].end());
  }
  EXPECT_THAT(listed[0], Not(IsEmpty()));
  ASSERT_EQ(listed[0], listed[1]);
  for (const std::string& path : listed[0]) EXPECT_EQ(Read("run0/" + path), Read("run1/" + path)) << path;
}

TEST_F(Cli, RbacComesFromAnySourceFile) {
  Write("src/a.cc", "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list\nint does_not_compile(;\n");
  ASSERT_EQ(Run({"generate", "rbac", "--input", Path("src"), "--output", "-", "--role-name", "my-role"}), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("kind: ClusterRole\n"));
  EXPECT_THAT(out_.str(), HasSubstr("name: my-role\n"));
  EXPECT_THAT(out_.str(), HasSubstr("- deployments\n"));
}

TEST_F(Cli, WebhooksComeFromAnySourceFile) {
  Write("src/a.cc",
        "// +kubebuilder:webhook:path=/mutate,mutating=true,failurePolicy=fail,groups=apps,resources=deployments,"
        "verbs=create,versions=v1,name=m.example.com,sideEffects=None,admissionReviewVersions=v1\n");
  ASSERT_EQ(Run({"generate", "webhook", "--input", Path("src"), "--output", Path("out")}), 0) << err_.str();
  EXPECT_THAT(Read("out/manifests.yaml"), HasSubstr("kind: MutatingWebhookConfiguration\n"));
}

TEST_F(Cli, TypesComeFromACrd) {
  ASSERT_EQ(Run({"scaffold", "type", "--kind", "Cache", "--version", "v1", "--output", Path("")}), 0);
  ASSERT_EQ(Run({"generate", "crd", "--input", Path("api"), "--output", Path("crd")}), 0) << err_.str();
  ASSERT_EQ(Run({"generate", "types", "--crd", Path("crd/example.com_caches.yaml"), "--output", Path("foreign")}), 0)
      << err_.str();
  EXPECT_THAT(Read("foreign/v1/cache.h"), HasSubstr("struct CacheSpec {"));

  Write("pod.yaml", "apiVersion: v1\nkind: Pod\n");
  EXPECT_EQ(Run({"generate", "types", "--crd", Path("pod.yaml"), "--output", Path("foreign")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("no CustomResourceDefinition"));
}

}  // namespace
}  // namespace keelson::cli
