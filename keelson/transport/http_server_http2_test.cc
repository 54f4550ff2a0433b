// The server in HTTP/2, by prior knowledge.
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/thread.h"
#include "keelson/transport/http2_client_test_support.h"
#include "keelson/transport/http_server.h"
#include "keelson/transport/http_server_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string Frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  std::string frame;
  for (const int shift : {16, 8, 0}) frame += static_cast<char>(payload.size() >> shift);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift);
  return frame.append(payload);
}

const std::string& EmptySettings() {
  static const std::string frame = Frame(NGHTTP2_SETTINGS, 0, 0, "");
  return frame;
}

// GET http / with nothing else, from the static table.
constexpr std::string_view kSmallestHeader = "\x82\x86\x84\x01\x01x";

TEST(Http2Server, AnswersARequest) {
  Awaited<ServerRequest> seen;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    seen.Set(request);
    Respond(*response, 201, "text/plain", "hello\n");
  });
  const auto server = StartOrDie(handler);
  Http2Client client(server->port());
  const Http2Answer& answer = client.Finish(client.Request("POST", "/a%2Fb?q=1", "body", {{"x-a", "1"}, {"x-a", "2"}}));
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.error, 0u);
  EXPECT_EQ(answer.body, "hello\n");
  EXPECT_EQ(answer.headers.at("content-type"), "text/plain");
  EXPECT_EQ(answer.headers.at("content-length"), "6");
  EXPECT_EQ(answer.headers.count("date"), 1u);

  const ServerRequest request = seen.Wait().value();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/a%2Fb");
  EXPECT_EQ(request.query, "q=1");
  EXPECT_EQ(*request.headers.Find("Host"), "test");
  EXPECT_EQ(request.headers.All("X-A"), (std::vector<std::string_view>{"1", "2"}));
  EXPECT_EQ(request.body, "body");
}

TEST(Http2Server, CarriesLargeBodiesBothWays) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  Http2Client client(server->port());
  std::string body;
  for (int i = 0; body.size() < (3u << 20) - 10; ++i) body += std::to_string(i) + ' ';
  body.resize(3u << 20);
  const Http2Answer& answer = client.Finish(client.Request("POST", "/", body));
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body == "POST / ?\n" + body);
}

TEST(Http2Server, AnswersInAnyOrder) {
  Mutex mutex;
  std::vector<std::shared_ptr<ResponseWriter>> writers;
  Counted count;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    MutexLock lock(mutex);
    writers.push_back(std::move(response));
    count.Add();
  });
  const auto server = StartOrDie(handler);
  Http2Client client(server->port());
  std::vector<int32_t> ids;
  for (int i = 0; i < 100; ++i) ids.push_back(client.Request("GET", "/"));
  client.Flush();
  ASSERT_TRUE(count.WaitFor(100));
  for (int i = 99; i >= 0; --i) {
    Respond(*writers[static_cast<size_t>(i)], 200, "text/plain", std::to_string(i));
    EXPECT_EQ(client.Finish(ids[static_cast<size_t>(i)]).body, std::to_string(i));
  }
}

TEST(Http2Server, StreamsToManyAtOnce) {
  Mutex mutex;
  std::vector<std::shared_ptr<ResponseWriter>> watchers;
  Counted count;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    MutexLock lock(mutex);
    watchers.push_back(std::move(response));
    count.Add();
  });
  const auto server = StartOrDie(handler);
  Http2Client client(server->port());
  std::vector<int32_t> ids;
  for (int i = 0; i < 50; ++i) ids.push_back(client.Request("GET", "/"));
  client.Flush();
  ASSERT_TRUE(count.WaitFor(50));
  Thread publishing("publishing", [&] {
    for (int event = 0; event < 200; ++event) {
      const String text("event " + std::to_string(event) + "\n");
      for (const auto& watcher : watchers) watcher->Write(text);
    }
    for (const auto& watcher : watchers) watcher->Finish();
  });
  std::string expected;
  for (int event = 0; event < 200; ++event) expected += "event " + std::to_string(event) + "\n";
  for (const int32_t id : ids) {
    const Http2Answer& answer = client.Finish(id);
    EXPECT_EQ(answer.body, expected);
    EXPECT_EQ(answer.error, 0u);
  }
}

