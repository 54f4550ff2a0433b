#include "keelson/transport/tcp.h"

#include <gtest/gtest.h>

#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

CallScope Soon() { return {.deadline = Clock::Now() + std::chrono::seconds(60)}; }

TEST(Tcp, CarriesBytesBothWaysAndTheEndOfEach) {
  for (const char* address : {"127.0.0.1", "::1"}) {
    auto listener = TcpListener::Listen(address, 0);
    if (!listener && address[0] == ':') continue;  // a machine without IPv6
    ASSERT_TRUE(listener) << listener.error().message();
    auto client = TcpStream::Connect(address, (*listener)->port(), Soon());
    ASSERT_TRUE(client) << client.error().message();
    auto server = (*listener)->Accept(Soon());
    ASSERT_TRUE(server) << server.error().message();
    ASSERT_TRUE((*client)->Write("question", Soon()));
    (*client)->FinishWriting();
    std::string received;
    while (true) {
      const auto bytes = (*server)->Read(Soon());
      ASSERT_TRUE(bytes) << bytes.error().message();
      if (bytes->empty()) break;
      received += *bytes;
    }
    EXPECT_EQ(received, "question");
    ASSERT_TRUE((*server)->Write("answer", Soon()));
    EXPECT_EQ((*client)->Read(Soon()).value(), "answer");
  }
}

TEST(Tcp, StopAndDeadlineEndEachWait) {
  auto listener = TcpListener::Listen("127.0.0.1", 0);
  ASSERT_TRUE(listener);
  const auto check = [](const auto& wait) {
    StopSource stop;
    Thread stopper("stopper", [&] { stop.RequestStop(); });
    EXPECT_EQ(wait({.stop = stop.token()}), ErrorCode::kCancelled);
    EXPECT_EQ(wait({.deadline = Clock::Now() + std::chrono::milliseconds(5)}), ErrorCode::kTimeout);
    EXPECT_EQ(wait({.deadline = TimePoint::min()}), ErrorCode::kTimeout);
  };
  check([&](const CallScope& scope) { return (*listener)->Accept(scope).error().code(); });
  auto client = TcpStream::Connect("127.0.0.1", (*listener)->port(), Soon());
  auto server = (*listener)->Accept(Soon());
  ASSERT_TRUE(client && server);
  check([&](const CallScope& scope) { return (*client)->Read(scope).error().code(); });
  // More than sockets hold.
  const std::string large(size_t{64} << 20, 'x');
  check([&](const CallScope& scope) { return (*client)->Write(large, scope).error().code(); });
}

TEST(Tcp, AbortEndsAWaitingRead) {
  auto listener = TcpListener::Listen("127.0.0.1", 0);
  ASSERT_TRUE(listener);
  auto client = TcpStream::Connect("127.0.0.1", (*listener)->port(), Soon());
  ASSERT_TRUE(client);
  Thread aborter("aborter", [&] { (*client)->Abort(); });
  EXPECT_EQ((*client)->Read(Soon()).value(), "");
}

TEST(Tcp, SaysWhyItCannotListenOrConnect) {
  auto listener = TcpListener::Listen("127.0.0.1", 0);
  ASSERT_TRUE(listener);
  const uint16_t port = (*listener)->port();
  const auto taken = TcpListener::Listen("127.0.0.1", port);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(taken.error().message().find("cannot listen on 127.0.0.1:" + std::to_string(port)), std::string::npos);
  EXPECT_EQ(TcpListener::Listen("localhost", 0).error().code(), ErrorCode::kInvalidArgument);
  (*listener).reset();
  const auto refused = TcpStream::Connect("127.0.0.1", port, Soon());
  ASSERT_FALSE(refused);
  ASSERT_NE(refused.error().detail<TransportErrorDetail>(), nullptr);
  EXPECT_EQ(refused.error().detail<TransportErrorDetail>()->failure(), TransportFailure::kRefused);
}

TEST(Tcp, IsNotMadeInASimulation) {
  Simulation simulation({.seed = 1});
  ErrorCode code = ErrorCode::kInternal;
  ASSERT_TRUE(simulation.Run([&] { code = TcpListener::Listen("127.0.0.1", 0).error().code(); }));
  EXPECT_EQ(code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace keelson
