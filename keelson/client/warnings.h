// Warnings that a server sends along with its answers: deprecated versions, unknown fields, risky settings.
//
//   WarningTransport heard(transport);   // logs each text once
//   WarningTransport shown(transport, [](const ServerWarning& warning) { Print("Warning: {}", warning.text); });
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "keelson/core/mutex.h"
#include "keelson/transport/transport.h"

namespace keelson {

// One `Warning` of RFC 7234.
struct ServerWarning {
  int code = 0;  // 299 from a Kubernetes API server
  std::string agent = {};
  std::string text = {};
};

// The warnings of one header, which may hold several: `299 - "text", 299 - "another" "date"`. What stands behind
// something malformed is not read. Text with control characters or that is not UTF-8 is malformed.
std::vector<ServerWarning> ParseWarnings(std::string_view header);

class WarningTransport final : public Transport {
 public:
  using Handler = std::function<void(const ServerWarning&)>;

  // `handler` gets warnings with code 299 and a text, each text once; it may be called by several threads at a time.
  // Null logs them. After a thousand different texts the first ones may come again.
  explicit WarningTransport(std::shared_ptr<Transport> inner, Handler handler = nullptr);

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override { return SendKept(request, scope); }
  Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) override;

 private:
  bool IsNew(const std::string& text);

  const std::shared_ptr<Transport> inner_;
  const Handler handler_;

  Mutex mutex_{"client warnings"};
  std::unordered_set<std::string> seen_;  // guarded by mutex_
};

}  // namespace keelson
