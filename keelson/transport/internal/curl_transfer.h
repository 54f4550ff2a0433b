// One libcurl handle that carries call after call, with everything set once that does not change between them.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "keelson/transport/curl_transport.h"
#include "keelson/transport/internal/curl_call.h"
#include "keelson/transport/internal/curl_errors.h"

namespace keelson::internal {

// What transfers tell the loop that runs them.
class CurlTransferEvents {
 public:
  // The call's waiter has something to look at.
  virtual void OnProgress(CurlTransfer& transfer) = 0;
  // The call's reader is slow; what waits for it is not read from the socket.
  virtual void OnPaused(CurlTransfer& transfer) = 0;

 protected:
  ~CurlTransferEvents() = default;
};

// The settings that all transfers of a set of connections have in common; outlives them.
struct CurlSettings {
  const CurlTransportOptions& options;
  const CurlEndpoint& endpoint;
  TlsTexts tls = {};
  PeerCertificate peer = {};  // of the last handshake
  CURLSH* share = nullptr;
};

class CurlTransfer {
 public:
  CurlTransfer(CurlSettings& settings, CurlTransferEvents& events, CURLM* multi, bool streaming);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  static CurlTransfer* Of(CURL* easy);

  bool streaming() const { return streaming_; }
  const CurlSettings& settings() const { return settings_; }
  const std::shared_ptr<CurlCall>& call() const { return call_; }

  size_t slot = 0;  // where its owner keeps it

  void Start(std::shared_ptr<CurlCall> call);
  void Resume();
  // Takes the handle out of its multi and ends the call: with that error, or with what the code says.
  void Cancel(Error error);
  void Finish(CURLcode code);

 private:
  static size_t OnHeader(char* bytes, size_t size, size_t count, void* self);
  static size_t OnBody(char* bytes, size_t size, size_t count, void* self);
  static int OnRequest(void* self, char*, char*, int, int);
  static int OnSocket(void* self, curl_socket_t socket, curlsocktype);
  static CURLcode OnTlsContext(CURL*, void* ssl_ctx, void* self);

  void SetConstantOptions();
  void SetTlsOptions();
  void SetMethod(const HttpRequest& request);
  void SetHeaders(const HttpRequest& request);
  void HeaderLine(std::string_view line);
  void End(std::optional<Error> error);

  CurlSettings& settings_;
  CurlTransferEvents& events_;
  CURLM* const multi_;
  CURL* const easy_;
  const bool streaming_;
  curl_slist* connect_to_ = nullptr;

  // Kept from call to call, so that what is the same again need not be set again.
  std::string url_;
  std::string method_;
  bool with_body_ = false;
  Headers headers_of_;
  curl_slist* headers_ = nullptr;

  std::shared_ptr<CurlCall> call_;
  int status_ = 0;
  Headers answer_headers_;
  bool answered_ = false;
  char error_text_[CURL_ERROR_SIZE] = {};
};

}  // namespace keelson::internal
