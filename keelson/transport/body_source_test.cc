// Bodies that are made as the client takes them, over each way that an answer can go.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "keelson/transport/http2_client_test_support.h"
#include "keelson/transport/http_server_test_support.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

constexpr size_t kLong = 5'000'000;

std::string Text(size_t from, size_t size) {
  std::string text;
  for (size_t i = from; i < from + size; ++i) text += static_cast<char>('a' + i * i % 23);
  return text;
}

// What a test knows of a source that is elsewhere.
struct Watched {
  Counted made;  // bytes
  Counted reads;
  Counted gone;
};

class Letters final : public BodySource {
 public:
  Letters(size_t size, Watched& watched) : left_(size), watched_(watched) {}
  ~Letters() override { watched_.gone.Add(); }

  size_t size() const override { return left_; }
  void Read(size_t max, std::string& out) override {
    const size_t part = std::min(max, left_);
    out += Text(at_, part);
    at_ += part;
    left_ -= part;
    watched_.made.Add(static_cast<int64_t>(part));
    watched_.reads.Add();
  }

 private:
  size_t at_ = 0;
  size_t left_;
  Watched& watched_;
};

FunctionHandler::Function Sending(size_t size, Watched& watched) {
  return [size, &watched](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {{"Content-Length", std::to_string(size)}});
    response->WriteFrom(std::make_unique<Letters>(size, watched));
    response->Finish();
  };
}

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(BodySource, ArrivesWholeByHttp1AndTheConnectionIsKept) {
  Watched watched;
  FunctionHandler handler(Sending(kLong, watched));
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  for (int i = 1; i <= 2; ++i) {
    client.Send(kGet);
    const RawAnswer answer = client.ReadAnswer();
    EXPECT_TRUE(answer.complete);
    EXPECT_TRUE(answer.body == Text(0, kLong));
    EXPECT_TRUE(watched.gone.WaitFor(i));
  }
}

TEST(BodySource, ArrivesInChunksWhenNobodySaidHowLongItIs) {
  Watched watched;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->Write("begin ");
    response->WriteFrom(std::make_unique<Letters>(kLong, watched));
    std::shared_ptr<ResponseWriter> later = std::move(response);
    later->Finish();
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send(kGet);
  const RawAnswer answer = client.ReadAnswer();
  EXPECT_TRUE(answer.complete);
  EXPECT_TRUE(answer.body == "begin " + Text(0, kLong));
}

TEST(BodySource, ArrivesWholeByHttp2) {
  Watched watched;
  FunctionHandler handler(Sending(kLong, watched));
  const auto server = StartOrDie(handler);
  Http2Client client(server->port());
  const int32_t one = client.Request("GET", "/");
  const int32_t other = client.Request("GET", "/");
  EXPECT_TRUE(client.Finish(one).body == Text(0, kLong));
  EXPECT_TRUE(client.Finish(other).body == Text(0, kLong));
  EXPECT_EQ(client.answers[one].headers.at("content-length"), std::to_string(kLong));
  EXPECT_TRUE(watched.gone.WaitFor(2));
}

TEST(BodySource, ArrivesWholeInProcess) {
  Watched watched;
  FunctionHandler handler(Sending(kLong, watched));
  InProcessTransport transport(handler);
  Result<HttpResponse> answer = transport.Send({}, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_TRUE(ReadAll(*answer->body, kLong).value() == Text(0, kLong));
  EXPECT_EQ(watched.gone.get(), 1);
}

TEST(BodySource, NoMoreIsMadeThanASlowClientTakes) {
  Watched watched;
  constexpr size_t kEndless = size_t{1} << 40;
  FunctionHandler handler(Sending(kEndless, watched));
  const auto server = StartOrDie(handler, {.body_timeout = 100ms});
  {
    RawClient client(server->port(), 4096);
    client.Send(kGet);
    // A client that takes nothing is cut, and the source goes with its connection.
    EXPECT_TRUE(watched.gone.WaitFor(1));
  }
  {
    // One frame's worth of window is one frame made.
    Http2Client client(server->port(), 1000, false);
    const int32_t stream = client.Request("GET", "/");
    ASSERT_TRUE(client.RunUntil([&] { return client.answers[stream].body.size() == 1000; }));
    EXPECT_TRUE(watched.gone.WaitFor(2));
  }
  InProcessTransport transport(handler);
  Result<HttpResponse> answer = transport.Send({}, {});
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->body->Next().value().empty());
  answer->body = nullptr;
  EXPECT_EQ(watched.gone.get(), 3);
  // What the sockets' buffers hold, and some: by far not all of it.
  EXPECT_LT(watched.made.get(), 64 << 20);
}

TEST(BodySource, IsNotReadForAHead) {
  Watched watched;
  FunctionHandler handler(Sending(kLong, watched));
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  const RawAnswer answer = client.ReadAnswer(true);
  EXPECT_NE(answer.head.find("Content-Length: " + std::to_string(kLong)), std::string::npos);
  EXPECT_TRUE(watched.gone.WaitFor(1));
  EXPECT_EQ(watched.reads.get(), 0);
}

}  // namespace
}  // namespace keelson
