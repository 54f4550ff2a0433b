#include "keelson/controlplane/internal/manifest_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "keelson/codec/yaml_reader.h"

namespace keelson::internal {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

Error At(const std::string& place, const Error& error) { return Error(error).WithContext(place); }

std::vector<std::string> ManifestFiles(const std::string& path) {
  std::error_code problem;
  if (!fs::is_directory(path, problem)) return {path};
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, problem)) {
    const std::string extension = entry.path().extension();
    const bool wanted = extension == ".yaml" || extension == ".yml" || extension == ".json";
    if (wanted && entry.is_regular_file(problem)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::string> ReadManifestText(const std::string& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    return Error::NotFound(fmt::format("cannot read '{}': {}", file, std::strerror(errno ? errno : EIO)));
  }
  return text;
}

Result<std::vector<ManifestDocument>> ReadManifestDocuments(const std::string& file) {
  KEELSON_TRY(text, ReadManifestText(file));
  std::vector<ManifestDocument> documents;
  for (const Document& document : DocumentsOf(text)) {
    Result<std::string> json = YamlToJson(document.text);
    if (!json) return At(file, json.error());
    if (*json == "null") continue;
    documents.push_back({.place = fmt::format("{}:{}", file, document.first_line), .json = *std::move(json)});
  }
  return documents;
}

}  // namespace keelson::internal
