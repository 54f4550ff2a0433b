// A CurlTransport behind proxies of each kind.
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <csignal>

#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "keelson/transport/curl_transport.h"
#include "keelson/transport/curl_transport_test_support.h"
#include "keelson/transport/http_server.h"
#include "keelson/transport/internal/curl_endpoint.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

uint16_t PortAtEnd(std::string_view text) {
  uint16_t port = 0;
  const size_t colon = text.rfind(':');
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
  return port;
}

// What proxies were asked to reach.
class Log {
 public:
  void Add(std::string line) {
    MutexLock lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> lines() {
    MutexLock lock(mutex_);
    return lines_;
  }

 private:
  Mutex mutex_;
  std::vector<std::string> lines_;
};

// Names are all this machine, as a proxy inside a cluster would know them.
ScriptedServer::Script ConnectProxy(Log& log, std::string wanted_credentials = "") {
  return [&log, wanted_credentials](Connection& client) {
    while (true) {
      const std::string request = client.ReadUntil("\r\n\r\n");
      if (request.empty()) return;
      log.Add(request.substr(0, request.find(" HTTP/")));
      if (request.find("Bearer") != std::string::npos) log.Add("a token for the server");
      if (!wanted_credentials.empty() &&
          request.find("Proxy-Authorization: Basic " + wanted_credentials) == std::string::npos) {
        client.Send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
        continue;
      }
      if (!request.starts_with("CONNECT ")) {
        client.Send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nby proxy\n");
        continue;
      }
      client.Send("HTTP/1.1 200 Connection established\r\n\r\n");
      return Relay(client, PortAtEnd(request.substr(0, request.find(" HTTP/"))));
    }
  };
}

ScriptedServer::Script SocksProxy(Log& log, std::string user = "", std::string password = "") {
  return [&log, user, password](Connection& client) {
    const std::string greeting = client.Read(2);
    if (greeting.size() != 2) return;
    const std::string methods = client.Read(static_cast<uint8_t>(greeting[1]));
    const char method = user.empty() ? 0 : 2;
    if (methods.find(method) == std::string::npos) {
      client.Send(std::string_view("\5\xff", 2));
      return;
    }
    client.Send(std::string("\5") + method);
    if (method == 2) {
      const std::string given_user = client.Read(static_cast<uint8_t>(client.Read(2)[1]));
      const std::string given_password = client.Read(static_cast<uint8_t>(client.Read(1)[0]));
      const bool good = given_user == user && given_password == password;
      client.Send(std::string_view(good ? "\1\0" : "\1\1", 2));
      if (!good) return;
    }
    const std::string request = client.Read(4);
    std::string host;
    if (request[3] == 3) {
      host = client.Read(static_cast<uint8_t>(client.Read(1)[0]));
    } else {
      for (const char c : client.Read(4)) host += (host.empty() ? "" : ".") + std::to_string(static_cast<uint8_t>(c));
    }
    const std::string port = client.Read(2);
    const auto number = static_cast<uint16_t>(static_cast<uint8_t>(port[0]) << 8 | static_cast<uint8_t>(port[1]));
    log.Add(host + ":" + std::to_string(number));
    client.Send(std::string_view("\5\0\0\1\0\0\0\0\0\0", 10));
    Relay(client, number);
  };
}

// The same behind TLS: what the client says in it goes to the script, and back.
ScriptedServer::Script BehindTls(const TestCertificate& own, ScriptedServer::Script script) {
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const auto reader = [](const std::string& text) {
    return std::unique_ptr<BIO, decltype(&BIO_free_all)>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
                                                         BIO_free_all);
  };
  X509* certificate = PEM_read_bio_X509(reader(own.certificate).get(), nullptr, nullptr, nullptr);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(reader(own.key).get(), nullptr, nullptr, nullptr);
  EXPECT_EQ(SSL_CTX_use_certificate(context.get(), certificate), 1);
  EXPECT_EQ(SSL_CTX_use_PrivateKey(context.get(), key), 1);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return [context, script = std::move(script)](Connection& client) {
    // OpenSSL may write to a client that has gone.
    std::signal(SIGPIPE, SIG_IGN);
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
    SSL_set_fd(ssl.get(), client.socket());
    if (SSL_accept(ssl.get()) != 1) return;
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    Connection inside(ends[0]);
    Thread proxy("proxy", [&script, end = ends[1]] {
      Connection connection(end);
      script(connection);
    });
    pollfd polled[2] = {{.fd = client.socket(), .events = POLLIN, .revents = 0},
                        {.fd = inside.socket(), .events = POLLIN, .revents = 0}};
    char bytes[16 << 10];
    while (SSL_pending(ssl.get()) > 0 || poll(polled, 2, -1) > 0) {
      if (SSL_pending(ssl.get()) > 0 || polled[0].revents != 0) {
        const int got = SSL_read(ssl.get(), bytes, sizeof bytes);
        if (got <= 0 || !inside.Send({bytes, static_cast<size_t>(got)})) break;
      }
      if (polled[1].revents != 0) {
        const ssize_t got = recv(inside.socket(), bytes, sizeof bytes, 0);
        if (got <= 0 || SSL_write(ssl.get(), bytes, static_cast<int>(got)) <= 0) break;
      }
    }
    shutdown(inside.socket(), SHUT_RDWR);
    shutdown(client.socket(), SHUT_RDWR);
  };
}