TEST(Http2Server, AnswersWithoutABody) {
  FunctionHandler handler([](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.method == "HEAD") return Respond(*response, 200, "text/plain", "0123456789");
    response->Start(204, {{"Connection", "close"}});
    response->Write("ignored");
    response->Finish();
  });
  const auto server = StartOrDie(handler);
  Http2Client client(server->port());
  const Http2Answer head = client.Finish(client.Request("HEAD", "/"));
  EXPECT_EQ(head.headers.at("content-length"), "10");
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.error, 0u);
  const Http2Answer nothing = client.Finish(client.Request("DELETE", "/"));
  EXPECT_EQ(nothing.status, 204);
  EXPECT_EQ(nothing.body, "");
  EXPECT_EQ(nothing.headers.count("connection"), 0u);
}

TEST(Http2Server, AnUnfinishedAnswerIsReset) {
  FunctionHandler handler([](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path == "/none") return;
    if (request.path == "/throws") throw std::runtime_error("handler");
    response->Start(200, request.path == "/streamed" ? Headers{} : Headers{{"Content-Length", "5"}});
    response->Write(request.path == "/long" ? "abcdefgh" : "abc");
    if (request.path != "/streamed") response->Finish();
  });
  const auto server = StartOrDie(handler);
  Http2Client client(server->port());
  for (const std::string path : {"/none", "/throws", "/short", "/long", "/streamed"}) {
    const Http2Answer answer = client.Finish(client.Request("GET", path));
    EXPECT_EQ(answer.error, static_cast<uint32_t>(NGHTTP2_INTERNAL_ERROR)) << path;
  }
  EXPECT_FALSE(client.goaway);
}

TEST(Http2Server, TellsTheHandlerOfAReset) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  Counted closed;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->Write("first");
    response->OnEvents(nullptr, [&] { closed.Add(); });
    writer.Set(std::move(response));
  });
  const auto server = StartOrDie(handler);
  Http2Client client(server->port());
  const int32_t id = client.Request("GET", "/");
  client.RunUntil([&] { return client.answers[id].body == "first"; });
  client.Reset(id);
  client.Flush();
  EXPECT_TRUE(closed.WaitFor(1));
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  EXPECT_FALSE(response->Write("more"));
  EXPECT_EQ(response->pending(), 0u);
}

TEST(Http2Server, TellsTheHandlersThatTheClientHasGone) {
  Mutex mutex;
  std::vector<std::shared_ptr<ResponseWriter>> writers;
  Counted opened, closed;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->OnEvents(nullptr, [&] { closed.Add(); });
    MutexLock lock(mutex);
    writers.push_back(std::move(response));
    opened.Add();
  });
  const auto server = StartOrDie(handler);
  {
    Http2Client client(server->port());
    for (int i = 0; i < 10; ++i) client.Request("GET", "/");
    client.Flush();
    ASSERT_TRUE(opened.WaitFor(10));
  }
  EXPECT_TRUE(closed.WaitFor(10));
  for (const auto& writer : writers) EXPECT_FALSE(writer->Write("x"));
}

TEST(Http2Server, RefusesLargeRequests) {
  Counted handled;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    handled.Add();
    Echo(std::move(request), std::move(response));
  });
  const auto server = StartOrDie(handler, {.max_header_bytes = 4000, .max_body_bytes = 100000});
  Http2Client client(server->port());
  const std::string large(100001, 'b');
  EXPECT_EQ(client.Finish(client.Request("POST", "/", large)).status, 413);
  EXPECT_EQ(client.Finish(client.Request("POST", "/", large, {{"content-length", "100001"}})).status, 413);
  EXPECT_EQ(client.Finish(client.Request("GET", "/", "", {{"a", std::string(5000, 'a')}})).status, 431);
  Http2Client::Fields many;
  for (int i = 0; i < 150; ++i) many.emplace_back("a", "");
  EXPECT_EQ(client.Finish(client.Request("GET", "/", "", many)).status, 431);
  EXPECT_EQ(handled.get(), 0);
  // The connection is as good as before.
  EXPECT_EQ(client.Finish(client.Request("POST", "/", large.substr(1))).status, 200);
  EXPECT_FALSE(client.goaway);
}

