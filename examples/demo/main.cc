// keelson-demo: the operators of examples/ on a control plane of their own, in a table that lives.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "demo.h"
#include "keelson/core/signals.h"

namespace {

// Where this program lies, with the operators beside it.
std::string OwnFolder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().string();
}

// As a polite kill. Both the shell and the kernel may send it; a second request to stop would end the demo at once.
void OnHangup(int) {
  signal(SIGHUP, SIG_IGN);
  raise(SIGTERM);
}

// Readers that go away, and the end of the terminal, must not keep the demo from clearing up. SIGHUP stays ignored
// where it is: that is what nohup is for.
void OutliveReaders() {
  signal(SIGPIPE, SIG_IGN);
  struct sigaction hangup = {};
  if (sigaction(SIGHUP, nullptr, &hangup) != 0 || hangup.sa_handler == SIG_IGN) return;
  hangup = {};
  hangup.sa_handler = OnHangup;
  hangup.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &hangup, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  demo::DemoOptions options{.examples = KEELSON_EXAMPLES, .programs = OwnFolder()};
  bool keep = false;
  bool once = false;
  int timeout = 120;
  CLI::App app(
      "Runs the operators of examples/ on an embedded control plane and shows what they do.\n\n"
      "  1. starts a Kubernetes API server with the controllers of a cluster and simulated nodes, on loopback;\n"
      "  2. installs the CustomResourceDefinitions of the examples and starts their operators, one process each;\n"
      "  3. applies the samples (examples/*/config/samples) and waits until all of them have converged;\n"
      "  4. deletes a child of each object, and waits until the operators have put it back.\n\n"
      "On a terminal it then stays up, so that you can try kubectl on it, until Ctrl-C. Elsewhere it ends, with status "
      "0\n"
      "when all has converged. Nothing is left behind.\n",
      "keelson-demo");
  app.add_flag("--keep", keep, "Stay up after the end also where this is no terminal, until SIGINT or SIGTERM");
  app.add_flag("--once", once, "End also where this is a terminal")->excludes("--keep");
  app.add_option("--dir", options.dir,
                 "Folder for the kubeconfig and the operators' logs, which stay there. Default: a temporary one");
  app.add_option("--timeout", timeout, "Seconds in which all must have converged")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  app.add_option("--examples", options.examples, "Folder of the examples; yours may be in another")
      ->capture_default_str();
  app.add_option("--programs", options.programs, "Folder of their programs: <example>-operator")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  options.timeout = std::chrono::seconds(timeout);

  const keelson::StopSignals signals;
  OutliveReaders();
  demo::Screen screen;
  options.stay = keep || (screen.live() && !once);
  const keelson::Result<void> done = demo::RunDemo(options, screen, signals.token());
  screen.Finish();
  if (done) return 0;
  std::fprintf(stderr, "error: %s\n", done.error().message().c_str());
  return 1;
}
