// Tokens that requests bring: whatever is not ours is refused, also what differs from ours in one place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/apiserver/token_signer.h"
#include "keelson/apiserver/url_base64.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson;
  using namespace keelson::apiserver;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static TokenSigner signer;
  static const std::string token = signer.Sign(Json::Object({{"sub", "somebody"}})).value();

  Require(!signer.Verify(text));
  std::string decoded;
  if (DecodeUrlBase64(text, decoded)) {
    std::string again;
    Require(DecodeUrlBase64(EncodeUrlBase64(decoded), again) && again == decoded);
  }
  if (size < 2) return 0;
  // One character of a good token replaced. The bits that a part's last character has to spare are nobody's.
  std::string forged = token;
  const size_t at = (data[0] * size_t{256} + data[1]) % forged.size();
  forged[at] = size > 2 ? static_cast<char>(data[2]) : '.';
  const bool spare = at + 1 == forged.size();
  Require(forged == token || spare || !signer.Verify(forged));
  return 0;
}
