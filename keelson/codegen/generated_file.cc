#include "keelson/codegen/generated_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "keelson/core/ascii.h"

namespace keelson::codegen {

namespace {

namespace fs = std::filesystem;

enum class CommentStyle { kNone, kSlashes, kHashes, kBlock };

std::string_view TrimEnd(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t\r\n") + 1); }

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(TrimEnd(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool EveryLineBegins(const std::vector<std::string_view>& lines, std::string_view prefix) {
  return std::all_of(lines.begin(), lines.end(), [&](std::string_view line) {
    return line.empty() || line.substr(line.find_first_not_of(" \t")).starts_with(prefix);
  });
}

CommentStyle StyleOf(std::string_view licence) {
  const std::string_view text = Trim(licence);
  if (text.size() >= 4 && text.starts_with("/*") && text.find("*/", 2) == text.size() - 2) return CommentStyle::kBlock;
  const std::vector<std::string_view> lines = Lines(text);
  if (EveryLineBegins(lines, "//")) return CommentStyle::kSlashes;
  if (EveryLineBegins(lines, "#")) return CommentStyle::kHashes;
  return CommentStyle::kNone;
}

// `line` without `mark` and the space behind it.
std::string_view WithoutMark(std::string_view line, std::string_view mark) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || !line.substr(begin).starts_with(mark)) return line;
  line.remove_prefix(begin + mark.size());
  if (line.starts_with(' ')) line.remove_prefix(1);
  return line;
}

// The lines of the text itself.
std::vector<std::string_view> PlainLines(std::string_view licence, CommentStyle style) {
  std::string_view text = licence;
  if (style == CommentStyle::kBlock) {
    text = Trim(text);
    text = text.substr(2, text.size() - 4);
    while (text.starts_with('*')) text.remove_prefix(1);
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  std::vector<std::string_view> lines = Lines(TrimEnd(text));
  for (std::string_view& line : lines) {
    if (style == CommentStyle::kSlashes) line = WithoutMark(line, "//");
    if (style == CommentStyle::kHashes) line = WithoutMark(line, "#");
    if (style == CommentStyle::kBlock) line = WithoutMark(line, "*");
  }
  while (!lines.empty() && Trim(lines.front()).empty()) lines.erase(lines.begin());
  while (!lines.empty() && Trim(lines.back()).empty()) lines.pop_back();
  return lines;
}

std::string Commented(std::string_view licence, bool yaml) {
  const CommentStyle style = StyleOf(licence);
  const bool fits =
      yaml ? style == CommentStyle::kHashes : style == CommentStyle::kSlashes || style == CommentStyle::kBlock;
  std::string out;
  if (fits) {
    for (const std::string_view line : Lines(Trim(licence))) out.append(line) += '\n';
    return out;
  }
  for (const std::string_view line : PlainLines(licence, style)) {
    out += yaml ? "#" : "//";
    if (!line.empty()) out.append(" ").append(line);
    out += '\n';
  }
  return out;
}

Error Failure(std::string_view what, const fs::path& path, const std::error_code& reason) {
  return Error::InvalidArgument("cannot " + std::string(what) + " " + path.string() + ": " + reason.message());
}

std::error_code LastError() { return {errno, std::generic_category()}; }

// Nothing when there is no such file.
std::optional<std::string> ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<void> WriteAll(const fs::path& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return Failure("write", path, LastError());
  std::error_code error;
  while (!content.empty() && !error) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      error = LastError();
    } else {
      content.remove_prefix(static_cast<size_t>(written));
    }
  }
  if (::close(file) != 0 && !error) error = LastError();
  if (error) return Failure("write", path, error);
  return {};
}

// A set of files on their way to disk: first beside their places, then moved there. What is not committed when it is
// destroyed is undone.
class Transaction {
 public:
  Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    for (const Change& change : changes_) Undo(change);
  }

  Result<void> Prepare(const fs::path& path, std::string_view content) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) return Failure("make the directory", path.parent_path(), error);
    if (fs::is_directory(path, error)) {
      return Failure("write", path, std::make_error_code(std::errc::is_a_directory));
    }
    std::optional<std::string> old = ReadAll(path);
    if (old && *old == content) return {};
    changes_.push_back({.path = path, .temporary = path.string() + ".tmp" + std::to_string(::getpid()), .old = old});
    return WriteAll(changes_.back().temporary, content);
  }

  Result<void> Commit() {
    for (Change& change : changes_) {
      std::error_code error;
      fs::rename(change.temporary, change.path, error);
      if (error) return Failure("write", change.path, error);
      change.moved = true;
    }
    changes_.clear();
    return {};
  }

 private:
  struct Change {
    fs::path path;
    fs::path temporary;
    std::optional<std::string> old;
    bool moved = false;
  };

  // As well as it can be done: there is nobody to tell when it fails as well.
  static void Undo(const Change& change) {
    std::error_code ignored;
    if (!change.moved) {
      fs::remove(change.temporary, ignored);
    } else if (!change.old) {
      fs::remove(change.path, ignored);
    } else if (WriteAll(change.temporary, *change.old)) {
      fs::rename(change.temporary, change.path, ignored);
    }
  }

  std::vector<Change> changes_;
};

// Names of files come from users' CRDs too, and must not lead elsewhere.
bool StaysInside(const fs::path& path) {
  if (path.empty() || path.is_absolute() || !path.has_filename()) return false;
  return std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".." || part == "."; });
}

}  // namespace

void AddLicence(std::string_view licence, std::vector<GeneratedFile>& files) {
  if (Trim(licence).empty()) return;
  for (GeneratedFile& file : files) {
    const bool yaml = file.path.ends_with(".yaml") || file.path.ends_with(".yml");
    file.content = Commented(licence, yaml) + (yaml ? "" : "\n") + file.content;
  }
}

Result<void> WriteFiles(const std::string& directory, const std::vector<GeneratedFile>& files) {
  std::set<std::string> paths;
  for (const GeneratedFile& file : files) {
    if (!StaysInside(file.path)) {
      return Error::InvalidArgument("will not write '" + file.path + "': it is not a path inside " + directory);
    }
    if (!paths.insert(file.path).second) {
      return Error::InvalidArgument("two generated files have the path " + file.path);
    }
  }
  const fs::path root = directory.empty() ? "." : directory;
  Transaction transaction;
  for (const GeneratedFile& file : files) {
    KEELSON_RETURN_IF_ERROR(transaction.Prepare(root / file.path, file.content));
  }
  return transaction.Commit();
}

}  // namespace keelson::codegen
