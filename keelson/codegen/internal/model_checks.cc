#include "keelson/codegen/internal/model_checks.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace keelson::codegen::internal {

namespace {

// Those of bases stand at the same level.
void CheckJsonNames(const StructDecl& declaration, Diagnostics& problems) {
  std::map<std::string, const FieldDecl*> names;
  std::vector<const StructDecl*> levels = {&declaration};
  for (size_t i = 0; i < levels.size() && i < 1000; ++i) {
    levels.insert(levels.end(), levels[i]->bases.begin(), levels[i]->bases.end());
  }
  std::reverse(levels.begin(), levels.end());
  for (const StructDecl* level : levels) {
    for (const FieldDecl& field : level->fields) {
      const auto [same, is_new] = names.emplace(field.json_name, &field);
      if (is_new) continue;
      const bool own = level == &declaration;
      problems.Add(own ? field.position : declaration.position,
                   "'" + declaration.name + "' has the JSON name '" + field.json_name + "' twice: member '" +
                       same->second->member + "' at " + ToString(same->second->position) + " and member '" +
                       field.member + "' at " + ToString(field.position) +
                       ". Rename one, or give it a name with +keelson:json=NAME");
    }
  }
}

void CheckRoot(const StructDecl& declaration, Diagnostics& problems) {
  if (!SaysRoot(declaration) || IsRoot(declaration) || IsList(declaration)) return;
  problems.Add(declaration.position, "'" + declaration.name +
                                         "' is marked as a root object but has no metadata: write "
                                         "`keelson::metav1::ObjectMeta metadata;` in it, or take the marker away");
}

}  // namespace

void SortModel(SourceModel& model) {
  const auto by_directory = [](const std::unique_ptr<Package>& a, const std::unique_ptr<Package>& b) {
    return a->directory < b->directory;
  };
  std::sort(model.packages.begin(), model.packages.end(), by_directory);
  std::sort(model.imported.begin(), model.imported.end(), by_directory);
  for (const auto* packages : {&model.packages, &model.imported}) {
    for (const auto& package : *packages) {
      const auto in_order = [&](const auto& a, const auto& b) {
        const auto key = [&](const auto& declaration) {
          const auto header = std::find(package->headers.begin(), package->headers.end(), declaration->header);
          return std::tuple(header, declaration->position.line, declaration->position.column);
        };
        return key(a) < key(b);
      };
      std::sort(package->structs.begin(), package->structs.end(), in_order);
      std::sort(package->enums.begin(), package->enums.end(), in_order);
      std::sort(package->aliases.begin(), package->aliases.end(), in_order);
    }
  }
}

void CheckModel(const SourceModel& model, Diagnostics& problems) {
  for (const auto* packages : {&model.packages, &model.imported}) {
    for (const auto& package : *packages) {
      for (const auto& declaration : package->structs) {
        CheckJsonNames(*declaration, problems);
        CheckRoot(*declaration, problems);
      }
    }
  }
}

}  // namespace keelson::codegen::internal
