#include "keelson/transport/web_socket.h"

#include <gtest/gtest.h>

#include <boost/asio/read_until.hpp>

#include <array>

#include "keelson/core/simulation.h"
#include "keelson/transport/web_socket_test_support.h"

namespace keelson {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using Options = TestWebSocketServerOptions;

void Echo(TestPeer& peer) {
  while (const std::optional<std::string> message = peer.Read()) peer.Write(*message);
}

// Waits until the client goes.
void Ignore(TestPeer& peer) {
  while (peer.Read()) {
  }
}

Result<std::unique_ptr<WebSocket>> Connect(const TestWebSocketServer& server, WebSocketOptions options = {},
                                           HttpRequest request = {.target = "/"}, CallScope scope = Soon()) {
  if (options.server.empty()) options.server = server.url();
  if (options.tls.ca.empty()) options.tls = server.client_tls();
  return WebSocket::Connect(std::move(options), std::move(request), scope);
}

TransportFailure FailureOf(const Error& error) {
  const auto* detail = error.detail<TransportErrorDetail>();
  EXPECT_NE(detail, nullptr) << error.message();
  return detail == nullptr ? TransportFailure::kProtocol : detail->failure();
}

TEST(WebSocket, CarriesMessagesBothWaysOverTls) {
  std::string target, authorization;
  TestWebSocketServer server({.subprotocols = {"b", "c"}}, [&](TestPeer& peer) {
    target = peer.target();
    authorization = std::string(peer.request()["Authorization"]);
    Echo(peer);
  });
  auto socket = Connect(server, {.server = server.url() + "/prefix"},
                        {.target = "/exec?command=ls",
                         .headers = {{"Authorization", "Bearer abc"}, {"Sec-WebSocket-Protocol", "a, c, b"}}});
  ASSERT_TRUE(socket) << socket.error().message();
  EXPECT_EQ((*socket)->subprotocol(), "c");
  const std::string large(300'000, 'x');
  for (const std::string& text : {std::string("hello"), std::string(), std::string("\0\xff", 2), large}) {
    ASSERT_TRUE((*socket)->Send(text, Soon()));
    const auto message = (*socket)->Receive(Soon());
    ASSERT_TRUE(message) << message.error().message();
    EXPECT_EQ(message->bytes, text);
    EXPECT_FALSE(message->text);
    EXPECT_FALSE(message->close);
  }
  (*socket)->Close(1000, "", Soon());
  EXPECT_EQ(target, "/prefix/exec?command=ls");
  EXPECT_EQ(authorization, "Bearer abc");
}

TEST(WebSocket, SendsEachMessageAsOneFrame) {
  std::string head;
  TestEvent read;
  TestWebSocketServer server({.tls = false}, [&](TestPeer& peer) {
    head = peer.ReadRaw(10);
    read.Set();
    Ignore(peer);
  });
  auto socket = Connect(server);
  ASSERT_TRUE(socket) << socket.error().message();
  ASSERT_TRUE((*socket)->Send(std::string(200'000, 'x'), Soon()));
  ASSERT_TRUE(read.Wait());
  // The last frame of a binary message, masked, with a length of eight bytes: 200,000.
  EXPECT_EQ(head, std::string("\x82\xff\0\0\0\0\0\x03\x0d\x40", 10));
}

TEST(WebSocket, RefusalCarriesStatusHeadersAndBody) {
  TestWebSocketServer server({.refuse = [](const TestPeer::Request&) -> Options::Refusal {
                               return {.status = 403, .content_type = "application/json", .body = "{\"code\":403}"};
                             }},
                             Echo);
  const auto socket = Connect(server);
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code(), ErrorCode::kUnavailable);
  const auto* detail = socket.error().detail<UpgradeRefusedDetail>();
  ASSERT_NE(detail, nullptr) << socket.error().message();
  EXPECT_EQ(detail->status(), 403);
  EXPECT_EQ(detail->body(), "{\"code\":403}");
  ASSERT_NE(detail->headers().Find("content-type"), nullptr);
  EXPECT_EQ(*detail->headers().Find("content-type"), "application/json");
}

TEST(WebSocket, RefusesSubprotocolThatWasNotOffered) {
  TestWebSocketServer server({.forced_subprotocol = "other"}, Ignore);
  const auto socket = Connect(server, {}, {.target = "/", .headers = {{"Sec-WebSocket-Protocol", "mine"}}});
  ASSERT_FALSE(socket);
  EXPECT_EQ(FailureOf(socket.error()), TransportFailure::kProtocol);
  EXPECT_NE(socket.error().message().find("\"other\", which was not offered"), std::string::npos);
}

TEST(WebSocket, ChecksTheServersCertificate) {
  TestWebSocketServer server({}, Echo);
  const TestAuthority other("other");
  const auto untrusted = Connect(server, {.tls = {.ca = {.text = other.certificate()}}});
  ASSERT_FALSE(untrusted);
  EXPECT_EQ(FailureOf(untrusted.error()), TransportFailure::kTls);
  EXPECT_NE(untrusted.error().message().find("authority that is not trusted"), std::string::npos)
      << untrusted.error().message();

  TlsClientOptions named = server.client_tls();
  named.server_name = "example.com";
  const auto misnamed = Connect(server, {.tls = named});
  ASSERT_FALSE(misnamed);
  EXPECT_EQ(FailureOf(misnamed.error()), TransportFailure::kTls);
  EXPECT_NE(misnamed.error().message().find("not for example.com"), std::string::npos) << misnamed.error().message();

  named.server_name = "localhost";
  EXPECT_TRUE(Connect(server, {.tls = named}));
  EXPECT_TRUE(Connect(server, {.tls = {.ca = {.text = other.certificate()}, .insecure_skip_verify = true}}));
}

TEST(WebSocket, SaysWhenNobodyListens) {
  uint16_t port = 0;
  {
    TestWebSocketServer gone({}, Echo);
    port = gone.port();
  }
  const auto socket =
      WebSocket::Connect({.server = "http://127.0.0.1:" + std::to_string(port)}, {.target = "/"}, Soon());
  ASSERT_FALSE(socket);
  EXPECT_EQ(FailureOf(socket.error()), TransportFailure::kRefused);
  EXPECT_FALSE(socket.error().detail<TransportErrorDetail>()->sent());
}

TEST(WebSocket, RefusesWhatCannotBeSent) {
  TestWebSocketServer server({}, Echo);
  for (const HttpRequest& request :
       {HttpRequest{.target = "x"}, HttpRequest{.target = "/a b"}, HttpRequest{.target = "/\r\nX: y"},
        HttpRequest{.target = "/", .headers = {{"Authorization", "secret\r\nX: y"}}},
        HttpRequest{.target = "/", .headers = {{"A b", "c"}}}}) {
    const auto socket = Connect(server, {}, request);
    ASSERT_FALSE(socket);
    EXPECT_EQ(socket.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(socket.error().message().find("secret"), std::string::npos);
  }
}

TEST(WebSocket, CannotBeOpenedInASimulation) {
  Simulation simulation({.seed = 1});
  ErrorCode code = ErrorCode::kInternal;
  ASSERT_TRUE(simulation.Run([&] {
    const auto socket = WebSocket::Connect({.server = "http://127.0.0.1:1"}, {.target = "/"}, {});
    code = socket.error().code();
  }));
  EXPECT_EQ(code, ErrorCode::kInvalidArgument);
}

TEST(WebSocket, TellsThePeersCloseAgainAndAgain) {
  for (const bool tls : {true, false}) {
    TestWebSocketServer server({.tls = tls}, [&](TestPeer& peer) {
      peer.Write("last");
      peer.Close(1011, "no more");
    });
    auto socket = Connect(server);
    ASSERT_TRUE(socket) << socket.error().message();
    EXPECT_EQ((*socket)->Receive(Soon()).value().bytes, "last");
    for (int i = 0; i < 2; ++i) {
      const auto end = (*socket)->Receive(Soon());
      ASSERT_TRUE(end) << end.error().message();
      ASSERT_TRUE(end->close);
      EXPECT_EQ(end->close->code, 1011);
      EXPECT_EQ(end->close->reason, "no more");
    }
    const auto sent = (*socket)->Send("x", Soon());
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code(), ErrorCode::kUnavailable);
  }
}

TEST(WebSocket, ACutConnectionIsAnErrorBehindTheLastMessage) {
  for (const bool tls : {true, false}) {
    TestWebSocketServer server({.tls = tls}, [&](TestPeer& peer) {
      peer.Write("last");
      peer.Cut();
    });
    auto socket = Connect(server);
    ASSERT_TRUE(socket) << socket.error().message();
    EXPECT_EQ((*socket)->Receive(Soon()).value().bytes, "last");
    for (int i = 0; i < 2; ++i) {
      const auto end = (*socket)->Receive(Soon());
      ASSERT_FALSE(end);
      EXPECT_EQ(end.error().code(), ErrorCode::kUnavailable);
      EXPECT_EQ(FailureOf(end.error()), TransportFailure::kReset);
    }
  }
}

TEST(WebSocket, AServerThatSpeaksSomethingElseIsAnError) {
  TestWebSocketServer with_tls({}, Echo);
  TestWebSocketServer without({.tls = false}, Echo);
  const auto plain = Connect(with_tls, {.server = "http://127.0.0.1:" + std::to_string(with_tls.port())});
  ASSERT_FALSE(plain);
  EXPECT_EQ(plain.error().code(), ErrorCode::kUnavailable);
  EXPECT_TRUE(plain.error().detail<TransportErrorDetail>()->sent());
  const auto secure = Connect(without, {.server = "https://127.0.0.1:" + std::to_string(without.port())});
  ASSERT_FALSE(secure);
  EXPECT_EQ(secure.error().code(), ErrorCode::kUnavailable);
  EXPECT_FALSE(secure.error().detail<TransportErrorDetail>()->sent());
}

TEST(WebSocket, StopEndsEachPhaseOfConnecting) {
  for (const bool tls : {true, false}) {  // during the TLS handshake, and during the upgrade
    TestEvent arrived, release;
    const auto block = [&] {
      arrived.Set();
      (void)release.Wait();
    };
    Options options{.tls = tls};
    if (tls) {
      options.accepted = block;
    } else {
      options.refuse = [&](const TestPeer::Request&) {
        block();
        return Options::Refusal{};
      };
    }
    TestWebSocketServer server(std::move(options), Echo);
    StopSource stop;
    Thread stopper("stopper", [&] {
      (void)arrived.Wait();
      stop.RequestStop();
    });
    const auto socket = Connect(server, {}, {.target = "/"}, {.stop = stop.token(), .deadline = Soon().deadline});
    ASSERT_FALSE(socket);
    EXPECT_EQ(socket.error().code(), ErrorCode::kCancelled) << socket.error().message();

    const auto late = Connect(server, {}, {.target = "/"}, {.deadline = Clock::Now() + milliseconds(20)});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), ErrorCode::kTimeout) << late.error().message();

    const auto slow = Connect(server, {.connect_timeout = milliseconds(20)});
    ASSERT_FALSE(slow);
    EXPECT_EQ(slow.error().code(), ErrorCode::kUnavailable) << slow.error().message();
    EXPECT_EQ(FailureOf(slow.error()), TransportFailure::kTimeout);
    release.Set();
  }
}

TEST(WebSocket, StoppedCallsLeaveTheConnectionAsItIs) {
  TestEvent go;
  TestWebSocketServer server({}, [&](TestPeer& peer) {
    (void)go.Wait();
    Echo(peer);
  });
  auto socket = Connect(server, {.send_buffer = 1000});
  ASSERT_TRUE(socket) << socket.error().message();
  StopSource stop;
  {
    Thread stopper("stopper", [&] { stop.RequestStop(); });
    const auto received = (*socket)->Receive({.stop = stop.token()});
    ASSERT_FALSE(received);
    EXPECT_EQ(received.error().code(), ErrorCode::kCancelled);
  }
  EXPECT_EQ((*socket)->Receive({.deadline = Clock::Now()}).error().code(), ErrorCode::kTimeout);

  // More than the sockets hold while the server does not read.
  size_t sent = 0;
  Result<void> outcome;
  while (sent < 1000 && (outcome = (*socket)->Send(std::string(100'000, static_cast<char>('a' + sent % 26)),
                                                   {.deadline = Clock::Now() + milliseconds(200)}))) {
    ++sent;
  }
  ASSERT_LT(sent, 1000u);
  EXPECT_EQ(outcome.error().code(), ErrorCode::kTimeout);
  StopSource again;
  {
    Thread stopper("stopper", [&] { again.RequestStop(); });
    EXPECT_EQ((*socket)->Send("never sent", {.stop = again.token()}).error().code(), ErrorCode::kCancelled);
  }

  go.Set();
  for (size_t i = 0; i < sent; ++i) {
    const auto message = (*socket)->Receive(Soon());
    ASSERT_TRUE(message) << message.error().message();
    ASSERT_EQ(message->bytes, std::string(100'000, static_cast<char>('a' + i % 26)));
  }
  ASSERT_TRUE((*socket)->Send("end", Soon()));
  EXPECT_EQ((*socket)->Receive(Soon()).value().bytes, "end");
}

TEST(WebSocket, SlowReceiverHoldsUpTheSender) {
  constexpr int kMessages = 1024;
  TestEvent all_written;
  TestWebSocketServer server({.tls = false}, [&](TestPeer& peer) {
    for (int i = 0; i < kMessages; ++i) peer.Write(std::to_string(i) + std::string(64 << 10, 'x'));
    all_written.Set();
  });
  auto socket = Connect(server, {.receive_buffer = 100'000});
  ASSERT_TRUE(socket) << socket.error().message();
  EXPECT_EQ((*socket)->Receive(Soon()).value().bytes.substr(0, 2), "0x");
  for (int i = 1; i < kMessages; ++i) {
    const auto message = (*socket)->Receive(Soon());
    ASSERT_TRUE(message) << message.error().message();
    ASSERT_EQ(message->bytes, std::to_string(i) + std::string(64 << 10, 'x'));
  }
  EXPECT_TRUE(all_written.Wait());
  EXPECT_TRUE((*socket)->Receive(Soon()).value().close);
}

TEST(WebSocket, ReceivesNoMoreThanItsBufferAhead) {
  TestEvent all_written;
  TestWebSocketServer server({.tls = false}, [&](TestPeer& peer) {
    for (int i = 0; i < 4096; ++i) {  // 256 MiB: no socket holds that
      if (!peer.Write(std::string(64 << 10, 'x'))) return;
    }
    all_written.Set();
  });
  auto socket = Connect(server, {.receive_buffer = 100'000});
  ASSERT_TRUE(socket) << socket.error().message();
  ASSERT_TRUE((*socket)->Receive(Soon()));
  EXPECT_FALSE(all_written.Wait(Clock::Now() + milliseconds(500)));
}

TEST(WebSocket, TwoThreadsMoveMuchDataBothWays) {
  TestWebSocketServer server({}, Echo);
  auto socket = Connect(server);
  ASSERT_TRUE(socket) << socket.error().message();
  constexpr int kMessages = 500;
  Thread sender("sender", [&] {
    for (int i = 0; i < kMessages; ++i) {
      ASSERT_TRUE((*socket)->Send(std::string(static_cast<size_t>(i) * 97, static_cast<char>(i)), Soon()));
    }
  });
  for (int i = 0; i < kMessages; ++i) {
    const auto message = (*socket)->Receive(Soon());
    ASSERT_TRUE(message) << message.error().message();
    ASSERT_EQ(message->bytes, std::string(static_cast<size_t>(i) * 97, static_cast<char>(i)));
  }
}

TEST(WebSocket, EndsOnMessagesOverTheLimit) {
  TestWebSocketServer server({}, [](TestPeer& peer) {
    peer.Write(std::string(1000, 'x'));
    peer.Write(std::string(1001, 'x'));
    Ignore(peer);
  });
  auto socket = Connect(server, {.max_message = 1000});
  ASSERT_TRUE(socket) << socket.error().message();
  EXPECT_EQ((*socket)->Receive(Soon()).value().bytes.size(), 1000u);
  const auto end = (*socket)->Receive(Soon());
  ASSERT_FALSE(end);
  EXPECT_EQ(FailureOf(end.error()), TransportFailure::kProtocol);
  EXPECT_NE(end.error().message().find("more than 1000 bytes"), std::string::npos) << end.error().message();
}

TEST(WebSocket, EndsOnBytesThatAreNoFrame) {
  for (const std::string& bytes : {std::string("\x83\x00", 2),             // an opcode that is reserved
                                   std::string("\xc2\x00", 2),             // a bit that is reserved
                                   std::string("\x82\x81\0\0\0\0x", 7),    // masked by a server
                                   std::string("\x80\x01x", 3),            // the continuation of nothing
                                   std::string("\x89\x7e\x00\x80", 4)}) {  // a ping that is too long
    TestWebSocketServer server({.tls = false}, [&](TestPeer& peer) {
      peer.WriteRaw(bytes);
      Ignore(peer);
    });
    auto socket = Connect(server);
    ASSERT_TRUE(socket) << socket.error().message();
    const auto end = (*socket)->Receive(Soon());
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code(), ErrorCode::kUnavailable);
    EXPECT_EQ(FailureOf(end.error()), TransportFailure::kProtocol) << end.error().message();
  }
}

TEST(WebSocket, GivesUpAPeerWithoutSignsOfLife) {
  TestEvent done;
  TestWebSocketServer server({}, [&](TestPeer&) { (void)done.Wait(); });  // reads nothing, so answers no ping
  auto socket = Connect(server, {.ping_interval = milliseconds(10), .peer_timeout = milliseconds(50)});
  ASSERT_TRUE(socket) << socket.error().message();
  const auto end = (*socket)->Receive(Soon());
  done.Set();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(FailureOf(end.error()), TransportFailure::kTimeout);
  EXPECT_NE(end.error().message().find("no sign of life for 50ms"), std::string::npos) << end.error().message();
}

TEST(WebSocket, PeerThatAnswersPingsOrHasUnreadMessagesIsNotGivenUp) {
  TestEvent go;
  TestWebSocketServer reads({}, Echo);
  TestWebSocketServer waits({}, [&](TestPeer& peer) {
    (void)go.Wait();
    Echo(peer);
  });
  const WebSocketOptions options{.ping_interval = milliseconds(10), .peer_timeout = milliseconds(100)};
  auto quiet = Connect(reads, options);
  auto busy = Connect(waits, options);
  ASSERT_TRUE(quiet && busy);
  ASSERT_TRUE((*busy)->Send("unread", Soon()));
  EXPECT_EQ((*quiet)->Receive({.deadline = Clock::Now() + milliseconds(500)}).error().code(), ErrorCode::kTimeout);
  EXPECT_EQ((*busy)->Receive({.deadline = Clock::Now() + milliseconds(100)}).error().code(), ErrorCode::kTimeout);
  go.Set();
  EXPECT_EQ((*busy)->Receive(Soon()).value().bytes, "unread");
  ASSERT_TRUE((*quiet)->Send("there", Soon()));
  EXPECT_EQ((*quiet)->Receive(Soon()).value().bytes, "there");
}

TEST(WebSocket, CloseWritesWhatWaitsAndSaysGoodbye) {
  std::vector<std::string> seen;
  TestEvent ended;
  TestWebSocketServer server({}, [&](TestPeer& peer) {
    while (const std::optional<std::string> message = peer.Read()) seen.push_back(*message);
    ended.Set();
  });
  auto socket = Connect(server);
  ASSERT_TRUE(socket) << socket.error().message();
  for (const char* text : {"a", "b", "c"}) ASSERT_TRUE((*socket)->Send(text, Soon()));
  (*socket)->Close(1000, "bye", Soon());
  ASSERT_TRUE(ended.Wait());
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_FALSE((*socket)->Send("late", Soon()));
}

TEST(WebSocket, AbortWakesWhoeverWaits) {
  TestWebSocketServer server({}, Ignore);
  auto socket = Connect(server);
  ASSERT_TRUE(socket) << socket.error().message();
  Thread aborter("aborter", [&] { (*socket)->Abort(); });
  const auto received = (*socket)->Receive(Soon());
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code(), ErrorCode::kCancelled);
}

// Answers one CONNECT and then passes bytes on.
class TestProxy {
 public:
  explicit TestProxy(std::string answer) : answer_(std::move(answer)), acceptor_(io_, {Loopback(), 0}) {
    thread_ = Thread("test-proxy", [this] { Serve(); });
  }
  ~TestProxy() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.Join();
  }
  uint16_t port() const { return acceptor_.local_endpoint().port(); }
  // Once the connection has ended.
  std::string request() {
    thread_.Join();
    return request_;
  }

 private:
  using Tcp = boost::asio::ip::tcp;
  static boost::asio::ip::address Loopback() { return boost::asio::ip::address_v4::loopback(); }

  static void Pass(Tcp::socket& from, Tcp::socket& to) {
    std::array<char, 4096> buffer;
    boost::system::error_code error;
    while (true) {
      const size_t size = from.read_some(boost::asio::buffer(buffer), error);
      if (error) break;
      boost::asio::write(to, boost::asio::buffer(buffer.data(), size), error);
      if (error) break;
    }
    ::shutdown(to.native_handle(), SHUT_RDWR);
    ::shutdown(from.native_handle(), SHUT_RDWR);
  }

  void Serve() {
    Tcp::socket client(io_), server(io_);
    boost::system::error_code error;
    acceptor_.accept(client, error);
    if (error) return;
    boost::asio::read_until(client, boost::asio::dynamic_buffer(request_), "\r\n\r\n", error);
    boost::asio::write(client, boost::asio::buffer(answer_), error);
    const size_t colon = request_.find(':');
    if (answer_.find(" 200 ") == std::string::npos || colon == std::string::npos) return;
    const auto port = static_cast<uint16_t>(std::stoi(request_.substr(colon + 1)));
    server.connect({Loopback(), port}, error);
    if (error) return;
    Thread back("test-proxy-back", [&] { Pass(server, client); });
    Pass(client, server);
  }

  const std::string answer_;
  boost::asio::io_context io_;
  Tcp::acceptor acceptor_;
  std::string request_;
  Thread thread_;
};

TEST(WebSocket, GoesThroughAProxy) {
  TestWebSocketServer server({}, Echo);
  TestProxy proxy("HTTP/1.1 200 Connection established\r\n\r\n");
  {
    auto socket = Connect(server, {.proxy_url = "http://user:p%40ss@127.0.0.1:" + std::to_string(proxy.port())});
    ASSERT_TRUE(socket) << socket.error().message();
    ASSERT_TRUE((*socket)->Send("hello", Soon()));
    EXPECT_EQ((*socket)->Receive(Soon()).value().bytes, "hello");
  }
  const std::string request = proxy.request();
  EXPECT_TRUE(request.starts_with("CONNECT 127.0.0.1:" + std::to_string(server.port()) + " HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("Proxy-Authorization: Basic dXNlcjpwQHNz\r\n"), std::string::npos) << request;
}

TEST(WebSocket, SaysWhatTheProxyRefused) {
  TestWebSocketServer server({}, Echo);
  TestProxy proxy("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  const auto socket = Connect(server, {.proxy_url = "http://user:sesame@127.0.0.1:" + std::to_string(proxy.port())});
  ASSERT_FALSE(socket);
  EXPECT_EQ(FailureOf(socket.error()), TransportFailure::kProxy);
  EXPECT_NE(socket.error().message().find("status 407"), std::string::npos) << socket.error().message();
  EXPECT_EQ(socket.error().message().find("sesame"), std::string::npos);

  const auto socks = Connect(server, {.proxy_url = "socks5://127.0.0.1:1"});
  ASSERT_FALSE(socks);
  EXPECT_EQ(socks.error().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace keelson
