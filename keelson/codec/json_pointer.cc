#include "keelson/codec/json_pointer.h"

#include <charconv>

namespace keelson {

namespace {

std::string Unescape(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  while (!token.empty()) {
    const bool is_slash = token.starts_with("~1");
    const bool is_escape = is_slash || token.starts_with("~0");
    out += is_slash ? '/' : token.front();
    token.remove_prefix(is_escape ? 2 : 1);
  }
  return out;
}

void AppendEscaped(std::string& out, std::string_view token) {
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

const Json* FindChild(const Json& parent, std::string_view token) {
  if (!parent.is_list()) return parent.find(token);
  const std::optional<size_t> index = ParseArrayIndex(token, parent.list().size());
  return index ? &parent.list()[*index] : nullptr;
}

}  // namespace

Result<JsonPointer> JsonPointer::Parse(std::string_view text) {
  std::vector<std::string> tokens;
  std::string_view rest = text;
  while (!rest.empty()) {
    if (rest.front() != '/') {
      return Error::InvalidArgument("JSON pointer \"" + std::string(text) +
                                    "\": expected it to be empty or to start with '/'");
    }
    rest.remove_prefix(1);
    const std::string_view token = rest.substr(0, rest.find('/'));
    rest.remove_prefix(token.size());
    tokens.push_back(Unescape(token));
  }
  return JsonPointer(std::move(tokens));
}

JsonPointer JsonPointer::Child(std::string_view token) const {
  JsonPointer child = *this;
  child.tokens_.emplace_back(token);
  return child;
}

std::string JsonPointer::ToString() const {
  std::string out;
  for (const std::string& token : tokens_) {
    out += '/';
    AppendEscaped(out, token);
  }
  return out;
}

const Json* JsonPointer::Find(const Json& document) const& {
  const Json* at = &document;
  for (const std::string& token : tokens_) {
    at = FindChild(*at, token);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::optional<size_t> ParseArrayIndex(std::string_view token, size_t size) {
  if (token.size() > 1 && token.front() == '+' && token[1] != '-') token.remove_prefix(1);
  int64_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  const auto count = static_cast<int64_t>(size);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  return static_cast<size_t>(index);
}

}  // namespace keelson