TEST(Http2Server, EndsTheConnectionOfAHopelessHeader) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.max_header_bytes = 1000});
  Http2Client client(server->port());
  Http2Client::Fields many;
  for (int i = 0; i < 10; ++i) many.emplace_back("a", std::string(4000, static_cast<char>('a' + i)));
  client.Request("GET", "/", "", many);
  client.RunUntil([] { return false; });
  EXPECT_TRUE(client.goaway);
  EXPECT_EQ(client.goaway_error, static_cast<uint32_t>(NGHTTP2_ENHANCE_YOUR_CALM));
}

TEST(Http2Server, BoundsTheBodiesOfAllStreamsTogether) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.max_body_bytes = 100000, .write_buffer = 1000});
  Http2Client client(server->port());
  std::vector<int32_t> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(client.Request("POST", "/", std::string(90000, 'b'), {}, true));
  client.RunUntil(
      [&] { return client.answers[ids[0]].ended || client.answers[ids[1]].ended || client.answers[ids[2]].ended; });
  int refused = 0;
  for (const int32_t id : ids) {
    if (client.answers[id].ended) {
      ++refused;
      EXPECT_EQ(client.answers[id].error, static_cast<uint32_t>(NGHTTP2_REFUSED_STREAM));
    }
  }
  EXPECT_EQ(refused, 1);
}

TEST(Http2Server, BoundsTheStreamsOfAConnection) {
  Mutex mutex;
  std::vector<std::shared_ptr<ResponseWriter>> writers;
  Counted count;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    MutexLock lock(mutex);
    writers.push_back(std::move(response));
    count.Add();
  });
  const auto server = StartOrDie(handler, {.max_streams = 3});
  // Before it knows the server's settings, so that it is not the client who keeps the limit.
  RawClient client(server->port());
  std::string bytes = std::string(kPreface) + EmptySettings();
  for (uint32_t id = 1; id <= 9; id += 2) {
    bytes += Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, id, kSmallestHeader);
  }
  client.Send(bytes);
  ASSERT_TRUE(count.WaitFor(3));
  const std::string refused = Frame(NGHTTP2_RST_STREAM, 0, 9, std::string_view("\0\0\0\x07", 4));
  EXPECT_TRUE(client.ReadUntil(refused).ends_with(refused));
  EXPECT_EQ(count.get(), 3);
}

TEST(Http2Server, RapidResetsCostNoHandlerAndEndTheConnection) {
  Counted handled;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    handled.Add();
    Echo(std::move(request), std::move(response));
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  std::string bytes = std::string(kPreface) + EmptySettings();
  for (uint32_t id = 1; id < 4000; id += 2) {
    bytes += Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, id, kSmallestHeader);
    bytes += Frame(NGHTTP2_RST_STREAM, 0, id, std::string_view("\0\0\0\x08", 4));
  }
  client.Send(bytes);
  const std::string answer = client.ReadToEnd();
  const size_t goaway = answer.find(std::string_view("\0\0\x08\x07\0\0\0\0\0", 9));
  ASSERT_NE(goaway, std::string::npos) << testing::PrintToString(answer);
  EXPECT_EQ(answer[goaway + 9 + 7], static_cast<char>(NGHTTP2_ENHANCE_YOUR_CALM));
  EXPECT_LT(handled.get(), 100);  // those at the seams of what was read at once
}

TEST(Http2Server, HandlersOfResetStreamsStillCount) {
  Mutex mutex;
  std::vector<std::shared_ptr<ResponseWriter>> writers;
  Counted count;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    MutexLock lock(mutex);
    writers.push_back(std::move(response));
    count.Add();
  });
  const auto server = StartOrDie(handler, {.max_streams = 5});
  Http2Client client(server->port());
  client.RunUntil([&] {
    return nghttp2_session_get_remote_settings(client.session(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS) == 5;
  });
  for (int i = 0; i < 10; ++i) {
    const int32_t id = client.Request("GET", "/");
    client.Flush();
    ASSERT_TRUE(count.WaitFor(i + 1));
    client.Reset(id);
    client.Flush();
  }
  EXPECT_EQ(client.Finish(client.Request("GET", "/")).error, static_cast<uint32_t>(NGHTTP2_REFUSED_STREAM));
  {
    MutexLock lock(mutex);
    writers.clear();
  }
  const int32_t id = client.Request("GET", "/");
  client.Flush();
  EXPECT_TRUE(count.WaitFor(11));
  Respond(*writers.front(), 200, "text/plain", "again");
  EXPECT_EQ(client.Finish(id).body, "again");
}

