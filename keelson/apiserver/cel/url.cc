#include "keelson/apiserver/cel/url.h"

#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/cel/ip_prefix.h"
#include "keelson/apiserver/go_text.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver::cel {

namespace {

constexpr size_t kMaxQueryParameters = 10'000;

// Which part of a URL a text belongs to: it decides what has to be escaped.
enum class Part : uint8_t { kPath, kHost, kZone, kUser, kQuery, kFragment };

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool IsOneOf(char c, std::string_view characters) { return characters.find(c) != std::string_view::npos; }

bool MustEscape(char c, Part part) {
  if (IsAlphanumeric(c) || IsOneOf(c, "-_.~")) return false;
  switch (part) {
    case Part::kPath: return !IsOneOf(c, "$&+,/:;=@");
    case Part::kHost:
    case Part::kZone: return !IsOneOf(c, "!$&'()*+,;=:[]<>\"");
    case Part::kUser: return !IsOneOf(c, "$&+,;=");
    case Part::kQuery: return true;
    case Part::kFragment: return !IsOneOf(c, "$&+,/:;=?@!()*");
  }
  return true;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = AsciiLower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string Escape(std::string_view text, Part part) {
  std::string escaped;
  for (const char c : text) {
    if (MustEscape(c, part)) {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

Result<std::string> Unescape(std::string_view text, Part part) {
  const auto bad_escape = [](std::string_view sequence) {
    return Error::InvalidArgument("invalid URL escape " + Quoted(sequence));
  };
  const bool in_host = part == Part::kHost || part == Part::kZone;
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      const std::string_view sequence = text.substr(i, 3);
      const int high = sequence.size() == 3 ? HexDigit(sequence[1]) : -1;
      const int low = sequence.size() == 3 ? HexDigit(sequence[2]) : -1;
      if (high < 0 || low < 0) return bad_escape(sequence);
      const char decoded = static_cast<char>(high << 4 | low);
      // A host may escape bytes beyond ASCII only; its zone what a host may hold, and blanks.
      if (part == Part::kHost && high < 8 && sequence != "%25") return bad_escape(sequence);
      if (part == Part::kZone && sequence != "%25" && decoded != ' ' && MustEscape(decoded, Part::kHost)) {
        return bad_escape(sequence);
      }
      plain += decoded;
      i += 2;
    } else if (c == '+' && part == Part::kQuery) {
      plain += ' ';
    } else if (in_host && static_cast<unsigned char>(c) < 0x80 && MustEscape(c, part)) {
      return Error::InvalidArgument(fmt::format("invalid character {} in host name", Quoted(text.substr(i, 1))));
    } else {
      plain += c;
    }
  }
  return plain;
}

// Whether the text needs no escaping beyond what it has.
bool IsEscaped(std::string_view text, Part part) {
  return std::none_of(text.begin(), text.end(),
                      [part](char c) { return !IsOneOf(c, "!$&'()*+,;=:@[]%") && MustEscape(c, part); });
}

// The encoded form: the one that the text came with when it means the same, else the usual one.
std::string Encoded(const std::string& raw, const std::string& decoded, Part part) {
  if (!raw.empty() && IsEscaped(raw, part)) {
    if (const Result<std::string> again = Unescape(raw, part); again && *again == decoded) return raw;
  }
  return Escape(decoded, part);
}

bool IsOptionalPort(std::string_view port) {
  if (port.empty()) return true;
  return port[0] == ':' && port.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

Error BadPort(std::string_view port) {
  return Error::InvalidArgument(fmt::format("invalid port {} after host", Quoted(port)));
}

// "[fe80::1%25en0]:80"
Result<std::string> ReadBracketedHost(std::string_view host) {
  const size_t close = host.rfind(']');
  if (close == std::string_view::npos) return Error::InvalidArgument("missing ']' in host");
  const std::string_view port = host.substr(close + 1);
  if (!IsOptionalPort(port)) return BadPort(port);
  const std::string_view name = host.substr(1, close - 1);
  const size_t zone = name.find("%25");
  KEELSON_TRY(address, Unescape(name.substr(0, zone), Part::kHost));
  if (zone != std::string_view::npos) {
    KEELSON_TRY(decoded_zone, Unescape(name.substr(zone), Part::kZone));
    address += decoded_zone;
  }
  const Result<IpAddr> ip = IpAddr::Parse(address);
  if (!ip) return Error::InvalidArgument("invalid host: " + ip.error().message());
  if (ip->v4) return Error::InvalidArgument("invalid IP-literal");
  return fmt::format("[{}]{}", address, port);
}

Result<std::string> ReadHost(std::string_view scheme, std::string_view host) {
  if (const size_t bracket = host.rfind('['); bracket != std::string_view::npos) {
    if (bracket > 0) return Error::InvalidArgument("invalid IP-literal");
    return ReadBracketedHost(host);
  }
  // Schemes of databases may list several hosts with ports; those of the web have one colon at most.
  const bool web = scheme == "http" || scheme == "https";
  if (const size_t colon = web ? host.find(':') : host.rfind(':'); colon != std::string_view::npos) {
    if (!IsOptionalPort(host.substr(colon))) return BadPort(host.substr(colon));
  }
  return Unescape(host, Part::kHost);
}

bool IsUserinfo(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || IsOneOf(c, "-._:~!$&'()*+,;=%@"); });
}

// What stands between "//" and the next slash.
Result<int> ReadAuthority(std::string_view authority, Url& url) {
  const size_t at = authority.rfind('@');
  const bool has_user = at != std::string_view::npos;
  KEELSON_TRY(host, ReadHost(url.scheme, has_user ? authority.substr(at + 1) : authority));
  url.host = std::move(host);
  if (!has_user) return 0;
  const std::string_view user = authority.substr(0, at);
  if (!IsUserinfo(user)) return Error::InvalidArgument("net/url: invalid userinfo");
  const size_t colon = user.find(':');
  KEELSON_TRY(name, Unescape(user.substr(0, colon), Part::kUser));
  url.user.emplace(std::move(name), std::nullopt);
  if (colon != std::string_view::npos) {
    KEELSON_TRY(password, Unescape(user.substr(colon + 1), Part::kUser));
    url.user->second = std::move(password);
  }
  return 0;
}

// The scheme, which is cut off `rest` together with its colon; empty when there is none.
Result<std::string> TakeScheme(std::string_view& rest) {
  const size_t end =
      std::find_if_not(rest.begin(), rest.end(), [](char c) { return IsAlphanumeric(c) || IsOneOf(c, "+-."); }) -
      rest.begin();
  if (end == rest.size() || rest[end] != ':') return std::string();
  if (end == 0) return Error::InvalidArgument("missing protocol scheme");
  if (!IsAlphanumeric(rest[0]) || (rest[0] >= '0' && rest[0] <= '9')) return std::string();
  std::string scheme = AsciiLower(rest.substr(0, end));
  rest.remove_prefix(end + 1);
  return scheme;
}

Result<Url> ReadUrl(std::string_view text, bool of_request) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    return Error::InvalidArgument("net/url: invalid control character in URL");
  }
  if (text.empty() && of_request) return Error::InvalidArgument("empty url");
  Url url;
  if (text == "*") {
    url.path = "*";
    return url;
  }
  std::string_view rest = text;
  KEELSON_TRY(scheme, TakeScheme(rest));
  url.scheme = std::move(scheme);
  if (const size_t question = rest.find('?'); question != std::string_view::npos) {
    url.force_query = question + 1 == rest.size();
    url.raw_query = rest.substr(question + 1);
    rest = rest.substr(0, question);
  }
  if (!rest.starts_with('/')) {
    if (!url.scheme.empty()) {
      url.opaque = rest;
      return url;
    }
    if (of_request) return Error::InvalidArgument("invalid URI for request");
    if (rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) {
      return Error::InvalidArgument("first path segment in URL cannot contain colon");
    }
  }
  const bool may_have_host = !url.scheme.empty() || (!of_request && !rest.starts_with("///"));
  if (may_have_host && rest.starts_with("//")) {
    const std::string_view authority = rest.substr(2, rest.find('/', 2) - 2);
    KEELSON_TRY(done, ReadAuthority(authority, url));
    static_cast<void>(done);
    rest.remove_prefix(2 + authority.size());
  } else if (!url.scheme.empty() && rest.starts_with('/')) {
    url.omit_host = true;
  }
  KEELSON_TRY(path, Unescape(rest, Part::kPath));
  url.path = std::move(path);
  if (Escape(url.path, Part::kPath) != rest) url.raw_path = rest;
  return url;
}

