// Addresses of mail as Go's net/mail reads them (RFC 5322 with its comments, groups and quoted texts). Encoded words in
// a name are taken as they are: only one with a foreign character set would be refused upstream.
#include <algorithm>
#include <optional>
#include <string_view>

#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/schema/formats.h"
#include "keelson/codec/json_scalars.h"

namespace keelson::apiserver {

namespace {

class AddressReader {
 public:
  explicit AddressReader(std::string_view text) : rest_(text) {}

  bool ReadSingle() {
    int addresses = 0;
    return ReadAddress(true, addresses) && SkipComments() && rest_.empty() && addresses == 1;
  }

 private:
  // One address, or a group of any number when `groups` says so. Groups do not nest, so neither does this.
  bool ReadAddress(bool groups, int& addresses) {
    SkipSpace();
    if (rest_.empty()) return false;
    if (ReadSpec()) {
      ++addresses;
      SkipSpace();
      return !Take('(') || ReadComment();
    }
    if (rest_.front() != '<' && !ReadPhrase()) return false;
    SkipSpace();
    if (groups && Take(':')) return ReadGroup(addresses);
    ++addresses;
    return Take('<') && ReadSpec() && Take('>');
  }

  bool ReadGroup(int& addresses) {
    SkipSpace();
    if (Take(';')) return SkipComments();
    while (true) {
      if (!ReadAddress(false, addresses) || !SkipComments()) return false;
      if (Take(';')) return SkipComments();
      if (!Take(',')) return false;
    }
  }

  // "local@domain"; leaves everything as it was when there is none.
  bool ReadSpec() {
    const std::string_view before = rest_;
    if (ReadLocalPart() && Take('@') && ReadDomain()) return true;
    rest_ = before;
    return false;
  }

  bool ReadLocalPart() {
    SkipSpace();
    if (!rest_.starts_with('"')) return ReadAtom(false);
    const size_t before = rest_.size();
    return ReadQuoted() && before - rest_.size() > 2;
  }

  bool ReadDomain() {
    SkipSpace();
    if (!Take('[')) return ReadAtom(false);
    const size_t end = rest_.find(']');
    if (end == std::string_view::npos) return false;
    const std::optional<IpAddress> address = ParseIp(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return address && address->strict;
  }

  // Words before '<' or ':'. The first one that cannot be read ends it, and is an error when it is the only one.
  bool ReadPhrase() {
    for (bool first = true;; first = false) {
      if (!first && !SkipComments()) return false;
      SkipSpace();
      if (rest_.empty()) return true;
      if (rest_.front() == '"' ? !ReadQuoted() : !ReadAtom(true)) return !first;
    }
  }

  bool ReadQuoted() {
    size_t at = 1;
    while (at < rest_.size() && rest_[at] != '"') {
      if (rest_[at] == '\\' && ++at == rest_.size()) return false;
      const size_t length = internal::ValidUtf8Length(rest_.substr(at));
      if (length == 0 || (length == 1 && !IsVisible(rest_[at]) && rest_[at] != ' ' && rest_[at] != '\t')) return false;
      at += length;
    }
    if (at >= rest_.size()) return false;
    rest_.remove_prefix(at + 1);
    return true;
  }

  bool ReadAtom(bool permissive) {
    size_t at = 0;
    while (at < rest_.size()) {
      const size_t length = internal::ValidUtf8Length(rest_.substr(at));
      if (length == 0) return false;
      if (length == 1 && !IsAtomCharacter(rest_[at])) break;
      at += length;
    }
    if (at == 0) return false;
    const std::string_view atom = rest_.substr(0, at);
    rest_.remove_prefix(at);
    return permissive || (!atom.starts_with('.') && !atom.ends_with('.') && atom.find("..") == std::string_view::npos);
  }

  bool SkipComments() {
    SkipSpace();
    while (Take('(')) {
      if (!ReadComment()) return false;
      SkipSpace();
    }
    return true;
  }

  // Behind its opening parenthesis.
  bool ReadComment() {
    size_t depth = 1;
    while (!rest_.empty() && depth > 0) {
      if (rest_.front() == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
      } else if (rest_.front() == '(') {
        ++depth;
      } else if (rest_.front() == ')') {
        --depth;
      }
      rest_.remove_prefix(1);
    }
    return depth == 0;
  }

  static bool IsVisible(char c) { return c > ' ' && c <= '~'; }
  static bool IsAtomCharacter(char c) {
    return IsVisible(c) && std::string_view("()<>[]:;@\\,\"").find(c) == std::string_view::npos;
  }
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void SkipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  std::string_view rest_;
};

}  // namespace

bool IsEmailAddress(std::string_view text) { return AddressReader(text).ReadSingle(); }

}  // namespace keelson::apiserver
