#include "keelson/cli/token_file.h"

#include <fmt/format.h>

#include "keelson/core/ascii.h"

namespace keelson::cli {
namespace {

// The columns of a line; a column in quotes may hold commas, and a quote as two.
Result<std::vector<std::string>> Columns(std::string_view line) {
  std::vector<std::string> columns(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      columns.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      columns.emplace_back();
    } else {
      columns.back() += c;
    }
  }
  if (quoted) return Error::InvalidArgument("a quote is not closed");
  for (std::string& column : columns) column = std::string(Trim(column));
  return columns;
}

}  // namespace

Result<std::vector<std::pair<std::string, apiserver::User>>> ParseTokenFile(std::string_view text,
                                                                            std::string_view file) {
  std::vector<std::pair<std::string, apiserver::User>> tokens;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    Result<std::vector<std::string>> columns = Columns(line);
    if (columns && (columns->size() < 3 || columns->front().empty())) {
      columns = Error::InvalidArgument("expected token,user,uid and optionally \"group1,group2\"");
    }
    if (!columns) {
      return Error::InvalidArgument(fmt::format("{}:{}: {}", file, number, columns.error().message()));
    }
    apiserver::User user{.name = (*columns)[1], .uid = (*columns)[2]};
    std::string_view groups = columns->size() > 3 ? std::string_view((*columns)[3]) : std::string_view();
    while (!groups.empty()) {
      const size_t comma = std::min(groups.find(','), groups.size());
      if (const std::string_view group = Trim(groups.substr(0, comma)); !group.empty()) user.groups.emplace_back(group);
      groups.remove_prefix(std::min(comma + 1, groups.size()));
    }
    tokens.emplace_back((*columns)[0], std::move(user));
  }
  return tokens;
}

}  // namespace keelson::cli
