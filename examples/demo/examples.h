// The examples by their folders: examples/<name>/config says what to apply, <name>-operator is the program.
#pragma once

#include <string>
#include <vector>

#include "keelson/codec/unstructured.h"
#include "keelson/core/result.h"

namespace demo {

struct Example {
  std::string name;     // "app_service"
  std::string program;  // "app-service-operator"
  std::string config;   // "examples/app_service/config"
  std::string crds;     // the folder; empty when it brings none
  // What the program needs to be told beside the kubeconfig: the lines of config/demo.flags, in which {config} stands
  // for the folder above and {dir} for the demo's own.
  std::vector<std::string> flags;

  std::vector<std::string> FlagsIn(const std::string& dir) const;
};

// Every folder in `folder` that has a folder `config`, by name. None at all is an error.
keelson::Result<std::vector<Example>> FindExamples(const std::string& folder);

// All documents of config/samples/*.yaml, files by name; those of folders below do not count.
keelson::Result<std::vector<keelson::Unstructured>> ReadSamples(const Example& example);

}  // namespace demo
