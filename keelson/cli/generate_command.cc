// keelson generate code | crd | rbac | webhook | types
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "keelson/cli/command.h"
#include "keelson/cli/input_files.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codegen/code_generator.h"
#include "keelson/codegen/comments.h"
#include "keelson/codegen/crd_generator.h"
#include "keelson/codegen/depfile.h"
#include "keelson/codegen/generated_file.h"
#include "keelson/codegen/header_reader.h"
#include "keelson/codegen/manifest_generators.h"
#include "keelson/codegen/types_generator.h"

namespace keelson::cli {

using codegen::Diagnostics;
using codegen::GeneratedFile;
using codegen::Marker;
using codegen::SourceModel;

namespace {

const std::vector<std::string> kHeaders = {".h", ".hh", ".hpp", ".hxx"};
const std::vector<std::string> kSources = {".h", ".hh", ".hpp", ".hxx", ".cc", ".cpp", ".cxx"};

// What all of them take: input, output, licence.
struct Common {
  std::vector<std::string> inputs;
  std::string output = ".";
  std::string header_file;
};

struct Compiling {
  codegen::HeaderReadOptions options;
};

void AddInputs(CLI::App& command, Common& common, const std::string& what) {
  command.add_option("--input,inputs", common.inputs, what + "; directories and patterns too")->required();
}

void AddOutput(CLI::App& command, Common& common) {
  command.add_option("-o,--output", common.output, "Directory for the generated files, or - for standard output")
      ->capture_default_str();
  command.add_option("--header-file", common.header_file, "Text, such as a licence, to put on top of each file");
}

void AddCompiling(CLI::App& command, Compiling& compiling) {
  command.add_option("-I,--include", compiling.options.include_directories, "Where to look for what headers include")
      ->allow_extra_args(false);
  command.add_option("-D,--define", compiling.options.defines, "Macro to define: NAME or NAME=VALUE")
      ->allow_extra_args(false);
}

// Runs `generate`, and writes what it returns unless there were problems.
int Generate(Session& session, const Common& common, Diagnostics& problems,
             const std::function<Result<std::vector<GeneratedFile>>()>& generate) {
  const auto fail = [&](const Error& error) {
    session.err << "error: " << error.message() << "\n";
    return 1;
  };
  std::string licence;
  if (!common.header_file.empty()) {
    Result<std::string> text = ReadFile(common.header_file);
    if (!text) return fail(text.error());
    licence = *std::move(text);
  }
  Result<std::vector<GeneratedFile>> files = generate();
  if (!problems.empty()) {
    session.err << problems.Render();
    return 1;
  }
  if (!files) return fail(files.error());
  if (!licence.empty()) codegen::AddLicence(licence, *files);
  if (common.output == "-") {
    for (const GeneratedFile& file : *files) session.out << file.content;
    return 0;
  }
  if (Result<void> written = codegen::WriteFiles(common.output, *files); !written) return fail(written.error());
  for (const GeneratedFile& file : *files) session.out << common.output << "/" << file.path << "\n";
  return 0;
}

Result<SourceModel> ReadModel(const Common& common, const Compiling& compiling, Diagnostics& problems) {
  KEELSON_TRY(headers, FindInputs(common.inputs, kHeaders));
  return codegen::ReadHeaders(headers, compiling.options, problems);
}

Result<std::vector<Marker>> ReadMarkers(const Common& common) {
  KEELSON_TRY(paths, FindInputs(common.inputs, kSources));
  std::vector<Marker> markers;
  for (const std::string& path : paths) {
    KEELSON_TRY(source, ReadFile(path));
    for (Marker& marker : codegen::ScanMarkers(source, path)) markers.push_back(std::move(marker));
  }
  return markers;
}

void AddCode(CLI::App& generate, Session& session) {
  struct Options : Common, Compiling {
    codegen::CodeOptions code;
    std::string depfile;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = generate.add_subcommand(
      "code",
      "Write what C++ needs to know of the types: for each directory of headers a generated.h and a generated.cc with\n"
      "the tables of its structs, their lists and AddToScheme. CMake's keelson_api() runs this in a build.");
  AddInputs(*command, *options, "Headers with the types");
  AddOutput(*command, *options);
  AddCompiling(*command, *options);
  command->add_option("--base", options->code.base_directory, "Directory that generated #includes start from")
      ->capture_default_str();
  command->add_option("--depfile", options->depfile, "Write the files that were read, as a rule for make or Ninja");
  command->callback([options, &session] {
    Diagnostics problems;
    session.status = Generate(session, *options, problems, [&]() -> Result<std::vector<GeneratedFile>> {
      options->options.include_directories.push_back(options->code.base_directory);
      KEELSON_TRY(model, ReadModel(*options, *options, problems));
      std::vector<GeneratedFile> files = codegen::GenerateCode(model, options->code, problems);
      if (problems.empty() && !options->depfile.empty()) {
        // Ninja wants every output of a rule declared; which packages have clients and informers is known only now.
        std::vector<GeneratedFile> declared = files;
        std::erase_if(declared, [](const GeneratedFile& file) {
          return file.path.ends_with("clientset.h") || file.path.ends_with("informers.h");
        });
        KEELSON_RETURN_IF_ERROR(codegen::WriteDepfile(options->depfile, options->output, declared, model.files_read));
      }
      return files;
    });
  });
}

void AddCrd(CLI::App& generate, Session& session) {
  struct Options : Common, Compiling {
    codegen::CrdOptions crd;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = generate.add_subcommand("crd",
                                              "Write a CustomResourceDefinition for each kind, its versions together:\n"
                                              "  keelson generate crd --input api/v1/*.h --output config/crd/bases");
  AddInputs(*command, *options, "Headers with the types");
  AddOutput(*command, *options);
  AddCompiling(*command, *options);
  command->add_option("--max-description-length", options->crd.max_description_length,
                      "Cut descriptions that are longer at a sentence; 0 leaves all out");
  command->add_flag("--allow-dangerous-types", options->crd.allow_dangerous_types,
                    "Allow floating-point fields, which do not survive every client unchanged");
  command->add_flag("--embedded-object-meta", options->crd.embedded_object_meta,
                    "Describe the fields of ObjectMeta below the root, so that they are kept");
  command->callback([options, &session] {
    Diagnostics problems;
    session.status = Generate(session, *options, problems, [&]() -> Result<std::vector<GeneratedFile>> {
      KEELSON_TRY(model, ReadModel(*options, *options, problems));
      std::vector<GeneratedFile> files;
      if (!problems.empty()) return files;
      for (const auto& crd : codegen::GenerateCrds(model, options->crd, problems)) {
        files.push_back(codegen::CrdFile(crd));
      }
      if (files.empty() && problems.empty()) {
        session.err << "nothing to write: no struct here is marked +kubebuilder:object:root=true, or all are skipped\n";
      }
      return files;
    });
  });
}

void AddRbac(CLI::App& generate, Session& session) {
  struct Options : Common {
    std::string role_name = "manager-role";
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = generate.add_subcommand("rbac",
                                              "Write the roles that +kubebuilder:rbac markers ask for:\n  keelson "
                                              "generate rbac --input src --output config/rbac");
  AddInputs(*command, *options, "Source files with markers");
  AddOutput(*command, *options);
  command->add_option("--role-name", options->role_name, "Name of the roles")->capture_default_str();
  command->callback([options, &session] {
    Diagnostics problems;
    session.status = Generate(session, *options, problems, [&]() -> Result<std::vector<GeneratedFile>> {
      KEELSON_TRY(markers, ReadMarkers(*options));
      return codegen::GenerateRbac(markers, options->role_name, problems);
    });
  });
}

void AddWebhook(CLI::App& generate, Session& session) {
  const auto options = std::make_shared<Common>();
  CLI::App* command =
      generate.add_subcommand("webhook",
                              "Write the webhook configurations that +kubebuilder:webhook markers ask for:\n"
                              "  keelson generate webhook --input src --output config/webhook");
  AddInputs(*command, *options, "Source files with markers");
  AddOutput(*command, *options);
  command->callback([options, &session] {
    Diagnostics problems;
    session.status = Generate(session, *options, problems, [&]() -> Result<std::vector<GeneratedFile>> {
      KEELSON_TRY(markers, ReadMarkers(*options));
      return codegen::GenerateWebhooks(markers, problems);
    });
  });
}

// The CRDs among the documents of a file.
Result<std::vector<apiextensionsv1::CustomResourceDefinition>> ReadCrds(const std::string& path) {
  KEELSON_TRY(text, ReadFile(path));
  const auto in_file = [&](Error error) { return Error::InvalidArgument(path + ": " + std::string(error.message())); };
  auto documents = SplitYamlToJson(text);
  if (!documents) return in_file(documents.error());
  std::vector<apiextensionsv1::CustomResourceDefinition> crds;
  for (const std::string& document : *documents) {
    auto json = FromJson<Json>(document);
    if (!json) return in_file(json.error());
    const Json* kind = json->find("kind");
    if (kind == nullptr || !kind->is_string() || kind->string() != "CustomResourceDefinition") continue;
    auto crd = FromJson<apiextensionsv1::CustomResourceDefinition>(document);
    if (!crd) return in_file(crd.error());
    crds.push_back(*std::move(crd));
  }
  if (crds.empty()) {
    return Error::InvalidArgument(path + ": no CustomResourceDefinition (apiextensions.k8s.io/v1) in this file");
  }
  return crds;
}

void AddTypes(CLI::App& generate, Session& session) {
  struct Options : Common {
    std::vector<std::string> crds;
    codegen::TypesOptions types;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = generate.add_subcommand(
      "types",
      "Write C++ structs for the custom resources of someone else, to own or watch them with types:\n"
      "  keelson generate types --crd certificates.yaml --output third_party/cert_manager");
  command->add_option("--crd", options->crds, "YAML file with CustomResourceDefinitions")->required();
  AddOutput(*command, *options);
  command->add_option("--namespace", options->types.namespace_, "C++ namespace; made of the group by default");
  command->add_flag_callback(
      "--string-enums", [options] { options->types.enum_classes = false; },
      "Texts with an enum become std::string, which also holds values that a later CRD adds");
  command->callback([options, &session] {
    Diagnostics problems;
    session.status = Generate(session, *options, problems, [&]() -> Result<std::vector<GeneratedFile>> {
      std::vector<GeneratedFile> files;
      for (const std::string& path : options->crds) {
        KEELSON_TRY(crds, ReadCrds(path));
        for (const auto& crd : crds) {
          for (GeneratedFile& file : codegen::GenerateTypes(crd, options->types, problems)) {
            files.push_back(std::move(file));
          }
        }
      }
      return files;
    });
  });
}

}  // namespace

void AddGenerateCommand(CLI::App& app, Session& session) {
  CLI::App* generate = app.add_subcommand(
      "generate", "Write what C++ headers with Kubernetes markers imply: code, CRDs, RBAC roles, webhooks.");
  generate->require_subcommand(1);
  AddCode(*generate, session);
  AddCrd(*generate, session);
  AddRbac(*generate, session);
  AddWebhook(*generate, session);
  AddTypes(*generate, session);
}

}  // namespace keelson::cli
