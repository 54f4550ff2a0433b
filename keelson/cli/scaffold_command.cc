// keelson scaffold type
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "keelson/cli/command.h"
#include "keelson/codegen/generated_file.h"
#include "keelson/codegen/type_scaffold.h"

namespace keelson::cli {

namespace {

struct Options {
  codegen::TypeScaffold type;
  std::string output;
  bool force = false;
};

int ScaffoldType(Session& session, const Options& options) {
  const auto fail = [&](const std::string& message) {
    session.err << "error: " << message << "\n";
    return 1;
  };
  Result<codegen::GeneratedFile> file = codegen::ScaffoldType(options.type);
  if (!file) return fail(std::string(file.error().message()));
  if (options.output.empty() || options.output == "-") {
    session.out << file->content;
    return 0;
  }
  const std::filesystem::path target = std::filesystem::path(options.output) / file->path;
  std::error_code ignored;
  if (!options.force && std::filesystem::exists(target, ignored)) {
    return fail("'" + target.string() + "' is there already; --force writes over it");
  }
  if (Result<void> written = codegen::WriteFiles(options.output, {*file}); !written) {
    return fail(std::string(written.error().message()));
  }
  session.out << target.string() << "\n";
  return 0;
}

}  // namespace

void AddScaffoldCommand(CLI::App& app, Session& session) {
  CLI::App* scaffold = app.add_subcommand("scaffold", "Write a first version of a file, to be edited.");
  scaffold->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  CLI::App* command = scaffold->add_subcommand(
      "type",
      "Write a starting header for one kind, to standard output or into a directory:\n"
      "  keelson scaffold type --kind AppService --group example.com --version v1alpha1 --output .");
  command->add_option("--kind", options->type.kind, "The kind, in CamelCase: AppService")->required();
  command->add_option("--group", options->type.group, "API group, a DNS name")->capture_default_str();
  command->add_option("--version", options->type.version, "API version")->capture_default_str();
  command->add_option("--namespace", options->type.cpp_namespace, "C++ namespace; made of the kind by default");
  command->add_flag("--cluster", options->type.cluster_scoped, "The resource is not in a namespace");
  command->add_option("-o,--output", options->output, "Project directory: the header goes to api/<version>/ in it");
  command->add_flag("--force", options->force, "Write over a header that is there");
  command->callback([options, &session] { session.status = ScaffoldType(session, *options); });
}

}  // namespace keelson::cli