class CurlProxyTest : public testing::Test {
 protected:
  CurlTransportOptions Through(const std::string& proxy_url) const {
    return {.server = url_, .tls = {.ca = {.text = authority_.certificate()}}, .proxy_url = proxy_url};
  }

  FunctionHandler handler_{Echo};
  TestAuthority authority_;
  const TestCertificate certificate_ = authority_.IssueServer({"api.internal"});
  const std::unique_ptr<HttpServer> server_ = StartOrDie(
      handler_,
      {.tls = TlsServerOptions{.certificate = {.text = certificate_.certificate}, .key = {.text = certificate_.key}},
       .threads = 1});
  const std::string target_ = "api.internal:" + std::to_string(server_->port());  // known to nobody but the proxy
  const std::string url_ = "https://" + target_;
  Log log_;
};

TEST_F(CurlProxyTest, HttpProxyIsAskedForATunnelAndSeesNoToken) {
  ScriptedServer proxy(ConnectProxy(log_));
  const auto transport = TransportTo(Through(proxy.url()));
  const HttpRequest request{.target = "/x", .headers = {{"Authorization", "Bearer secret"}}};
  EXPECT_EQ(Outcome(*transport, request), "200 GET /x ?\n");
  EXPECT_EQ(Outcome(*transport, request), "200 GET /x ?\n");
  EXPECT_EQ(log_.lines(), std::vector<std::string>{"CONNECT " + target_});
  EXPECT_EQ(Outcome(*transport, {.target = "/y", .streaming = true}), "200 GET /y ?\n");
  EXPECT_EQ(log_.lines().size(), 2u);
}

TEST_F(CurlProxyTest, HttpProxyGetsItsCredentials) {
  ScriptedServer proxy(ConnectProxy(log_, "bWU6cGFzcyB3b3Jk"));  // me:pass word
  const std::string port = std::to_string(proxy.port());
  const auto transport = TransportTo(Through("http://me:pass%20word@127.0.0.1:" + port));
  EXPECT_EQ(Outcome(*transport, {}), "200 GET / ?\n");

  const auto wrong = TransportTo(Through("http://me:other@127.0.0.1:" + port));
  const Result<HttpResponse> answer = wrong->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kProxy);
  EXPECT_FALSE(DetailOf(answer.error()).sent());
  EXPECT_EQ(answer.error().message(), "cannot reach " + url_ + ": the proxy http://127.0.0.1:" + port +
                                          " refused the connection with status 407; it asks for a user and password, "
                                          "which go into the proxy's URL");
}