Error ParseError(std::string_view text, const Error& error) {
  return Error::InvalidArgument(fmt::format("parse {}: {}", Quoted(text), error.message()));
}

}  // namespace

Result<Url> Url::ParseRequest(std::string_view text) {
  Result<Url> url = ReadUrl(text, true);
  if (!url) return ParseError(text, url.error());
  return url;
}

Result<Url> Url::Parse(std::string_view text) {
  const size_t hash = text.find('#');
  const std::string_view before = text.substr(0, hash);
  Result<Url> url = ReadUrl(before, false);
  if (!url) return ParseError(before, url.error());
  if (hash == std::string_view::npos) return url;
  const std::string_view raw = text.substr(hash + 1);
  Result<std::string> fragment = Unescape(raw, Part::kFragment);
  if (!fragment) return ParseError(text, fragment.error());
  url->fragment = std::move(*fragment);
  if (Escape(url->fragment, Part::kFragment) != raw) url->raw_fragment = raw;
  return url;
}

namespace {

// The place of the colon before a port; npos when there is none.
size_t PortColon(std::string_view host) {
  const size_t colon = host.rfind(':');
  return colon != std::string_view::npos && IsOptionalPort(host.substr(colon)) ? colon : std::string_view::npos;
}

}  // namespace

std::string Url::Hostname() const {
  const std::string_view name = std::string_view(host).substr(0, PortColon(host));
  if (name.starts_with('[') && name.ends_with(']')) return std::string(name.substr(1, name.size() - 2));
  return std::string(name);
}

