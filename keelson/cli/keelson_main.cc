#include <iostream>
#include <string>
#include <vector>

#include "keelson/cli/cli.h"

int main(int argc, char** argv) {
  return keelson::cli::RunAs(argc > 0 ? argv[0] : "keelson", std::vector<std::string>(argv + (argc > 0), argv + argc),
                             std::cout, std::cerr);
}
