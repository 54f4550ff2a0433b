// CustomResourceDefinitions from files into a server, ready to use.
#pragma once

#include <string>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/core/result.h"

namespace keelson {

// Files (YAML or JSON, of any number of documents) hold definitions and nothing else. Of a folder the files *.yaml,
// *.yml and *.json count, not those of folders below, and documents of other kinds in them are passed over: a
// kustomization may lie beside them. A definition that the server has already becomes the one of the file. Returns once
// all of them are Established. Errors name the file and the line at which the document begins; what was installed
// before stays.
Result<void> InstallDefinitions(const Client& client, const std::vector<std::string>& paths);

}  // namespace keelson
