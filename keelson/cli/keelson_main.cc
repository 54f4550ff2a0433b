#include <iostream>
#include <string>
#include <vector>

#include "keelson/cli/cli.h"

int main(int argc, char** argv) {
  return keelson::cli::Run(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
}
