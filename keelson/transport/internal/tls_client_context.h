// TLS as a client, on OpenSSL: whom to trust, who we are, and what a failed handshake means.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/transport/internal/curl_errors.h"
#include "keelson/transport/internal/curl_tls.h"

namespace keelson::internal {

// TLS 1.2 or later, HTTP/1.1, the system's authorities where the texts name none.
Result<void> ConfigureTlsClient(SSL_CTX* context, const TlsTexts& texts, bool insecure_skip_verify);

// The name or address that the server's certificate must be for; a name is sent as SNI too.
void ExpectServerName(SSL* ssl, const std::string& name);

// `of_tls`: the words are OpenSSL's; otherwise the connection was cut meanwhile.
Error HandshakeError(const std::string& text, bool of_tls, PeerCertificate peer, const CurlEndpoint& endpoint);

// The newest error in OpenSSL's queue in words, empty when there is none; clears the queue.
std::string TakeTlsError();

// One SSL_CTX, and the last session of its connections, by which a new one is made for half the work. Thread-safe.
class TlsClientContext {
 public:
  static Result<std::shared_ptr<TlsClientContext>> Create(const TlsTexts& texts, bool insecure_skip_verify);
  ~TlsClientContext();
  TlsClientContext(const TlsClientContext&) = delete;
  TlsClientContext& operator=(const TlsClientContext&) = delete;

  // A connection in the state before its handshake.
  SSL* NewConnection(const std::string& server_name);

 private:
  TlsClientContext() = default;
  static int OnNewSession(SSL* ssl, SSL_SESSION* session);

  SSL_CTX* context_ = nullptr;
  Mutex mutex_;
  SSL_SESSION* session_ = nullptr;  // guarded by mutex_
};

}  // namespace keelson::internal
