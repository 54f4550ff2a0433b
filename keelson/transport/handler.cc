#include "keelson/transport/handler.h"

namespace keelson {

std::shared_ptr<const Peer> NoPeer() {
  static const std::shared_ptr<const Peer> nobody = std::make_shared<const Peer>();
  return nobody;
}

void Respond(ResponseWriter& response, int status, std::string_view content_type, std::string body) {
  response.Start(status,
                 {{"Content-Type", std::string(content_type)}, {"Content-Length", std::to_string(body.size())}});
  if (!body.empty()) response.Write(String(body));
  response.Finish();
}

}  // namespace keelson