// TLS to the proxy, and inside it TLS to the server.
TEST_F(CurlProxyTest, HttpsProxyIsReachedByTlsAndAskedForATunnel) {
  ScriptedServer proxy(BehindTls(authority_.IssueServer(), ConnectProxy(log_, "bWU6c2VjcmV0")));  // me:secret
  const std::string at = "@127.0.0.1:" + std::to_string(proxy.port());
  const auto transport = TransportTo(Through("https://me:secret" + at));
  const HttpRequest request{.target = "/x", .headers = {{"Authorization", "Bearer secret"}}};
  EXPECT_EQ(Outcome(*transport, request), "200 GET /x ?\n");
  EXPECT_EQ(Outcome(*transport, {.target = "/y", .streaming = true}), "200 GET /y ?\n");
  EXPECT_EQ(log_.lines(), (std::vector<std::string>{"CONNECT " + target_, "CONNECT " + target_}));

  const auto wrong = TransportTo(Through("https://me:other" + at));
  const Result<HttpResponse> refused = wrong->Send({}, Soon());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(DetailOf(refused.error()).failure(), TransportFailure::kProxy) << refused.error().message();
  EXPECT_NE(refused.error().message().find("status 407"), std::string::npos) << refused.error().message();
}

TEST_F(CurlProxyTest, HttpsProxyThatIsNotTrustedIsToldNothing) {
  const TestAuthority other("other");
  ScriptedServer proxy(BehindTls(other.IssueServer(), ConnectProxy(log_)));
  const auto transport = TransportTo(Through(proxy.url("https")));
  const Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kTls) << answer.error().message();
  EXPECT_FALSE(DetailOf(answer.error()).sent());
  EXPECT_EQ(log_.lines(), std::vector<std::string>());
}

TEST_F(CurlProxyTest, PlainRequestsGoThroughAnHttpProxyWithoutATunnel) {
  ScriptedServer proxy(ConnectProxy(log_));
  const auto transport = TransportTo({.server = "http://api.internal:81", .proxy_url = proxy.url()});
  EXPECT_EQ(Outcome(*transport, {.target = "/x"}), "200 by proxy\n");
  EXPECT_EQ(log_.lines(), std::vector<std::string>{"GET http://api.internal:81/x"});
}

TEST_F(CurlProxyTest, SocksProxyResolvesTheName) {
  ScriptedServer proxy(SocksProxy(log_));
  for (const char* scheme : {"socks5", "socks5h"}) {
    const auto transport = TransportTo(Through(proxy.url(scheme)));
    EXPECT_EQ(Outcome(*transport, {}), "200 GET / ?\n");
  }
  EXPECT_EQ(log_.lines(), (std::vector<std::string>{target_, target_}));
}

TEST_F(CurlProxyTest, SocksProxyGetsItsCredentials) {
  ScriptedServer proxy(SocksProxy(log_, "me", "secret"));
  const std::string at = "@127.0.0.1:" + std::to_string(proxy.port());
  EXPECT_EQ(Outcome(*TransportTo(Through("socks5://me:secret" + at)), {}), "200 GET / ?\n");
  const auto wrong = TransportTo(Through("socks5://me:wr0ng" + at));
  const Result<HttpResponse> answer = wrong->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kProxy) << answer.error().message();
  EXPECT_EQ(answer.error().message().find("wr0ng"), std::string::npos);
}

TEST_F(CurlProxyTest, ProxyThatIsNotThereIsNamed) {
  uint16_t port = 0;
  {
    ScriptedServer gone([](Connection&) {});
    port = gone.port();
  }
  const auto transport = TransportTo(Through("http://me:secret@127.0.0.1:" + std::to_string(port)));
  const Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kProxy);
  EXPECT_EQ(answer.error().message(), "cannot reach " + url_ +
                                          " through the proxy http://127.0.0.1:" + std::to_string(port) +
                                          ": connection refused; is the proxy running and its address right?");
}

TEST_F(CurlProxyTest, ServerNameHoldsBehindAProxyToo) {
  ScriptedServer proxy(ConnectProxy(log_));
  CurlTransportOptions options = Through(proxy.url());
  options.server = server_->url();  // by address
  options.tls.server_name = "api.internal";
  EXPECT_EQ(Outcome(*TransportTo(options), {}), "200 GET / ?\n");
  EXPECT_EQ(log_.lines(), std::vector<std::string>{"CONNECT 127.0.0.1:" + std::to_string(server_->port())});
}

}  // namespace
}  // namespace keelson
