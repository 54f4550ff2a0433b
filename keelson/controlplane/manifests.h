// Objects from files, as users hand them to a server.
//
//   KEELSON_TRY(created, CreateManifests(client, "config/samples/app.yaml"));   // its documents, in their order
//   KEELSON_TRY(samples, ReadManifests("config/samples"));                      // of all files of a folder
#pragma once

#include <string>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/codec/unstructured.h"
#include "keelson/core/result.h"

namespace keelson {

// Of a file (YAML or JSON, of any number of documents), or of the files *.yaml, *.yml and *.json of a folder, by name;
// folders in it are left out. An error names the file and the line. It is one when there is no object at all.
Result<std::vector<Unstructured>> ReadManifests(const std::string& path);

// Creates them one after another, up to the first that the server refuses. What names no namespace and is of a kind
// that has some goes to the one given. Gives them as the server has them.
Result<std::vector<Unstructured>> CreateManifests(const Client& client, const std::string& path,
                                                  const std::string& namespace_ = "default");

}  // namespace keelson
