#include "keelson/transport/internal/client_stream.h"

#include <netinet/tcp.h>
#include <openssl/evp.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <string_view>
#include <vector>

#include "keelson/transport/form_query.h"
#include "keelson/transport/internal/tls_client_context.h"
#include "keelson/transport/internal/url.h"

namespace keelson::internal {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::redirect_error;
using asio::use_awaitable;
using boost::system::error_code;

std::string BasicAuthorization(const std::string& user, const std::string& password) {
  const std::string plain = user + ":" + password;
  std::string encoded((plain.size() + 2) / 3 * 4 + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                      reinterpret_cast<const unsigned char*>(plain.data()), static_cast<int>(plain.size()));
  encoded.resize(static_cast<size_t>(size));
  return "Basic " + encoded;
}

Result<void> ChooseProxy(ClientStreamTarget& target, const std::string& proxy_url) {
  CurlEndpoint& endpoint = target.endpoint;
  KEELSON_TRY(proxy, proxy_url.empty() ? ProxyFromEnvironment(endpoint.server) : ParseProxyUrl(proxy_url));
  if (proxy.empty()) return {};
  endpoint.proxy = std::move(proxy);
  KEELSON_TRY(url, ParseUrl(endpoint.proxy.url));
  if (url.scheme != "http") {
    return Error::Unsupported("WebSockets go through http proxies only, and not through " + endpoint.proxy.shown +
                              "; name an http proxy, or none for this server by NO_PROXY");
  }
  target.proxy_host = std::move(url.host);
  target.proxy_port = url.port.value_or(80);
  const auto decoded = [](const std::optional<std::string>& text) {
    return PercentDecode(text.value_or(""), false).value_or(text.value_or(""));
  };
  if (url.user || url.password)
    target.proxy_authorization = BasicAuthorization(decoded(url.user), decoded(url.password));
  return {};
}

Result<void> PrepareTls(ClientStreamTarget& target, const TlsClientOptions& options) {
  KEELSON_TRY(files, TlsFiles::Load(options));
  target.tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  target.peer = std::make_shared<PeerCertificate>();
  SSL_CTX* context = target.tls->native_handle();
  KEELSON_RETURN_IF_ERROR(ConfigureTlsClient(context, files.texts(), options.insecure_skip_verify));
  RecordPeerCertificate(context, target.peer.get());
  return {};
}

Error ConnectError(const ClientStreamTarget& target, CURLcode code, const error_code& error) {
  return ToError({.code = code,
                  .os_error = error.category() == asio::error::get_system_category() ? error.value() : 0,
                  .text = error.message()},
                 target.endpoint);
}

Error TlsError(const ClientStreamTarget& target, const error_code& error) {
  return HandshakeError(error.message(), error.category() == asio::error::get_ssl_category(), *target.peer,
                        target.endpoint);
}

Error Cancelled() { return Error::Cancelled("the connection was given up before it was made"); }

}  // namespace

Result<ClientStreamTarget> ResolveClientStreamTarget(const std::string& server, const TlsClientOptions& tls,
                                                     const std::string& proxy_url, const std::string& unix_socket,
                                                     Duration connect_timeout) {
  ClientStreamTarget target;
  KEELSON_TRY(address, ParseServerUrl(server));
  target.endpoint = {.server = std::move(address),
                     .unix_socket = unix_socket,
                     .server_name = tls.server_name,
                     .connect_timeout = connect_timeout};
  if (unix_socket.empty()) KEELSON_RETURN_IF_ERROR(ChooseProxy(target, proxy_url));
  if (target.endpoint.server.tls) KEELSON_RETURN_IF_ERROR(PrepareTls(target, tls));
  return target;
}

