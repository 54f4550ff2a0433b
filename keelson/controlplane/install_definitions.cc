#include "keelson/controlplane/install_definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/core/clock.h"

namespace keelson {
namespace {

namespace fs = std::filesystem;
using Definition = apiextensionsv1::CustomResourceDefinition;

constexpr std::string_view kKind = "CustomResourceDefinition";
constexpr std::string_view kVersion = "apiextensions.k8s.io/v1";
constexpr Duration kPatience = std::chrono::seconds(10);
constexpr Duration kPoll = std::chrono::milliseconds(5);

// A definition and where it stands: "crds/widgets.yaml:12".
struct Found {
  std::string place;
  Definition definition;
};

Error At(std::string_view place, const Error& error) {
  return Error(error.code(), fmt::format("{}: {}", place, error.message()));
}

Result<std::string> TextOf(const fs::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    return Error::NotFound(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno ? errno : EIO)));
  }
  return text;
}

bool IsSeparator(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r');
}

// The documents of a text. Each keeps its lines' numbers by as many empty ones before it.
struct Document {
  size_t first_line;
  std::string text;
};
std::vector<Document> DocumentsOf(std::string_view text) {
  std::vector<Document> documents = {{.first_line = 1, .text = {}}};
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (IsSeparator(text.substr(0, end))) {
      documents.push_back({.first_line = line + 1, .text = std::string(line, '\n')});
    } else {
      documents.back().text.append(text.substr(0, end)).append("\n");
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return documents;
}

std::string MemberOf(const Json& document, std::string_view name) {
  const Json* member = document.find(name);
  return member != nullptr && member->is_string() ? member->string().str() : std::string();
}

// Appends the definitions of one file.
Result<void> ReadFile(const fs::path& path, bool only_definitions, std::vector<Found>& found) {
  KEELSON_TRY(text, TextOf(path));
  for (const Document& document : DocumentsOf(text)) {
    const std::string place = fmt::format("{}:{}", path.string(), document.first_line);
    Result<std::string> json = YamlToJson(document.text);
    if (!json) return At(path.string(), json.error());
    Result<Json> tree = ParseJson(*json);
    if (!tree) return At(place, tree.error());
    if (tree->is_null()) continue;
    const std::string kind = tree->is_object() ? MemberOf(*tree, "kind") : std::string();
    const std::string version = tree->is_object() ? MemberOf(*tree, "apiVersion") : std::string();
    if (kind != kKind || version != kVersion) {
      // One of an old version is most likely meant to be installed, wherever it lies.
      if (!only_definitions && kind != kKind) continue;
      return Error::InvalidArgument(fmt::format("{}: expected a {} of {}, found kind \"{}\" of apiVersion \"{}\"",
                                                place, kKind, kVersion, kind, version));
    }
    Result<Definition> definition = FromJson<Definition>(*json, {.strict = true});
    if (!definition) return At(place, definition.error());
    found.push_back({.place = place, .definition = std::move(*definition)});
  }
  return {};
}

Result<std::vector<Found>> Read(const std::vector<std::string>& paths) {
  std::vector<Found> found;
  for (const std::string& path : paths) {
    const size_t before = found.size();
    std::error_code problem;
    if (fs::is_directory(path, problem)) {
      std::vector<fs::path> files;
      for (const fs::directory_entry& entry : fs::directory_iterator(path, problem)) {
        const std::string extension = entry.path().extension();
        const bool wanted = extension == ".yaml" || extension == ".yml" || extension == ".json";
        if (wanted && entry.is_regular_file(problem)) files.push_back(entry.path());
      }
      std::sort(files.begin(), files.end());
      for (const fs::path& file : files) KEELSON_RETURN_IF_ERROR(ReadFile(file, false, found));
    } else {
      KEELSON_RETURN_IF_ERROR(ReadFile(path, true, found));
    }
    if (found.size() == before) {
      return Error::NotFound(fmt::format(
          "there is no {} in '{}'; name files, or a folder with files *.yaml, *.yml or *.json", kKind, path));
    }
  }
  return found;
}

Result<void> Write(const Client& client, const Definition& definition) {
  Result<Definition> created = client.Create(definition);
  if (created || !IsAlreadyExists(created.error())) return created ? Result<void>() : created.error();
  return RetryOnConflict([&]() -> Result<void> {
    KEELSON_TRY(present, client.Get<Definition>({"", definition.metadata.name.str()}));
    present.spec = definition.spec;
    const Result<Definition> updated = client.Update(present);
    return updated ? Result<void>() : updated.error();
  });
}

// Empty when it is Established, otherwise what its conditions say.
Result<std::string> WhyNotReady(const Client& client, const std::string& name) {
  KEELSON_TRY(present, client.Get<Definition>({"", name}));
  std::string reason = "it has no conditions yet";
  for (const auto& condition : present.status.conditions) {
    if (condition.type == "Established" && condition.status == "True") return std::string();
    if (condition.status == "False") {
      reason = fmt::format("{} is False: {}", condition.type.view(), condition.message.view());
    }
  }
  return reason;
}

}  // namespace

Result<void> InstallDefinitions(const Client& client, const std::vector<std::string>& paths) {
  KEELSON_TRY(found, Read(paths));
  for (const Found& one : found) {
    if (const Result<void> written = Write(client, one.definition); !written) return At(one.place, written.error());
  }
  const TimePoint deadline = Clock::Now() + kPatience;
  for (const Found& one : found) {
    while (true) {
      const std::string name = one.definition.metadata.name.str();
      Result<std::string> why = WhyNotReady(client, name);
      if (!why) return At(one.place, why.error());
      if (why->empty()) break;
      if (Clock::Now() >= deadline) {
        return Error(ErrorCode::kTimeout, fmt::format("{}: {} is not Established: {}", one.place, name, *why));
      }
      SleepFor(kPoll, {});
    }
  }
  return {};
}

}  // namespace keelson
