#include "keelson/client/port_forward.h"

#include <gtest/gtest.h>

#include <vector>

#include "keelson/api/status_error.h"
#include "keelson/transport/web_socket_test_support.h"

namespace keelson {
namespace {

using namespace std::string_literals;
using std::chrono::milliseconds;

const ObjectKey kPod = {"default", "web"};

// What a node does for port 8080, and a dialer to it.
struct Node {
  explicit Node(TestWebSocketServer::Script script, std::string protocol = "v4.channel.k8s.io")
      : server({.subprotocols = {std::move(protocol)}},
               [script = std::move(script)](TestPeer& peer) {
                 peer.Write("\0\x90\x1f"s);  // each channel begins with the port's number
                 peer.Write("\1\x90\x1f"s);
                 script(peer);
               }),
        dialer(WebSocketDialer::Create({.server = server.url(), .tls = server.client_tls()}).value()) {}

  TestWebSocketServer server;
  std::shared_ptr<WebSocketDialer> dialer;
};

void Echo(TestPeer& peer) {
  while (const auto message = peer.Read()) peer.Write(*message);
}

std::string ReadExactly(TcpStream& stream, size_t size) {
  std::string read;
  while (read.size() < size) {
    const auto bytes = stream.Read(Soon());
    if (!bytes || bytes->empty()) break;
    read += *bytes;
  }
  return read;
}

TEST(PodConnection, CarriesBytesBothWays) {
  std::string target;
  Node node([&](TestPeer& peer) {
    target = peer.target();
    Echo(peer);
  });
  auto connection = DialPodPort(*node.dialer, kPod, 8080, Soon());
  ASSERT_TRUE(connection) << connection.error().message();
  ASSERT_TRUE((*connection)->Write("hello", Soon()));
  EXPECT_EQ((*connection)->Read(Soon()).value(), "hello");
  EXPECT_EQ((*connection)->Read({.deadline = Clock::Now()}).error().code(), ErrorCode::kTimeout);
  (*connection)->Close(Soon());
  EXPECT_EQ(target, "/api/v1/namespaces/default/pods/web/portforward?ports=8080");
}

TEST(PodConnection, EndsWithThePod) {
  Node node([](TestPeer& peer) { peer.Write("\0bye"s); });
  auto connection = DialPodPort(*node.dialer, kPod, 8080, Soon());
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ((*connection)->Read(Soon()).value(), "bye");
  EXPECT_EQ((*connection)->Read(Soon()).value(), "");
  EXPECT_EQ((*connection)->Read(Soon()).value(), "");
}

TEST(PodConnection, GivesTheNodesError) {
  Node node([](TestPeer& peer) { peer.Write("\1connection refused"s); });
  auto connection = DialPodPort(*node.dialer, kPod, 8080, Soon());
  ASSERT_TRUE(connection) << connection.error().message();
  const auto bytes = (*connection)->Read(Soon());
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(bytes.error().message(), "connection refused");
}

TEST(PodConnection, PortMayComeInPiecesWithDataBehindIt) {
  TestWebSocketServer server({.subprotocols = {"v4.channel.k8s.io"}}, [](TestPeer& peer) {
    for (const std::string& message : {""s, "\0"s, "\0\x90"s, "\5unknown"s,
                                       "\0\x1f"
                                       "data"s,
                                       "\1\x90\x1f"s}) {
      peer.Write(message);
    }
  });
  auto dialer = WebSocketDialer::Create({.server = server.url(), .tls = server.client_tls()}).value();
  auto connection = DialPodPort(*dialer, kPod, 8080, Soon());
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ((*connection)->Read(Soon()).value(), "data");
  EXPECT_EQ((*connection)->Read(Soon()).value(), "");
}

TEST(PodConnection, CutAndTextAreErrors) {
  Node cut([](TestPeer& peer) { peer.Cut(); });
  Node text([](TestPeer& peer) { peer.WriteText("hello"); });
  for (Node* node : {&cut, &text}) {
    auto connection = DialPodPort(*node->dialer, kPod, 8080, Soon());
    ASSERT_TRUE(connection) << connection.error().message();
    EXPECT_EQ((*connection)->Read(Soon()).error().code(), ErrorCode::kUnavailable);
  }
}

TEST(PodConnection, NeedsTheSubprotocolAndAPort) {
  Node node(Echo, "other");
  EXPECT_EQ(DialPodPort(*node.dialer, kPod, 8080, Soon()).error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(DialPodPort(*node.dialer, kPod, 0, Soon()).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(PortForward::Start(node.dialer, kPod, {}).error().code(), ErrorCode::kInvalidArgument);
}

TEST(PortForward, PassesConnectionsOnAtTheSameTime) {
  Node node(Echo);
  auto forward = PortForward::Start(node.dialer, kPod, {.port = 8080});
  ASSERT_TRUE(forward) << forward.error().message();
  std::vector<std::unique_ptr<TcpStream>> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(TcpStream::Connect("127.0.0.1", (*forward)->port(), Soon()).value());
  }
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(clients[i]->Write("hello " + std::to_string(i), Soon()));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ReadExactly(*clients[i], 7), "hello " + std::to_string(i));
}

TEST(PortForward, MovesMuchDataBothWays) {
  Node node(Echo);
  auto forward = PortForward::Start(node.dialer, kPod, {.port = 8080});
  ASSERT_TRUE(forward) << forward.error().message();
  auto client = TcpStream::Connect("127.0.0.1", (*forward)->port(), Soon()).value();
  std::string data(size_t{8} << 20, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 2654435761u >> 13);
  Thread writer("writer", [&] { ASSERT_TRUE(client->Write(data, Soon())); });
  EXPECT_TRUE(ReadExactly(*client, data.size()) == data);
}

TEST(PortForward, AnswerReachesAClientThatHasFinishedWriting) {
  Node node([](TestPeer& peer) {
    EXPECT_EQ(peer.Read(), "\0question"s);
    peer.Write("\0answer"s);
  });
  auto forward = PortForward::Start(node.dialer, kPod, {.port = 8080});
  ASSERT_TRUE(forward) << forward.error().message();
  auto client = TcpStream::Connect("127.0.0.1", (*forward)->port(), Soon()).value();
  ASSERT_TRUE(client->Write("question", Soon()));
  client->FinishWriting();
  EXPECT_EQ(ReadExactly(*client, 100), "answer");
}

TEST(PortForward, ClientThatIsGoneEndsTheConnectionToThePod) {
  TestEvent ended;
  Node node([&](TestPeer& peer) {
    while (peer.Read()) {
    }
    ended.Set();
  });
  auto forward = PortForward::Start(node.dialer, kPod, {.port = 8080, .half_close_timeout = milliseconds(20)});
  ASSERT_TRUE(forward) << forward.error().message();
  TcpStream::Connect("127.0.0.1", (*forward)->port(), Soon()).value().reset();
  EXPECT_TRUE(ended.Wait());
}

TEST(PortForward, ErrorsAreToldAndEndTheConnection) {
  Node node([](TestPeer& peer) { peer.Write("\1connection refused"s); });
  Mutex mutex;
  std::string told;
  TestEvent event;
  auto forward = PortForward::Start(node.dialer, kPod, {.port = 8080, .on_error = [&](const Error& error) {
                                                          {
                                                            MutexLock lock(mutex);
                                                            told = error.message();
                                                          }
                                                          event.Set();
                                                        }});
  ASSERT_TRUE(forward) << forward.error().message();
  auto client = TcpStream::Connect("127.0.0.1", (*forward)->port(), Soon()).value();
  EXPECT_EQ(ReadExactly(*client, 1), "");
  ASSERT_TRUE(event.Wait());
  MutexLock lock(mutex);
  EXPECT_EQ(told, "port 8080 of pod default/web: connection refused");
}

TEST(PortForward, MoreConnectionsThanAllowedWaitForTheirTurn) {
  Node node(Echo);
  auto forward = PortForward::Start(node.dialer, kPod,
                                    {.port = 8080, .max_connections = 1, .half_close_timeout = milliseconds(1)});
  ASSERT_TRUE(forward) << forward.error().message();
  auto first = TcpStream::Connect("127.0.0.1", (*forward)->port(), Soon()).value();
  auto second = TcpStream::Connect("127.0.0.1", (*forward)->port(), Soon()).value();
  ASSERT_TRUE(first->Write("1", Soon()) && second->Write("2", Soon()));
  EXPECT_EQ(ReadExactly(*first, 1), "1");
  EXPECT_EQ(second->Read({.deadline = Clock::Now() + milliseconds(50)}).error().code(), ErrorCode::kTimeout);
  first.reset();
  EXPECT_EQ(ReadExactly(*second, 1), "2");
}

TEST(PortForward, ItsEndCutsWhatIsOpen) {
  TestEvent dialled, ended;
  Node node([&](TestPeer& peer) {
    dialled.Set();
    while (peer.Read()) {
    }
    ended.Set();
  });
  auto forward = PortForward::Start(node.dialer, kPod, {.port = 8080});
  ASSERT_TRUE(forward) << forward.error().message();
  auto client = TcpStream::Connect("127.0.0.1", (*forward)->port(), Soon()).value();
  ASSERT_TRUE(dialled.Wait());
  forward->reset();
  EXPECT_EQ(ReadExactly(*client, 1), "");
  EXPECT_TRUE(ended.Wait());
}

}  // namespace
}  // namespace keelson
