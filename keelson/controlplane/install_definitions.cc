#include "keelson/controlplane/install_definitions.h"

#include <fmt/format.h>

#include <utility>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/modify.h"
#include "keelson/codec/json_reader.h"
#include "keelson/controlplane/internal/manifest_files.h"
#include "keelson/core/clock.h"

namespace keelson {
namespace {

using internal::At;
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

std::string MemberOf(const Json& document, std::string_view name) {
  const Json* member = document.find(name);
  return member != nullptr && member->is_string() ? member->string().str() : std::string();
}

// Appends the definitions of one file.
Result<void> ReadFile(const std::string& file, bool only_definitions, std::vector<Found>& found) {
  KEELSON_TRY(documents, internal::ReadManifestDocuments(file));
  for (const internal::ManifestDocument& document : documents) {
    Result<Json> tree = ParseJson(document.json);
    if (!tree) return At(document.place, tree.error());
    const std::string kind = tree->is_object() ? MemberOf(*tree, "kind") : std::string();
    const std::string version = tree->is_object() ? MemberOf(*tree, "apiVersion") : std::string();
    if (kind != kKind || version != kVersion) {
      // One of an old version is most likely meant to be installed, wherever it lies.
      if (!only_definitions && kind != kKind) continue;
      return Error::InvalidArgument(fmt::format("{}: expected a {} of {}, found kind \"{}\" of apiVersion \"{}\"",
                                                document.place, kKind, kVersion, kind, version));
    }
    Result<Definition> definition = FromJson<Definition>(document.json, {.strict = true});
    if (!definition) return At(document.place, definition.error());
    found.push_back({.place = document.place, .definition = std::move(*definition)});
  }
  return {};
}

Result<std::vector<Found>> Read(const std::vector<std::string>& paths) {
  std::vector<Found> found;
  for (const std::string& path : paths) {
    const size_t before = found.size();
    for (const std::string& file : internal::ManifestFiles(path)) {
      KEELSON_RETURN_IF_ERROR(ReadFile(file, /*only_definitions=*/file == path, found));
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
  const Result<Definition> updated = Modify<Definition>(client, {"", definition.metadata.name.str()},
                                                        [&](Definition& present) { present.spec = definition.spec; });
  return updated ? Result<void>() : updated.error();
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