TEST(Http2Server, FloodsOfControlFramesEndTheConnection) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  const std::vector<std::pair<std::string, std::string>> floods = {
      {"ping", Frame(NGHTTP2_PING, 0, 0, "12345678")},
      {"settings", EmptySettings()},
      {"priority", Frame(NGHTTP2_PRIORITY, 0, 1, std::string_view("\0\0\0\0\x10", 5))},
  };
  for (const auto& [name, frame] : floods) {
    RawClient client(server->port());
    std::string bytes = std::string(kPreface) + EmptySettings();
    for (int i = 0; i < 3000; ++i) bytes += frame;
    client.Send(bytes);
    const std::string answer = client.ReadToEnd();
    EXPECT_NE(answer.find(std::string_view("\0\0\0\x0b", 4)), std::string::npos) << name;
  }
}

TEST(Http2Server, ContinuationsWithoutEndEndTheConnection) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  std::string bytes = std::string(kPreface) + EmptySettings() + Frame(NGHTTP2_HEADERS, 0, 1, kSmallestHeader);
  for (int i = 0; i < 1000; ++i) bytes += Frame(NGHTTP2_CONTINUATION, 0, 1, "");
  client.Send(bytes);
  client.ReadToEnd();
}

TEST(Http2Server, BreachesOfTheProtocolEndTheConnection) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  const std::vector<std::string> breaches = {
      Frame(NGHTTP2_DATA, 0, 1, "for a stream that is not open"),
      Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 2, kSmallestHeader),  // even: not a client's
      Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
      Frame(NGHTTP2_PING, 0, 0, "short"),
      Frame(NGHTTP2_SETTINGS, 0, 3, ""),
      Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, std::string_view("\0\0\0\0", 4)),
      std::string("\xff\xff\xff", 3) + std::string(100, '\xff'),
  };
  for (const std::string& breach : breaches) {
    RawClient client(server->port());
    client.Send(std::string(kPreface) + EmptySettings() + breach);
    client.ReadToEnd();  // fails the test when the end does not come
  }
  RawClient other(server->port());
  other.Send(std::string(kPreface) + "no settings but some other text that is long enough");
  other.ReadToEnd();
}

TEST(Http2Server, BoundsTheTimeOfEachPart) {
  FunctionHandler handler(Echo);
  {
    const auto server = StartOrDie(handler, {.header_timeout = 50ms});
    RawClient silent(server->port());
    silent.Send(kPreface);
    silent.ReadToEnd();
    RawClient stuck(server->port());
    stuck.Send(std::string(kPreface) + EmptySettings() + Frame(NGHTTP2_HEADERS, 0, 1, kSmallestHeader));
    stuck.ReadToEnd();
  }
  {
    const auto server = StartOrDie(handler, {.body_timeout = 50ms});
    Http2Client client(server->port());
    EXPECT_EQ(client.Finish(client.Request("POST", "/", "begun", {}, true)).status, 408);
  }
  {
    const auto server = StartOrDie(handler, {.idle_timeout = 50ms});
    Http2Client client(server->port());
    EXPECT_EQ(client.Finish(client.Request("GET", "/")).status, 200);
    client.RunUntil([] { return false; });
    EXPECT_TRUE(client.goaway);
    EXPECT_EQ(client.goaway_error, 0u);
  }
}

TEST(Http2Server, OneSlowStreamDoesNotHoldUpOthers) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path != "/stream") return Echo(std::move(request), std::move(response));
    response->Start(200, {});
    response->Write(std::string(1 << 20, 'x'));
    writer.Set(std::move(response));
  });
  const auto server = StartOrDie(handler, {.body_timeout = 50ms});
  // Gives credit by hand only; the window of the connection is large.
  Http2Client client(server->port(), 1000, false);
  nghttp2_session_set_local_window_size(client.session(), NGHTTP2_FLAG_NONE, 0, 1 << 24);
  const int32_t stream = client.Request("GET", "/stream");
  ASSERT_TRUE(client.RunUntil([&] { return client.answers[stream].body.size() == 1000; }));
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  EXPECT_TRUE(Eventually([&] { return response->pending() == (1u << 20) - 1000; }));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.Finish(client.Request("GET", "/")).body, "GET / ?\n");
  EXPECT_FALSE(client.answers[stream].ended);
  // Finished, it has its time to be taken, and is reset after that.
  response->Finish();
  EXPECT_EQ(client.Finish(stream).error, static_cast<uint32_t>(NGHTTP2_CANCEL));
  EXPECT_EQ(client.Finish(client.Request("GET", "/")).body, "GET / ?\n");
  EXPECT_FALSE(client.goaway);
}

