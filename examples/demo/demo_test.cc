// The demo as a program, where its output is no terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "keelson/transport/test_certificates_test_support.h"

namespace demo {
namespace {

using keelson::TemporaryDirectory;
using testing::HasSubstr;
using testing::Not;

// What it writes to standard output and error comes by a pipe. Killed at the end unless it has ended by then.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), KEELSON_DEMO);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      close(ends[1]);
      execv(pointers[0], pointers.data());
      _exit(127);
    }
    close(ends[1]);
    out_ = fdopen(ends[0], "r");
  }
  ~Program() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    fclose(out_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Reads on until a line has that text, and gives the line; empty when it ends before.
  std::string Await(const std::string& text) {
    char line[4096] = {};
    while (fgets(line, sizeof line, out_) != nullptr) {
      output_ += line;
      if (std::string_view(line).find(text) != std::string_view::npos) return line;
    }
    return "";
  }
  void Signal(int signal) const { kill(pid_, signal); }
  // All that it wrote.
  const std::string& Output() {
    char part[4096];
    for (size_t count; (count = fread(part, 1, sizeof part, out_)) > 0;) output_.append(part, count);
    return output_;
  }
  // The exit status; -1 when a signal ended it.
  int Wait() {
    Output();
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  FILE* out_ = nullptr;
  std::string output_;
};

// The number behind "process " in a line "started x-operator (process 123)".
pid_t ProcessIn(const std::string& line) {
  const size_t at = line.find("(process ");
  return at == std::string::npos ? -1 : std::atoi(line.c_str() + at + 9);
}

// Examples of one's own: what they apply, and a script as the operator.
class OwnExamples {
 public:
  void Add(const std::string& name, const std::string& script, const std::string& sample, const std::string& crd = "") {
    std::filesystem::create_directories(directory_.Path(name + "/config/samples"));
    directory_.Write(name + "/config/samples/sample.yaml", sample);
    if (!crd.empty()) {
      std::filesystem::create_directories(directory_.Path(name + "/config/crd"));
      directory_.Write(name + "/config/crd/crd.yaml", crd);
    }
    chmod(directory_.Write(name + "-operator", "#!/bin/sh\n" + script).c_str(), 0700);
  }
  std::vector<std::string> Arguments(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"--examples", directory_.Path(""), "--programs", directory_.Path("")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string Path(const std::string& name) const { return directory_.Path(name); }
  void Write(const std::string& name, const std::string& text) const { directory_.Write(name, text); }

 private:
  TemporaryDirectory directory_;
};

constexpr const char* kPolite = "trap 'exit 0' TERM; while :; do sleep 0.01; done";
constexpr const char* kConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hello}\n";
constexpr const char* kWidget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\n";
constexpr const char* kWidgets =
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\n"
    "spec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Widget, plural: widgets}\n  versions:\n"
    "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n";

TEST(Demo, EndsWithZeroAndLeavesNothing) {
  OwnExamples examples;
  examples.Add("own", kPolite, kConfigMap);
  Program demo(examples.Arguments());
  const pid_t process = ProcessIn(demo.Await("started own-operator"));
  const std::string kubeconfig = demo.Await("export KUBECONFIG=");
  EXPECT_EQ(demo.Wait(), 0) << demo.Output();
  EXPECT_THAT(demo.Output(), HasSubstr("ConfigMap/hello"));
  EXPECT_THAT(demo.Output(), Not(HasSubstr("\x1b"))) << "colours are for terminals";
  EXPECT_NE(kill(process, 0), 0) << "the operator is still there";
  const std::string file = kubeconfig.substr(kubeconfig.find('/'), kubeconfig.find('\n') - kubeconfig.find('/'));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path())) << file;
}

TEST(Demo, StaysUpWhenToldToUntilItIsStopped) {
  OwnExamples examples;
  examples.Add("own", kPolite, kConfigMap);
  Program demo(examples.Arguments({"--keep", "--dir", examples.Path("kept")}));
  ASSERT_THAT(demo.Await("Ctrl-C ends it"), HasSubstr("kept/logs"));
  EXPECT_TRUE(std::filesystem::exists(examples.Path("kept/kubeconfig")));
  demo.Signal(SIGTERM);
  EXPECT_EQ(demo.Wait(), 0) << demo.Output();
  EXPECT_TRUE(std::filesystem::exists(examples.Path("kept/logs/own-operator.log")));
}

TEST(Demo, PassesTheFlagsOfAnExample) {
  OwnExamples examples;
  examples.Add("own", std::string("echo \"$@\"\n") + kPolite, kConfigMap);
  examples.Write("own/config/demo.flags", "# a comment\n\n--state={dir}/state\n--file={config}/x y\n");
  const std::string dir = examples.Path("kept");
  Program demo(examples.Arguments({"--dir", dir}));
  EXPECT_EQ(demo.Wait(), 0) << demo.Output();
  std::string logged;
  std::getline(std::ifstream(dir + "/logs/own-operator.log"), logged);
  EXPECT_EQ(logged,
            "--kubeconfig " + dir + "/kubeconfig --state=" + dir + "/state --file=" + examples.Path("own/config/x y"));
}

TEST(Demo, SaysWhatHasNotConvergedAndWhy) {
  OwnExamples examples;
  examples.Add("own", kPolite, kWidget, kWidgets);
  Program demo(examples.Arguments({"--timeout", "1"}));
  EXPECT_EQ(demo.Wait(), 1);
  EXPECT_THAT(demo.Output(), HasSubstr("error: not converged after 1s:\n  Widget/one: it has no condition Ready\n"));
}

TEST(Demo, AnOperatorThatEndsEndsIt) {
  OwnExamples examples;
  examples.Add("good", kPolite, kConfigMap);
  examples.Add("own", "echo out of ideas; exit 7", kWidget, kWidgets);
  Program demo(examples.Arguments());
  EXPECT_EQ(demo.Wait(), 1);
  EXPECT_THAT(demo.Output(), HasSubstr("error: own-operator ended with status 7; its log ends with\n  out of ideas\n"));
}

TEST(Demo, NamesAProgramThatIsMissing) {
  OwnExamples examples;
  examples.Add("own", kPolite, kConfigMap);
  std::filesystem::remove(examples.Path("own-operator"));
  Program demo(examples.Arguments());
  EXPECT_EQ(demo.Wait(), 1);
  EXPECT_THAT(demo.Output(), HasSubstr("own-operator'; `make demo` builds it"));
}

TEST(Demo, HelpSaysWhatHappens) {
  Program demo({"--help"});
  EXPECT_EQ(demo.Wait(), 0);
  EXPECT_THAT(demo.Output(), HasSubstr("waits until all of them have converged"));
  EXPECT_THAT(demo.Output(), HasSubstr("--keep"));
}

}  // namespace
}  // namespace demo
