#include "keelson/apiserver/continue_token.h"

#include "keelson/api/json.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/url_base64.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

Error NotValid(std::string_view why) {
  return apierrors::BadRequest("invalid continue token: continue key is not valid: " + std::string(why));
}

}  // namespace

std::string ContinueToken::Encode() const {
  // The zero byte is the smallest key that comes behind the last one.
  std::string start = after_namespace.empty() ? after_name : after_namespace + "/" + after_name;
  start += '\0';
  return EncodeUrlBase64(
      ToJson(Json::Object({{"v", "meta.k8s.io/v1"}, {"rv", Json(revision)}, {"start", Json("/" + start)}})));
}

Result<ContinueToken> ContinueToken::Parse(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string decoded;
  if (!DecodeUrlBase64(text, decoded)) return NotValid("it is not base64");
  Result<Json> tree = ParseJson(decoded);
  if (!tree) return NotValid(tree.error().message());
  const Json* version = tree->find("v");
  const Json* revision = tree->find("rv");
  const Json* start = tree->find("start");
  if (version == nullptr || *version != Json("meta.k8s.io/v1")) {
    return NotValid("server does not recognize this encoded version");
  }
  if (revision == nullptr || !revision->is_int() || revision->integer() == 0) {
    return NotValid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (start == nullptr || !start->is_string() || start->string().empty()) {
    return NotValid("encoded start key empty (version meta.k8s.io/v1)");
  }
  std::string key = start->string().str();
  while (!key.empty() && key.back() == '\0') key.pop_back();
  if (key.starts_with('/')) key.erase(0, 1);
  ContinueToken token{.revision = revision->integer()};
  const size_t slash = key.find('/');
  if (slash == std::string::npos) {
    token.after_name = key;
  } else {
    token.after_namespace = key.substr(0, slash);
    token.after_name = key.substr(slash + 1);
  }
  return token;
}

}  // namespace keelson::apiserver
