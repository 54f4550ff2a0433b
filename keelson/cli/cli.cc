#include "keelson/cli/cli.h"

#include <algorithm>
#include <ostream>

#include "keelson/cli/command.h"
#include "keelson/cli/drop_in.h"

namespace keelson::cli {

int RunAs(std::string_view program, const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const DropIn* drop_in = FindDropIn(program.substr(program.rfind('/') + 1));
  return drop_in != nullptr ? RunDropIn(*drop_in, arguments, out, err) : Run(arguments, out, err);
}

int Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  CLI::App app(
      "Kubernetes controllers in C++.\n\n"
      "  keelson up --crds config/crd/bases\n"
      "  export KUBEBUILDER_ASSETS=$(keelson assets) && go test ./...\n"
      "  keelson scaffold type --kind AppService --group example.com > api/v1/app_service.h\n"
      "  keelson generate crd --input api/v1/*.h --output config/crd/bases\n"
      "  keelson generate rbac --input src --output config/rbac\n",
      "keelson");
  app.require_subcommand(1);
  Session session{out, err};
  AddAssetsCommand(app, session);
  AddGenerateCommand(app, session);
  AddScaffoldCommand(app, session);
  AddUpCommand(app, session);
  AddVersionCommand(app, session);

  // CLI11 takes them from the back.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error, out, err);
    return asked_for_help ? 0 : 1;
  }
  return session.status;
}

void AddVersionCommand(CLI::App& app, Session& session) {
  app.add_subcommand("version", "Print the program's version.")->callback([&session] {
    session.out << "keelson " << KEELSON_VERSION << "\n";
  });
}

}  // namespace keelson::cli
