#include <algorithm>
#include <string_view>

#include "keelson/apiserver/kinds/pod_spec.h"

namespace keelson::apiserver {

namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) { return IsLower(c) || IsUpper(c) || IsDigit(c); }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

// Lower case letters and digits, joined by ".", "_", "__" or any number of "-".
bool IsPathComponent(std::string_view text) {
  const auto plain = [](char c) { return IsLower(c) || IsDigit(c); };
  size_t i = 0;
  while (true) {
    const size_t start = i;
    while (i < text.size() && plain(text[i])) ++i;
    if (i == start) return false;
    if (i == text.size()) return true;
    if (text[i] == '-') {
      while (i < text.size() && text[i] == '-') ++i;
    } else if (text[i] == '_') {
      i += text.substr(i).starts_with("__") ? 2 : 1;
    } else if (text[i] == '.') {
      ++i;
    } else {
      return false;
    }
  }
}

bool IsPath(std::string_view text) {
  while (true) {
    const size_t slash = text.find('/');
    if (!IsPathComponent(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

// A host with an optional port.
bool IsDomain(std::string_view text) {
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos || end == 1) return false;
    const std::string_view address = text.substr(1, end - 1);
    if (!std::all_of(address.begin(), address.end(),
                     [](char c) { return IsHex(c) || c == ':' || (c >= 'A' && c <= 'F'); })) {
      return false;
    }
    text.remove_prefix(end + 1);
    if (text.empty()) return true;
    text.remove_prefix(1);
    return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
  }
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !std::all_of(port.begin(), port.end(), IsDigit)) return false;
    text = text.substr(0, colon);
  }
  while (true) {
    const size_t dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    if (label.empty() || label.front() == '-' || label.back() == '-') return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return IsAlphanumeric(c) || c == '-'; })) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsTag(std::string_view text) {
  if (text.empty() || text.size() > 128 || text[0] == '.' || text[0] == '-') return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '_' || c == '.' || c == '-'; });
}

bool IsDigest(std::string_view text) {
  for (const auto& [algorithm, length] :
       {std::pair<std::string_view, size_t>{"sha256:", 64}, {"sha384:", 96}, {"sha512:", 128}}) {
    if (!text.starts_with(algorithm)) continue;
    text.remove_prefix(algorithm.size());
    return text.size() == length && std::all_of(text.begin(), text.end(), IsHex);
  }
  return false;
}

}  // namespace

// What is not a valid reference is nobody's newest image.
bool IsLatestImage(std::string_view image) {
  if (image.size() == 64 && std::all_of(image.begin(), image.end(), IsHex)) return false;
  std::string_view rest = image;
  size_t name_length = 0;
  const size_t slash = image.find('/');
  const std::string_view first = image.substr(0, slash);
  if (slash != std::string_view::npos && (first.find_first_of(".:") != std::string_view::npos || first == "localhost" ||
                                          std::any_of(first.begin(), first.end(), IsUpper))) {
    if (!IsDomain(first)) return false;
    name_length = first.size() + 1;
    rest = image.substr(slash + 1);
  } else {
    name_length = std::string_view("docker.io/").size();
  }

  const size_t at = rest.find('@');
  const bool has_digest = at != std::string_view::npos;
  if (has_digest && !IsDigest(rest.substr(at + 1))) return false;
  rest = rest.substr(0, at);
  const size_t colon = rest.find(':');
  const bool has_tag = colon != std::string_view::npos;
  const std::string_view tag = has_tag ? rest.substr(colon + 1) : std::string_view();
  if (has_tag && !IsTag(tag)) return false;
  const std::string_view path = rest.substr(0, colon);
  if (!IsPath(path) || name_length + path.size() > 255) return false;
  return has_tag ? tag == "latest" : !has_digest;
}

}  // namespace keelson::apiserver
