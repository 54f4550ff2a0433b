#include "keelson/controlplane/manifests.h"

#include <utility>

#include "keelson/controlplane/internal/manifest_files.h"

namespace keelson {

Result<std::vector<Unstructured>> ReadManifests(const std::string& path) {
  std::vector<Unstructured> objects;
  for (const std::string& file : internal::ManifestFiles(path)) {
    KEELSON_TRY(documents, internal::ReadManifestDocuments(file));
    for (const internal::ManifestDocument& document : documents) {
      Result<Unstructured> object = Unstructured::Parse(document.json);
      if (!object) return internal::At(document.place, object.error());
      objects.push_back(*std::move(object));
    }
  }
  if (objects.empty()) {
    return Error::NotFound("there is no object in '" + path +
                           "'; name a file, or a folder with files *.yaml, *.yml or *.json");
  }
  return objects;
}

Result<std::vector<Unstructured>> CreateManifests(const Client& client, const std::string& path,
                                                  const std::string& namespace_) {
  KEELSON_TRY(objects, ReadManifests(path));
  const Client in_namespace = client.Scope(namespace_);
  for (Unstructured& object : objects) {
    // A client of one namespace would refuse what names another.
    KEELSON_TRY(created, object.GetNamespace().empty() ? in_namespace.Create(object) : client.Create(object));
    object = std::move(created);
  }
  return objects;
}

}  // namespace keelson
