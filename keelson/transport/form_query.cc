#include "keelson/transport/form_query.h"

#include <algorithm>

namespace keelson {

namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else if (text[i] == '+' && plus_is_blank) {
      decoded += ' ';
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

FormQuery FormQuery::Parse(std::string_view text) {
  FormQuery query;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = PercentDecode(pair.substr(0, equals), true);
    std::optional<std::string> value = PercentDecode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (name && value) query.parameters_.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

const std::string* FormQuery::First(std::string_view name) const {
  const auto found =
      std::find_if(parameters_.begin(), parameters_.end(), [&](const auto& each) { return each.first == name; });
  return found == parameters_.end() ? nullptr : &found->second;
}

std::vector<std::string> FormQuery::All(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [each, value] : parameters_) {
    if (each == name) values.push_back(value);
  }
  return values;
}

}  // namespace keelson
