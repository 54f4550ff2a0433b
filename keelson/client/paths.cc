#include "keelson/client/paths.h"

#include <algorithm>
#include <array>

namespace keelson {

namespace {

// The characters of RFC 3986 that never need to be encoded.
constexpr std::array<bool, 256> kUnreserved = [] {
  std::array<bool, 256> characters = {};
  for (unsigned char c = 'a'; c <= 'z'; ++c) characters[c] = true;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) characters[c] = true;
  for (unsigned char c = '0'; c <= '9'; ++c) characters[c] = true;
  for (const char c : std::string_view("-._~")) characters[static_cast<unsigned char>(c)] = true;
  return characters;
}();

// Stands in a path as it is, and means nothing but itself there: most names are like that.
bool IsPlain(std::string_view segment) {
  return !segment.starts_with('.') &&
         std::all_of(segment.begin(), segment.end(), [](char c) { return kUnreserved[static_cast<unsigned char>(c)]; });
}

Result<void> CheckSegment(std::string_view what, std::string_view segment) {
  if (segment == "." || segment == ".." ||
      std::any_of(segment.begin(), segment.end(), [](char c) { return c == '/' || c == '%'; })) {
    return Error::InvalidArgument(
        "the " + std::string(what) + " \"" + std::string(segment) +
        "\" cannot stand in a path: expected no '/' and no '%', and neither \".\" nor \"..\"");
  }
  return {};
}

}  // namespace

void AppendPercentEncoded(std::string_view text, std::string& out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  while (true) {
    const auto plain = static_cast<size_t>(
        std::find_if(text.begin(), text.end(), [](char c) { return !kUnreserved[static_cast<unsigned char>(c)]; }) -
        text.begin());
    out.append(text.substr(0, plain));
    if (plain == text.size()) return;
    const auto byte = static_cast<unsigned char>(text[plain]);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    text.remove_prefix(plain + 1);
  }
}

std::string GroupVersionPath(const GroupVersion& group_version) {
  return (group_version.group.empty() ? "/api/" : "/apis/" + group_version.group + "/") + group_version.version;
}

Result<std::string> ResourcePath(const Resource& resource, std::string_view namespace_, std::string_view name,
                                 std::string_view subresource) {
  if (resource.plural.empty() || resource.version.empty()) {
    return Error::InvalidArgument("a resource needs a version and a plural name, found version \"" + resource.version +
                                  "\" and plural \"" + resource.plural + "\"");
  }
  const bool is_plain = IsPlain(namespace_) && IsPlain(name);
  if (!is_plain) {
    KEELSON_RETURN_IF_ERROR(CheckSegment("namespace", namespace_));
    KEELSON_RETURN_IF_ERROR(CheckSegment("name", name));
  }
  if (name.empty() && !subresource.empty()) {
    return Error::InvalidArgument("subresource \"" + std::string(subresource) + "\" of " +
                                  resource.group_resource().ToString() + " needs the name of an object");
  }
  std::string path;
  path.reserve(64 + namespace_.size() + name.size());
  const auto append = [&](std::string_view segment) {
    if (is_plain) {
      path += segment;
    } else {
      AppendPercentEncoded(segment, path);
    }
  };
  if (resource.group.empty()) {
    path += "/api/";
  } else {
    path += "/apis/";
    path += resource.group;
    path += '/';
  }
  path += resource.version;
  if (!namespace_.empty() && resource.scope != ResourceScope::kCluster) {
    path += "/namespaces/";
    append(namespace_);
  }
  path += '/';
  path += resource.plural;
  if (!name.empty()) {
    path += '/';
    append(name);
  }
  while (!subresource.empty()) {
    const size_t slash = subresource.find('/');
    const std::string_view segment = subresource.substr(0, slash);
    KEELSON_RETURN_IF_ERROR(CheckSegment("subresource", segment));
    path += '/';
    AppendPercentEncoded(segment, path);
    subresource = slash == std::string_view::npos ? std::string_view() : subresource.substr(slash + 1);
  }
  return path;
}

Query& Query::Add(std::string_view key, std::string_view value) {
  if (!text_.empty()) text_ += '&';
  AppendPercentEncoded(key, text_);
  text_ += '=';
  AppendPercentEncoded(value, text_);
  return *this;
}

}  // namespace keelson