void ClientStream::Cancel() {
  cancelled_ = true;
  resolver_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<Result<void>> ClientStream::Connect(const ClientStreamTarget& target) {
  Result<void> done;
  if (!target.endpoint.unix_socket.empty()) {
    done = co_await ConnectUnix(target);
  } else {
    done = co_await ConnectTcp(target);
  }
  if (done && !target.endpoint.proxy.empty()) done = co_await PassProxy(target);
  if (done && target.tls != nullptr) done = co_await Handshake(target);
  if (done && cancelled_) done = Cancelled();
  co_return done;
}

asio::awaitable<Result<void>> ClientStream::ConnectUnix(const ClientStreamTarget& target) {
  error_code error;
  if (target.endpoint.unix_socket.size() >= sizeof(sockaddr_un::sun_path)) {
    co_return Error::InvalidArgument("the path \"" + target.endpoint.unix_socket + "\" is too long for a unix socket");
  }
  const asio::local::stream_protocol::endpoint endpoint(target.endpoint.unix_socket);
  co_await socket_.async_connect(endpoint, redirect_error(use_awaitable, error));
  if (error) co_return ConnectError(target, CURLE_COULDNT_CONNECT, error);
  co_return Result<void>();
}

asio::awaitable<Result<void>> ClientStream::ConnectTcp(const ClientStreamTarget& target) {
  const bool proxied = !target.endpoint.proxy.empty();
  const std::string host = proxied ? target.proxy_host : target.endpoint.server.host;
  const uint16_t port = proxied ? target.proxy_port : target.endpoint.server.port;
  error_code error;
  std::vector<asio::ip::tcp::endpoint> endpoints;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (!error) {
    endpoints.emplace_back(address, port);
  } else {
    error.clear();
    const std::string service = std::to_string(port);
    const auto found = co_await resolver_.async_resolve(host, service, redirect_error(use_awaitable, error));
    if (cancelled_) co_return Cancelled();
    if (error || found.empty()) {
      co_return ConnectError(target, proxied ? CURLE_COULDNT_RESOLVE_PROXY : CURLE_COULDNT_RESOLVE_HOST, error);
    }
    for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  }
  for (const asio::ip::tcp::endpoint& endpoint : endpoints) {
    error_code ignored;
    socket_.close(ignored);
    error.clear();
    const asio::generic::stream_protocol::endpoint peer(endpoint);
    co_await socket_.async_connect(peer, redirect_error(use_awaitable, error));
    if (cancelled_) co_return Cancelled();
    if (!error) break;
  }
  if (error) co_return ConnectError(target, CURLE_COULDNT_CONNECT, error);
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  using Idle = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using Interval = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  socket_.set_option(Idle(30), ignored);
  socket_.set_option(Interval(10), ignored);
  co_return Result<void>();
}

asio::awaitable<Result<void>> ClientStream::PassProxy(const ClientStreamTarget& target) {
  const ServerAddress& server = target.endpoint.server;
  const std::string authority = BracketedHost(server.host) + ":" + std::to_string(server.port);
  http::request<http::empty_body> request(http::verb::connect, authority, 11);
  request.set(http::field::host, authority);
  if (!target.proxy_authorization.empty()) {
    request.set(http::field::proxy_authorization, target.proxy_authorization);
  }
  error_code error;
  co_await http::async_write(socket_, request, redirect_error(use_awaitable, error));
  boost::beast::flat_buffer buffer(size_t{64} << 10);
  http::response_parser<http::empty_body> answer;
  answer.skip(true);
  if (!error) co_await http::async_read_header(socket_, buffer, answer, redirect_error(use_awaitable, error));
  if (cancelled_) co_return Cancelled();
  CurlFailure failure{.code = CURLE_PROXY};
  if (error) {
    failure.text = error.message();
  } else if (answer.get().result_int() / 100 != 2) {
    failure.proxy_status = static_cast<long>(answer.get().result_int());
    if (failure.proxy_status < 300) failure.text = "it answered with status " + std::to_string(failure.proxy_status);
  } else if (buffer.size() != 0) {
    failure.text = "it sent data before the server could";
  } else {
    co_return Result<void>();
  }
  co_return ToError(failure, target.endpoint);
}

asio::awaitable<Result<void>> ClientStream::Handshake(const ClientStreamTarget& target) {
  const std::string& name =
      target.endpoint.server_name.empty() ? target.endpoint.server.host : target.endpoint.server_name;
  tls_.emplace(socket_, *target.tls);
  ExpectServerName(tls_->next_layer().native_handle(), name);
  error_code error;
  co_await tls_->next_layer().async_handshake(asio::ssl::stream_base::client, redirect_error(use_awaitable, error));
  if (cancelled_) co_return Cancelled();
  if (error) co_return TlsError(target, error);
  co_return Result<void>();
}

}  // namespace keelson::internal
