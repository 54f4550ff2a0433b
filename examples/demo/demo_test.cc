// The demo as a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "keelson/transport/test_certificates_test_support.h"

namespace demo {
namespace {

using keelson::TemporaryDirectory;
using testing::HasSubstr;
using testing::Not;

enum class Kind { kPipe, kTerminal };

// Writes its standard output and error to a pipe, or to a terminal that is also its input. Killed at the end unless it
// has ended by then. Its temporary files are where TMPDIR says, unless it is told another place.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments, Kind kind = Kind::kPipe, const std::string& temporary = "") {
    arguments.insert(arguments.begin(), KEELSON_DEMO);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int ends[2] = {-1, -1};
    if (kind == Kind::kTerminal) {
      winsize size = {.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
      pid_ = forkpty(&ends[0], nullptr, nullptr, &size);
    } else {
      if (pipe(ends) != 0) std::abort();
      pid_ = fork();
    }
    if (pid_ == 0) {
      if (kind == Kind::kPipe) {
        close(ends[0]);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
      }
      // Tests may run under nohup, or in a pipeline of somebody who ignores its end.
      signal(SIGHUP, SIG_DFL);
      signal(SIGPIPE, SIG_DFL);
      if (!temporary.empty()) setenv("TMPDIR", temporary.c_str(), 1);
      execv(pointers[0], pointers.data());
      _exit(127);
    }
    if (ends[1] >= 0) close(ends[1]);
    end_ = ends[0];
  }
  ~Program() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    StopReading();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Reads on until there is a line with that text, and gives the line; empty when it ends before.
  std::string Await(const std::string& text) {
    while (true) {
      const size_t found = output_.find(text);
      const size_t begin = found == std::string::npos ? 0 : output_.rfind('\n', found) + 1;
      const size_t end = found == std::string::npos ? found : output_.find('\n', found);
      if (end != std::string::npos) return output_.substr(begin, end - begin);
      if (!Read()) return "";
    }
  }
  void Signal(int signal) const {
    ASSERT_GT(pid_, 0) << "it has ended";
    kill(pid_, signal);
  }
  void Type(char key) const { EXPECT_EQ(write(end_, &key, 1), 1); }
  // As a terminal that is closed, or `head` that has read enough.
  void StopReading() {
    if (end_ >= 0) close(end_);
    end_ = -1;
  }
  // All that it wrote, to its end.
  const std::string& Output() {
    while (Read()) {
    }
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
  // A terminal whose other side is closed gives an error instead of an end.
  bool Read() {
    char part[4096];
    const ssize_t count = read(end_, part, sizeof part);
    if (count > 0) output_.append(part, static_cast<size_t>(count));
    return count > 0;
  }

  pid_t pid_ = -1;
  int end_ = -1;
  std::string output_;
};

// The number behind "process " in a line "started x-operator (process 123)". Nothing where there is none: to kill(),
// numbers below 1 mean many processes, -1 all that there are.
std::optional<pid_t> ProcessIn(const std::string& line) {
  const size_t at = line.find("(process ");
  const pid_t process = at == std::string::npos ? 0 : std::atoi(line.c_str() + at + 9);
  return process > 0 ? std::optional(process) : std::nullopt;
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
  std::string MakeFolder(const std::string& name) const {
    std::filesystem::create_directory(Path(name));
    return Path(name);
  }
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

// The last that was told of an object.
std::string LastLineOf(const std::string& output, const std::string& object) {
  const size_t found = output.rfind(" s  " + object + " ");
  return found == std::string::npos ? "" : output.substr(found + 4, output.find('\n', found) - found - 4);
}

TEST(Demo, ShowsEveryExampleConvergeAndRepairWhatWasDeleted) {
  Program demo({"--keep"});
  EXPECT_NE(demo.Await("Ctrl-C ends it"), "");
  demo.Signal(SIGTERM);
  ASSERT_EQ(demo.Wait(), 0) << demo.Output();
  const struct {
    const char* object;
    const char* phase;
    const char* children;
  } expected[] = {
      {"App/app-sample", "Ready", "Deployment app-sample 3/3, Service app-sample"},
      {"AppService/example", "Ready", "Deployment example 2/2"},
      {"Count/test-count", "Ready", "3 Pods Running"},
      {"Network/example-network", "Ready", ""},  // of a backend, which is no part of the cluster
      {"Pipeline/facedetection", "Running", "2 Deployments 2/2, PV facedetection-models Bound, PVC"},
      {"Scaling/example", "Ready", ""},
      {"Service/nginx-demo", "Ready", "Ingress nginx-demo"},
  };
  for (const auto& [object, phase, children] : expected) {
    const std::string line = LastLineOf(demo.Output(), object);
    EXPECT_THAT(line, HasSubstr(phase)) << object;
    EXPECT_THAT(line, HasSubstr(children)) << object;
  }
  EXPECT_THAT(demo.Output(), HasSubstr("its definition is not there yet, so it waits")) << "of count-operator";
  for (const char* deleted : {"Deployment app-sample of App/app-sample", "Deployment example of AppService/example",
                              "Pod nginx-0 of Count/test-count", "Ingress nginx-demo of Service/nginx-demo",
                              "Deployment facedetection-1 of Pipeline/facedetection"}) {
    EXPECT_THAT(demo.Output(), HasSubstr(std::string("deleted ") + deleted + ": back after"));
  }
  EXPECT_THAT(demo.Output(), HasSubstr("converged again"));
  EXPECT_THAT(demo.Output(), HasSubstr("\n  kubectl describe app app-sample\n"));
}

TEST(Demo, AnOperatorThatIsKilledEndsIt) {
  Program demo({"--keep"});
  const std::optional<pid_t> process = ProcessIn(demo.Await("started app-service-operator"));
  ASSERT_TRUE(process) << demo.Output();
  kill(*process, SIGKILL);
  EXPECT_EQ(demo.Wait(), 1);
  EXPECT_THAT(demo.Output(), HasSubstr("error: app-service-operator was killed by signal 9 (Killed); its log "));
}

TEST(Demo, EndsWithZeroAndLeavesNothing) {
  OwnExamples examples;
  examples.Add("own", kPolite, kConfigMap);
  const std::string temporary = examples.MakeFolder("temporary");
  Program demo(examples.Arguments(), Kind::kPipe, temporary);
  const std::optional<pid_t> process = ProcessIn(demo.Await("started own-operator"));
  ASSERT_TRUE(process) << demo.Output();
  EXPECT_EQ(demo.Wait(), 0) << demo.Output();
  EXPECT_THAT(demo.Output(), HasSubstr("ConfigMap/hello"));
  EXPECT_THAT(demo.Output(), Not(HasSubstr("\x1b"))) << "colours are for terminals";
  EXPECT_NE(kill(*process, 0), 0) << "the operator is still there";
  EXPECT_THAT(demo.Output(), Not(HasSubstr("KUBECONFIG"))) << "it is gone by then";
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST(Demo, StaysUpOnATerminalUntilCtrlC) {
  OwnExamples examples;
  examples.Add("own", kPolite, kConfigMap);
  unsetenv("NO_COLOR");
  setenv("TERM", "xterm", 1);  // a dumb one has no colours
  Program demo(examples.Arguments(), Kind::kTerminal);
  const std::optional<pid_t> process = ProcessIn(demo.Await("started own-operator"));
  ASSERT_TRUE(process) << demo.Output();
  ASSERT_THAT(demo.Await("Ctrl-C ends it"), HasSubstr("/logs"));
  ASSERT_THAT(demo.Await("watching"), HasSubstr("1 operator · 1 of 1 object have converged"));
  demo.Type('\x03');
  EXPECT_EQ(demo.Wait(), 0) << demo.Output();
  EXPECT_THAT(demo.Output(), HasSubstr("\x1b[32mPresent"));
  EXPECT_NE(kill(*process, 0), 0) << "the operator is still there";
}

TEST(Demo, ClearsUpThoughNobodyReadsOn) {
  OwnExamples examples;
  examples.Add("own", kPolite, kConfigMap);
  const std::string temporary = examples.MakeFolder("temporary");
  Program demo(examples.Arguments(), Kind::kPipe, temporary);
  ASSERT_NE(demo.Await("started own-operator"), "");
  ASSERT_FALSE(std::filesystem::is_empty(temporary));
  demo.StopReading();
  EXPECT_EQ(demo.Wait(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(temporary)) << "there is a key in it";
}

TEST(Demo, ClearsUpWhenItsTerminalIsClosed) {
  OwnExamples examples;
  examples.Add("own", kPolite, kConfigMap);
  const std::string temporary = examples.MakeFolder("temporary");
  Program demo(examples.Arguments(), Kind::kTerminal, temporary);
  const std::optional<pid_t> process = ProcessIn(demo.Await("started own-operator"));
  ASSERT_TRUE(process) << demo.Output();
  ASSERT_NE(demo.Await("Ctrl-C ends it"), "");
  ASSERT_FALSE(std::filesystem::is_empty(temporary));
  demo.StopReading();
  EXPECT_EQ(demo.Wait(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(temporary)) << "there is a key in it";
  EXPECT_NE(kill(*process, 0), 0) << "the operator is still there";
}

TEST(Demo, HasNoColoursWhereNobodyWantsThem) {
  OwnExamples examples;
  examples.Add("own", kPolite, kConfigMap);
  setenv("NO_COLOR", "1", 1);
  Program demo(examples.Arguments({"--once"}), Kind::kTerminal);
  unsetenv("NO_COLOR");
  EXPECT_EQ(demo.Wait(), 0) << demo.Output();
  EXPECT_THAT(demo.Output(), HasSubstr("ConfigMap/hello  Present"));
  EXPECT_THAT(demo.Output(), HasSubstr(" · done")) << "the last state is shown, however soon it comes";
  EXPECT_THAT(demo.Output(), Not(HasSubstr("\x1b[32m")));
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
  Program demo(examples.Arguments({"--keep", "--dir", dir}));
  ASSERT_NE(demo.Await("Ctrl-C ends it"), "");
  std::string logged;
  while (logged.empty()) std::getline(std::ifstream(dir + "/logs/own-operator.log"), logged);
  demo.Signal(SIGTERM);
  EXPECT_EQ(demo.Wait(), 0) << demo.Output();
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
