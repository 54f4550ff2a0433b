// The `keelson` program.
#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app("Kubernetes controllers in C++");
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
