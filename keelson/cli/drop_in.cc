#include "keelson/cli/drop_in.h"

#include <fmt/format.h>

#include <ostream>

namespace keelson::cli {

const DropIn* FindDropIn(std::string_view name) {
  for (const DropIn* program : {&kKubeApiserver, &kEtcd}) {
    if (program->name == name) return program;
  }
  return nullptr;
}

int RunDropIn(const DropIn& program, const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const auto fail = [&](const std::string& why) {
    err << "Error: " << why << "\n";
    return 1;
  };
  Result<ForeignFlags> flags = ForeignFlags::Parse(arguments, program.flags);
  if (!flags) return fail(flags.error().message());
  if (flags->IsTrue("help")) {
    out << fmt::format("{}\n\nUsage:\n  {} [flags]\n\n{}", program.about, program.name, DescribeFlags(program.flags));
    return 0;
  }
  if (flags->IsTrue("version")) {
    out << fmt::format("{} (keelson {})\n", program.version, KEELSON_VERSION);
    return 0;
  }
  if (!flags->arguments().empty()) {
    return fail(
        fmt::format("\"{}\" does not take any arguments, got \"{}\"", program.name, flags->arguments().front()));
  }
  for (const std::string& flag : flags->unknown()) err << "Warning: unknown flag " << flag << " is ignored\n";
  err.flush();
  if (const Result<void> done = program.serve(*flags); !done) return fail(done.error().message());
  return 0;
}

}  // namespace keelson::cli
