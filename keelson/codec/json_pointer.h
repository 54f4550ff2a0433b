// A place in a JSON document (RFC 6901): "/spec/containers/0/image".
//
//   Result<JsonPointer> pointer = JsonPointer::Parse("/metadata/annotations/example.com~1owner");
//   if (const Json* owner = pointer->Find(document)) …
//
// "~1" stands for '/' inside a token and "~0" for '~'. The empty pointer is the whole document. Beyond the RFC, as
// Kubernetes does: a '~' that escapes nothing is itself, and an index may have a sign or leading zeros; -1 is the last
// element.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/core/result.h"

namespace keelson {

class JsonPointer {
 public:
  JsonPointer() = default;
  // JsonPointer{"spec", "replicas"}: tokens as they are, not escaped.
  JsonPointer(std::initializer_list<std::string_view> tokens) : tokens_(tokens.begin(), tokens.end()) {}
  explicit JsonPointer(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

  static Result<JsonPointer> Parse(std::string_view text);

  const std::vector<std::string>& tokens() const& { return tokens_; }
  const std::vector<std::string>& tokens() && = delete;
  bool is_root() const { return tokens_.empty(); }
  size_t depth() const { return tokens_.size(); }
  JsonPointer Child(std::string_view token) const;
  std::string ToString() const;

  // The value there, or null when there is none.
  const Json* Find(const Json& document) const&;

  friend bool operator==(const JsonPointer&, const JsonPointer&) = default;

 private:
  std::vector<std::string> tokens_;
};

// The position that `token` names in an array of that size, if it names one.
std::optional<size_t> ParseArrayIndex(std::string_view token, size_t size);

}  // namespace keelson