TEST(Http2Server, RequestsWaitWhileTooMuchIsUntaken) {
  Counted handled;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    handled.Add();
    Respond(*response, 200, "text/plain", std::string(100000, 'x'));
  });
  const auto server = StartOrDie(handler, {.write_buffer = 150000});
  Http2Client client(server->port(), 1000, false);
  nghttp2_session_set_local_window_size(client.session(), NGHTTP2_FLAG_NONE, 0, 1 << 24);
  std::vector<int32_t> ids;
  for (int i = 0; i < 10; ++i) {
    ids.push_back(client.Request("GET", "/"));
    // One by one, as those of one breath are handled together.
    if (i < 2) client.RunUntil([&] { return client.answers[ids.back()].body.size() == 1000; });
  }
  client.Flush();
  // The server has read them all once it answers a ping that was sent behind them.
  nghttp2_submit_ping(client.session(), NGHTTP2_FLAG_NONE, nullptr);
  ASSERT_TRUE(client.RunUntil([&] { return client.pinged; }));
  EXPECT_EQ(handled.get(), 2);
  // Taken bit by bit, all come in the end.
  while (!client.closed && handled.get() < 10) {
    for (const int32_t id : ids) {
      if (!client.answers[id].ended) client.Consume(id, 1000);
    }
    client.Flush();
    const std::string bytes = client.socket().Read();
    nghttp2_session_mem_recv(client.session(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  EXPECT_EQ(handled.get(), 10);
}

TEST(Http2Server, CutsAClientThatDoesNotReadAtAll) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    Respond(*response, 200, "text/plain", std::string(32 << 20, 'x'));
    writer.Set(std::move(response));
  });
  const auto server = StartOrDie(handler, {.body_timeout = 100ms});
  Http2Client client(server->port(), 0x7fffffff);
  nghttp2_session_set_local_window_size(client.session(), NGHTTP2_FLAG_NONE, 0, 0x7fffffff);
  client.Request("GET", "/");
  client.Flush();
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  // Falls to nothing only when the connection is cut.
  EXPECT_TRUE(Eventually([&] { return response->pending() == 0; }));
}

TEST(Http2Server, DrainSaysGoodbyeAndFinishes) {
  Awaited<std::shared_ptr<ResponseWriter>> unary, stream;
  Counted closed;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path == "/unary") return unary.Set(std::move(response));
    response->Start(200, {});
    response->Write("first ");
    response->OnEvents(nullptr, [&] { closed.Add(); });
    stream.Set(std::move(response));
  });
  const auto server = StartOrDie(handler);
  Http2Client idle(server->port());
  idle.RunUntil([&] {
    return nghttp2_session_get_remote_settings(idle.session(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS) == 250;
  });
  Http2Client client(server->port());
  const int32_t unary_id = client.Request("GET", "/unary");
  const int32_t stream_id = client.Request("GET", "/stream");
  client.Flush();
  const std::shared_ptr<ResponseWriter> unary_response = *unary.Wait();
  const std::shared_ptr<ResponseWriter> stream_response = *stream.Wait();
  Awaited<bool> in_time;
  Thread draining("draining", [&] { in_time.Set(server->Drain(kPatience)); });
  idle.RunUntil([] { return false; });
  EXPECT_TRUE(idle.goaway);
  EXPECT_TRUE(closed.WaitFor(1));
  EXPECT_TRUE(client.RunUntil([&] { return client.goaway; }));
  EXPECT_EQ(client.goaway_error, 0u);
  stream_response->Write("last");
  stream_response->Finish();
  EXPECT_EQ(client.Finish(stream_id).body, "first last");
  EXPECT_FALSE(in_time.IsSet());
  Respond(*unary_response, 200, "text/plain", "done");
  EXPECT_EQ(client.Finish(unary_id).body, "done");
  client.RunUntil([] { return false; });
  client.socket().Close();
  idle.socket().Close();
  EXPECT_TRUE(in_time.Wait().value_or(false));
}

}  // namespace
}  // namespace keelson
