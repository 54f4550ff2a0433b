// A candidate by Keelson: tests/e2e/test_election.py runs it beside one by client-go.
//
//   election-e2e --kubeconfig FILE --namespace N --name N --identity I
//
// Prints `leading`, `leader IDENTITY` and `stopped` when it is so; ends and releases the lease when its input ends.
#include <cstdio>
#include <string>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/leader_election.h"

namespace {

void Say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

std::string Flag(const std::vector<std::string>& arguments, const std::string& name) {
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == name) return arguments[i + 1];
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace keelson;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const ClientConfig config = LoadClientConfig({.kubeconfig = Flag(arguments, "--kubeconfig")}).OrExit();
  const auto elector =
      LeaderElector::Make(Client::Connect(config).OrExit(), {.namespace_ = Flag(arguments, "--namespace"),
                                                             .name = Flag(arguments, "--name"),
                                                             .identity = Flag(arguments, "--identity")})
          .OrExit();
  StopSource stop;
  Thread input("input", [&] {
    while (std::getchar() != EOF) {
    }
    stop.RequestStop();
  });
  const Result<void> end =
      elector->Run(stop.token(), {.on_started = [](const Leadership&) { Say("leading"); },
                                  .on_stopped = [] { Say("stopped"); },
                                  .on_new_leader = [](const std::string& identity) { Say("leader " + identity); }});
  if (!end) Say("lost: " + end.error().message());
  std::fflush(stdout);
  std::_Exit(end ? 0 : 1);  // the input may go on
}
