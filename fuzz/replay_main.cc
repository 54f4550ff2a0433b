// Runs a fuzz target over stored inputs, so that every build and every compiler tests the corpus without libFuzzer:
//
//   fuzz-json fuzz/corpus/json crash-1234
//
// Each argument is a file, or a directory of which every file is run. The name of an input is printed before it runs:
// the last one names the culprit of a crash. No input at all is a failure, so that a lost corpus is noticed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

// In the order of their names, so that every run is the same.
std::vector<fs::path> CollectInputs(int argc, char** argv) {
  std::vector<fs::path> inputs;
  for (int i = 1; i < argc; ++i) {
    const fs::path argument(argv[i]);
    if (!fs::is_directory(argument)) {
      inputs.push_back(argument);
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argument)) {
      if (entry.is_regular_file()) inputs.push_back(entry.path());
    }
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

bool Replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return false;
  }
  std::printf("%s (%zu bytes)\n", path.c_str(), content.size());
  std::fflush(stdout);
  // A block of exactly the input's size: AddressSanitizer then sees a read of even one byte past it.
  const std::vector<uint8_t> input(content.begin(), content.end());
  return LLVMFuzzerTestOneInput(input.data(), input.size()) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<fs::path> inputs = CollectInputs(argc, argv);
  if (inputs.empty()) {
    std::fprintf(stderr, "no input found: expected files, or directories with files in them, as arguments\n");
    return 1;
  }
  for (const fs::path& input : inputs) {
    if (!Replay(input)) return 1;
  }
  std::printf("replayed %zu inputs\n", inputs.size());
  return 0;
}
