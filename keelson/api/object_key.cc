#include "keelson/api/object_key.h"

#include "keelson/api/internal/quote.h"

namespace keelson {

Result<ObjectKey> ObjectKey::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return ObjectKey{"", std::string(text)};
  if (text.find('/', slash + 1) != std::string_view::npos) {
    return Error::InvalidArgument("unexpected key format: " + internal::Quote(text));
  }
  return ObjectKey{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

std::string ObjectKey::ToString() const { return namespace_.empty() ? name : namespace_ + "/" + name; }

}  // namespace keelson
