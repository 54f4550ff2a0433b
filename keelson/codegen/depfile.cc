#include "keelson/codegen/depfile.h"

#include <filesystem>

namespace keelson::codegen {

namespace fs = std::filesystem;

namespace {

// Absolute, because make and Ninja do not run where we do; blanks, `#` and `$` by the rules of make.
std::string Escaped(const std::string& path) {
  std::error_code ignored;
  std::string out;
  for (const char c : fs::absolute(path, ignored).lexically_normal().string()) {
    if (c == ' ' || c == '#') out += '\\';
    if (c == '$') out += '$';
    out += c;
  }
  return out;
}

}  // namespace

Result<void> WriteDepfile(const std::string& path, const std::string& output_directory,
                          const std::vector<GeneratedFile>& outputs, const std::vector<std::string>& inputs) {
  std::string text;
  for (const GeneratedFile& output : outputs) {
    text += (text.empty() ? "" : " ") + Escaped((fs::path(output_directory) / output.path).string());
  }
  text += ":";
  for (const std::string& input : inputs) text += " \\\n  " + Escaped(input);
  text += "\n";
  const fs::path file(path);
  const fs::path directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return WriteFiles(directory.string(), {{file.filename().string(), std::move(text)}});
}

}  // namespace keelson::codegen