std::string Url::Port() const {
  const size_t colon = PortColon(host);
  return colon == std::string::npos ? std::string() : host.substr(colon + 1);
}

std::string Url::EscapedPath() const { return path == "*" ? path : Encoded(raw_path, path, Part::kPath); }

std::vector<std::pair<std::string, std::vector<std::string>>> Url::Query() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> query;
  if (static_cast<size_t>(std::count(raw_query.begin(), raw_query.end(), '&')) + 1 > kMaxQueryParameters) return query;
  std::string_view rest = raw_query;
  while (!rest.empty()) {
    const size_t end = rest.find('&');
    const std::string_view setting = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (setting.empty() || setting.find(';') != std::string_view::npos) continue;
    const size_t equals = setting.find('=');
    Result<std::string> key = Unescape(setting.substr(0, equals), Part::kQuery);
    Result<std::string> value = equals == std::string_view::npos ? Result<std::string>(std::string())
                                                                 : Unescape(setting.substr(equals + 1), Part::kQuery);
    if (!key || !value) continue;
    auto known = std::find_if(query.begin(), query.end(), [&](const auto& entry) { return entry.first == *key; });
    if (known == query.end()) known = query.insert(known, {*key, {}});
    known->second.push_back(std::move(*value));
  }
  return query;
}

std::string Url::ToString() const {
  std::string text;
  if (!scheme.empty()) text = scheme + ":";
  if (!opaque.empty()) {
    text += opaque;
  } else {
    const bool has_authority = !host.empty() || user.has_value();
    if (has_authority || (!scheme.empty() && !omit_host && !path.empty())) text += "//";
    if (user) {
      text += Escape(user->first, Part::kUser);
      if (user->second) text += ":" + Escape(*user->second, Part::kUser);
      text += "@";
    }
    text += Escape(host, Part::kHost);
    const std::string encoded = EscapedPath();
    if (!encoded.empty() && encoded[0] != '/' && !host.empty()) text += '/';
    // A first segment with a colon would read as a scheme.
    if (text.empty() && encoded.substr(0, encoded.find('/')).find(':') != std::string::npos) text = "./";
    text += encoded;
  }
  if (force_query || !raw_query.empty()) text += "?" + raw_query;
  if (!fragment.empty()) text += "#" + Encoded(raw_fragment, fragment, Part::kFragment);
  return text;
}

}  // namespace keelson::apiserver::cel
