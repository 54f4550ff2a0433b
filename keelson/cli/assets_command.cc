// keelson assets
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "keelson/cli/assets.h"
#include "keelson/cli/command.h"

namespace keelson::cli {

namespace {

Result<std::filesystem::path> MakeAssetsOfThisProgram(const std::string& asked_folder) {
  std::error_code problem;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) return Error(ErrorCode::kUnavailable, "cannot find out where this program is: " + problem.message());
  std::filesystem::path folder = std::filesystem::absolute(asked_folder, problem).lexically_normal();
  if (asked_folder.empty()) {
    KEELSON_TRY(found, DefaultAssetsFolder(program));
    folder = std::move(found);
  }
  const char* path = std::getenv("PATH");
  KEELSON_RETURN_IF_ERROR(
      MakeAssets({.folder = folder, .program = program, .path = path != nullptr ? path : std::string()}));
  return folder;
}

}  // namespace

void AddAssetsCommand(CLI::App& app, Session& session) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "assets",
      "Print a folder with kube-apiserver and etcd for test frameworks.\n\n"
      "Both are this program, which does as they do when it is called by their names. A project that tests with\n"
      "controller-runtime's envtest runs on it as it is:\n"
      "  $ export KUBEBUILDER_ASSETS=$(keelson assets)\n"
      "  $ go test ./...\n\n"
      "kubectl is linked too when it is on the PATH. The folder is made on demand and can be removed at any time.");
  command->add_option("--dir", *folder, "Folder to use; by default one of its own below ~/.cache/keelson");
  command->callback([folder, &session] {
    Result<std::filesystem::path> made = MakeAssetsOfThisProgram(*folder);
    if (!made) {
      session.err << "error: " << made.error().message() << "\n";
      session.status = 1;
      return;
    }
    session.out << made->string() << std::endl;
  });
}

}  // namespace keelson::cli
