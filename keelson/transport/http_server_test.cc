// The server in HTTP/1.1, and what does not depend on the protocol.
#include "keelson/transport/http_server.h"

#include <sys/un.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/transport/http_server_test_support.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(HttpServer, AnswersARequest) {
  Awaited<ServerRequest> seen;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    seen.Set(request);
    Respond(*response, 201, "text/plain", "hello\n");
  });
  const auto server = StartOrDie(handler);
  EXPECT_EQ(server->url(), "http://127.0.0.1:" + std::to_string(server->port()));

  RawClient client(server->port());
  client.Send("POST /a/b%2Fc?x=1&y=%20 HTTP/1.1\r\nHost: x\r\nX-Two: 1\r\nx-two: 2\r\nContent-Length: 4\r\n\r\nbody");
  const RawAnswer answer = client.ReadAnswer();
  EXPECT_EQ(answer.status, 201);
  EXPECT_TRUE(answer.head.starts_with("HTTP/1.1 201 Created\r\n")) << answer.head;
  EXPECT_NE(answer.head.find("Content-Type: text/plain\r\n"), std::string::npos);
  EXPECT_NE(answer.head.find("Content-Length: 6\r\n"), std::string::npos);
  EXPECT_NE(answer.head.find("\r\nDate: "), std::string::npos);
  EXPECT_EQ(answer.body, "hello\n");

  const ServerRequest request = seen.Wait().value();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/a/b%2Fc");
  EXPECT_EQ(request.query, "x=1&y=%20");
  EXPECT_EQ(request.headers.All("X-TWO"), (std::vector<std::string_view>{"1", "2"}));
  EXPECT_EQ(request.body, "body");
  EXPECT_TRUE(request.peer->address.starts_with("127.0.0.1:"));
  EXPECT_FALSE(request.peer->tls);
}

TEST(HttpServer, KeepsTheConnectionForFurtherRequests) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  for (int i = 0; i < 3; ++i) {
    client.Send("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.ReadAnswer().body, "GET /" + std::to_string(i) + " ?\n");
  }
  client.Send("GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const RawAnswer last = client.ReadAnswer();
  EXPECT_NE(last.head.find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  // The first answer is given by another thread after the second request has come.
  Awaited<std::shared_ptr<ResponseWriter>> first;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path == "/1") return first.Set(response);
    Respond(*response, 200, "text/plain", request.path);
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
  Respond(**first.Wait(), 200, "text/plain", "/1");
  EXPECT_EQ(client.ReadAnswer().body, "/1");
  EXPECT_EQ(client.ReadAnswer().body, "/2");
  EXPECT_EQ(client.ReadAnswer().body, "/3");
}

TEST(HttpServer, ReadsARequestCutAtAnyByte) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  const std::string request =
      "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;e=1\r\ndefg\r\n0\r\nT: 1\r\n\r\n";
  RawClient client(server->port());
  for (size_t cut = 1; cut < request.size(); ++cut) {
    client.Send(request.substr(0, cut));
    client.Send(request.substr(cut));
    ASSERT_EQ(client.ReadAnswer().body, "POST /p ?\nabcdefg") << cut;
  }
  for (const char byte :
       std::string_view("PUT /empty HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")) {
    client.Send({&byte, 1});
  }
  EXPECT_EQ(client.ReadAnswer().body, "PUT /empty ?\n");
}

TEST(HttpServer, SendsContinueToThoseWhoAsk) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.max_body_bytes = 10});
  RawClient client(server->port());
  client.Send("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("abc");
  EXPECT_EQ(client.ReadAnswer().body, "PUT / ?\nabc");
  // Too large: refused before a byte of it is sent.
  client.Send("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().status, 413);

  RawClient other(server->port());
  other.Send("PUT / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(other.ReadAnswer().status, 417);
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send("HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n");
  const RawAnswer head = client.ReadAnswer(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.head.find("Content-Length: 10\r\n"), std::string::npos) << head.head;
  client.Send(kGet);  // nothing of a body comes before the next answer
  EXPECT_EQ(client.ReadAnswer().body, "GET / ?\n");
}

TEST(HttpServer, ServesHttp10) {
  FunctionHandler handler([](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->Write("a");
    response->Write("b");
    response->Finish();
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.0\r\n\r\n");
  const std::string all = client.ReadToEnd();
  EXPECT_TRUE(all.ends_with("\r\n\r\nab")) << all;
  EXPECT_EQ(all.find("chunked"), std::string::npos);
}

TEST(HttpServer, RefusesMalformedRequests) {
  Counted handled;
  FunctionHandler handler([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    handled.Add();
    Echo(std::move(request), std::move(response));
  });
  const auto server = StartOrDie(handler);
  const std::vector<std::pair<std::string, int>> cases = {
      {"nonsense\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},                                    // no Host
      {"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},              // two
      {"GET path HTTP/1.1\r\nHost: x\r\n\r\n", 400},                      // no path
      {"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 400},                   //
      {"GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505},                         //
      {"GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n", 400},           //
      {"GET / HTTP/1.1\r\nHost: x\r\nA\x01: b\r\n\r\n", 400},             //
      {"GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400},                        // space before the colon
      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},  //
      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n", 400},
  };
  for (const auto& [request, status] : cases) {
    RawClient client(server->port());
    client.Send(request);
    const RawAnswer answer = client.ReadAnswer();
    EXPECT_EQ(answer.status, status) << request << answer.body;
    EXPECT_NE(answer.head.find("Connection: close\r\n"), std::string::npos);
    EXPECT_EQ(client.ReadToEnd(), "");
  }
  EXPECT_EQ(handled.get(), 0);

  RawClient client(server->port());
  client.Send("GET http://elsewhere/p?q HTTP/1.1\r\nHost: x\r\n\r\n");  // as proxies are asked: allowed
  EXPECT_EQ(client.ReadAnswer().body, "GET /p ?q\n");
}

TEST(HttpServer, RefusesLargeHeaders) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.max_header_bytes = 2000});
  {
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(1900, 'a') + "\r\n\r\n");
    EXPECT_EQ(client.ReadAnswer().status, 200);
  }
  {
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(4000, 'a') + "\r\n\r\n");
    EXPECT_EQ(client.ReadAnswer().status, 431);
  }
  {
    // Never ending, and no line ever ends either.
    RawClient client(server->port());
    client.Send("GET /" + std::string(5000, 'a'));
    EXPECT_EQ(client.ReadAnswer().status, 431);
  }
  {
    // Many that are small.
    std::string request = "GET / HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; i < 100; ++i) request += "a:\r\n";
    RawClient client(server->port());
    client.Send(request + "\r\n");
    EXPECT_EQ(client.ReadAnswer().status, 431);
  }
}

TEST(HttpServer, RefusesLargeBodiesAndStillTellsTheClient) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.max_body_bytes = 100000});
  {
    RawClient client(server->port());
    client.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + std::string(100000, 'b'));
    const RawAnswer answer = client.ReadAnswer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body.size(), 100009u);
  }
  {
    // The client sends all of it before it reads the answer.
    RawClient client(server->port());
    client.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + std::string(1000000, 'b'));
    EXPECT_EQ(client.ReadAnswer().status, 413);
  }
  {
    RawClient client(server->port());
    client.Send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 11; ++i) client.Send("2710\r\n" + std::string(10000, 'c') + "\r\n");
    EXPECT_EQ(client.ReadAnswer().status, 413);
  }
  {
    // An extension of a chunk that never ends.
    RawClient client(server->port());
    client.Send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;" + std::string(200000, 'e'));
    EXPECT_EQ(client.ReadAnswer().status, 400);
  }
}

TEST(HttpServer, BoundsTheTimeOfHeadersInTotal) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.header_timeout = 100ms, .idle_timeout = 1h});
  {
    RawClient silent(server->port());
    EXPECT_EQ(silent.ReadToEnd(), "");
  }
  {
    // A byte now and then does not help.
    RawClient slow(server->port());
    slow.Send("GET / HTTP/1.1\r\nHost: x\r\n");
    Thread dripping("dripping", [&](const StopToken& stop) {
      while (SleepFor(10ms, stop) == Wake::kTimeout && slow.Send("a:b\r\n")) {
      }
    });
    EXPECT_EQ(slow.ReadAnswer().status, 408);
  }
  {
    // The second request has its own limit, from its first byte.
    RawClient client(server->port());
    client.Send(kGet);
    EXPECT_EQ(client.ReadAnswer().status, 200);
    client.Send("G");
    EXPECT_EQ(client.ReadAnswer().status, 408);
  }
}

TEST(HttpServer, BoundsTheTimeOfBodies) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.body_timeout = 50ms});
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(client.ReadAnswer().status, 408);
}

TEST(HttpServer, ClosesIdleConnectionsWithoutAWord) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.idle_timeout = 50ms});
  RawClient client(server->port());
  client.Send(kGet);
  EXPECT_EQ(client.ReadAnswer().status, 200);
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(HttpServer, ClosesConnectionsBeyondTheLimit) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler, {.max_connections = 2});
  RawClient first(server->port());
  RawClient second(server->port());
  for (RawClient* client : {&first, &second}) {
    client->Send(kGet);
    EXPECT_EQ(client->ReadAnswer().status, 200);
  }
  RawClient third(server->port());
  EXPECT_EQ(third.Read(), "");
  // Room again, as soon as the server has noticed.
  first.Close();
  for (int attempt = 0;; ++attempt) {
    ASSERT_LT(attempt, 10000);
    RawClient again(server->port());
    again.Send(kGet);
    if (!again.Read().empty()) break;
  }
}

TEST(HttpServer, StreamsAnAnswerPieceByPiece) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {{"Content-Type", "application/json"}});
    writer.Set(std::move(response));
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send(kGet);
  EXPECT_NE(client.ReadUntil("\r\n\r\n").find("Transfer-Encoding: chunked"), std::string::npos);
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(response->Write("event " + std::to_string(100 + i) + "\n"));
    ASSERT_EQ(client.ReadUntil("\n\r\n"), "a\r\nevent " + std::to_string(100 + i) + "\n\r\n");
  }
  response->Finish();
  EXPECT_EQ(client.ReadExactly(5), "0\r\n\r\n");
  client.Send(kGet);  // and the connection lives on
  EXPECT_NE(client.ReadUntil("\r\n\r\n").find("200 OK"), std::string::npos);
}

TEST(HttpServer, AnAnswerFinishedAtOnceHasItsLength) {
  FunctionHandler handler([](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Write("ab");  // 200 unless said otherwise
    response->Write("cd");
    response->Finish();
    response->Start(500, {});  // too late
    response->Write("ef");
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send(kGet);
  const RawAnswer answer = client.ReadAnswer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.head.find("Content-Length: 4\r\n"), std::string::npos);
  EXPECT_EQ(answer.body, "abcd");
}

TEST(HttpServer, FieldsCannotBringInOthers) {
  FunctionHandler handler([](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {{"X-A", "b\r\nSet-Cookie: evil"}, {"Bad Name", "x"}, {"Transfer-Encoding", "chunked"}});
    response->Finish();
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send(kGet);
  const RawAnswer answer = client.ReadAnswer();
  EXPECT_NE(answer.head.find("X-A: b  Set-Cookie: evil\r\n"), std::string::npos) << answer.head;
  EXPECT_EQ(answer.head.find("Bad Name"), std::string::npos);
  EXPECT_EQ(answer.head.find("chunked"), std::string::npos);
}

TEST(HttpServer, AnUnfinishedAnswerIsAnErrorForTheClient) {
  FunctionHandler handler([](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path == "/none") return;
    if (request.path == "/throws") throw std::runtime_error("handler");
    if (request.path == "/short") {
      response->Start(200, {{"Content-Length", "10"}});
      response->Write("abc");
      response->Finish();
      return;
    }
    if (request.path == "/long") {
      response->Start(200, {{"Content-Length", "2"}});
      response->Write("abc");
      response->Finish();
      return;
    }
    response->Start(200, {});
    response->Write("abc");
  });
  const auto server = StartOrDie(handler);
  for (const std::string path : {"/none", "/throws"}) {
    RawClient client(server->port());
    client.Send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.ReadToEnd(), "");
  }
  for (const std::string path : {"/short", "/streamed"}) {
    RawClient client(server->port());
    client.Send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const RawAnswer answer = client.ReadAnswer();
    EXPECT_EQ(answer.body, "abc") << path;
    EXPECT_FALSE(answer.complete) << path;
  }
  RawClient client(server->port());
  client.Send("GET /long HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body, "ab");
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(HttpServer, TellsTheHandlerThatTheClientHasGone) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  Counted closed;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->OnEvents(nullptr, [&] { closed.Add(); });
    writer.Set(std::move(response));
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send(kGet);
  client.ReadUntil("\r\n\r\n");
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  client.Close();
  EXPECT_TRUE(closed.WaitFor(1));
  // Sooner or later the socket says so too.
  EXPECT_TRUE(Eventually([&] { return !response->Write("more"); }));
  EXPECT_EQ(response->pending(), 0u);
  EXPECT_EQ(closed.get(), 1);
  // Set after the fact, it runs at once.
  response->OnEvents(nullptr, [&] { closed.Add(); });
  EXPECT_EQ(closed.get(), 2);
}

TEST(HttpServer, AnswersAClientThatClosedItsSideOnly) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) { writer.Set(response); });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send(kGet);
  client.CloseWriting();
  Respond(**writer.Wait(), 200, "text/plain", "still here");
  EXPECT_TRUE(client.ReadToEnd().ends_with("still here"));
}

TEST(HttpServer, PendingTellsOfASlowReaderAndDrainedOfItsReturn) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  Counted drained;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->OnEvents([&] { drained.Add(); }, nullptr);
    writer.Set(std::move(response));
  });
  const auto server = StartOrDie(handler, {.body_timeout = 100ms});
  RawClient client(server->port(), 4096);
  client.Send(kGet);
  client.ReadUntil("\r\n\r\n");
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  const String piece(std::string(1 << 20, 'x'));
  // A well-behaved handler stops here; the sockets' buffers hold a few megabytes at most.
  size_t written = 0;
  while (response->pending() < (4u << 20)) {
    ASSERT_TRUE(response->Write(piece));
    written += piece.size();
    ASSERT_LT(written, 64u << 20);
  }
  // The time limit of answers that make no progress is not for streams.
  SleepFor(300ms, StopToken());
  EXPECT_GE(response->pending(), 1u << 20);
  response->Finish();
  const RawAnswer answer = [&] {
    RawAnswer got;
    got.head = "HTTP/1.1 200 OK\r\n";
    size_t size = 0;
    while (true) {
      const std::string line = client.ReadUntil("\r\n");
      const size_t chunk = std::stoul(line, nullptr, 16);
      size += client.ReadExactly(chunk + 2).size() - 2;
      if (chunk == 0) break;
    }
    got.status = static_cast<int>(size >> 20);
    return got;
  }();
  EXPECT_EQ(static_cast<size_t>(answer.status), written >> 20);
}

TEST(HttpServer, DrainedRunsEachTimeNothingIsLeft) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  Counted drained;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->OnEvents([&] { drained.Add(); }, nullptr);
    writer.Set(std::move(response));
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send(kGet);
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  for (int i = 1; i <= 10; ++i) {
    response->Write("x");
    ASSERT_TRUE(drained.WaitFor(i));
    EXPECT_EQ(response->pending(), 0u);
  }
}

TEST(HttpServer, CutsAClientThatDoesNotReadItsAnswer) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    Respond(*response, 200, "text/plain", std::string(32 << 20, 'x'));
    writer.Set(std::move(response));
  });
  const auto server = StartOrDie(handler, {.body_timeout = 100ms});
  RawClient client(server->port(), 4096);
  client.Send(kGet);
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  // Falls to nothing only when the connection is cut.
  EXPECT_TRUE(Eventually([&] { return response->pending() == 0; }));
  const RawAnswer answer = client.ReadAnswer();
  EXPECT_FALSE(answer.complete);
}

TEST(HttpServer, DrainFinishesRequestsAndEndsStreams) {
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
  RawClient idle(server->port());
  RawClient one(server->port());
  RawClient two(server->port());
  one.Send("GET /unary HTTP/1.1\r\nHost: x\r\n\r\n");
  two.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  std::shared_ptr<ResponseWriter> unary_response = *unary.Wait();
  std::shared_ptr<ResponseWriter> stream_response = *stream.Wait();
  Awaited<bool> in_time;
  Thread draining("draining", [&] { in_time.Set(server->Drain(kPatience)); });
  EXPECT_EQ(idle.ReadToEnd(), "");
  EXPECT_TRUE(closed.WaitFor(1));
  EXPECT_FALSE(in_time.IsSet());
  EXPECT_TRUE(stream_response->Write("last"));
  stream_response->Finish();
  EXPECT_EQ(two.ReadAnswer().body, "first last");
  EXPECT_FALSE(in_time.IsSet());
  Respond(*unary_response, 200, "text/plain", "done");
  const RawAnswer answer = one.ReadAnswer();
  EXPECT_EQ(answer.body, "done");
  EXPECT_NE(answer.head.find("Connection: close\r\n"), std::string::npos);
  one.Close();
  two.Close();
  EXPECT_TRUE(in_time.Wait().value_or(false));
}

TEST(HttpServer, DrainCutsWhatIsLeft) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  Counted closed;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->OnEvents(nullptr, [&] { closed.Add(); });
    writer.Set(std::move(response));
  });
  const auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send(kGet);
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  EXPECT_FALSE(server->Drain(10ms));
  EXPECT_EQ(closed.get(), 1);
  EXPECT_FALSE(response->Write("x"));
  client.ReadToEnd();
  EXPECT_TRUE(server->Drain(0ms));  // again: nothing is left
}

TEST(HttpServer, WritersOutliveTheServer) {
  Awaited<std::shared_ptr<ResponseWriter>> writer;
  FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) { writer.Set(response); });
  auto server = StartOrDie(handler);
  RawClient client(server->port());
  client.Send(kGet);
  const std::shared_ptr<ResponseWriter> response = *writer.Wait();
  server.reset();
  response->Start(200, {});
  EXPECT_FALSE(response->Write("x"));
  response->Finish();
  EXPECT_EQ(response->pending(), 0u);
  Counted closed;
  response->OnEvents(nullptr, [&] { closed.Add(); });
  EXPECT_EQ(closed.get(), 1);
}

TEST(HttpServer, WritersRaceWithTheServersEnd) {
  for (int round = 0; round < 20; ++round) {
    Awaited<std::shared_ptr<ResponseWriter>> writer;
    FunctionHandler handler([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
      response->Start(200, {});
      writer.Set(std::move(response));
    });
    auto server = StartOrDie(handler, {.threads = 2});
    RawClient client(server->port());
    client.Send(kGet);
    Thread writing("writing", [response = *writer.Wait()] {
      while (response->Write("event\n")) {
        if (response->pending() > (1 << 20)) this_thread::Yield();
      }
    });
    client.ReadUntil("event\n");
    server.reset();
    writing.Join();
  }
}

TEST(HttpServer, ServesManyAtOnce) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  std::atomic<int> right = 0;
  {
    std::vector<Thread> threads;
    for (int t = 0; t < 32; ++t) {
      threads.emplace_back("client-" + std::to_string(t), [&, t] {
        RawClient client(server->port());
        for (int i = 0; i < 32; ++i) {
          const std::string path = "/" + std::to_string(t) + "/" + std::to_string(i);
          client.Send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
          if (client.ReadAnswer().body == "GET " + path + " ?\n") ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 1024);
}

TEST(HttpServer, ListensOnAUnixSocket) {
  TemporaryDirectory directory;
  const std::string path = directory.Path("socket");
  FunctionHandler handler(Echo);
  for (int round = 0; round < 2; ++round) {
    const auto server = StartOrDie(handler, {.unix_socket = path});
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), address.sun_path);
    const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const std::string request = "GET /u HTTP/1.0\r\n\r\n";
    ASSERT_EQ(send(client, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
    std::string answer(4096, '\0');
    answer.resize(static_cast<size_t>(recv(client, answer.data(), answer.size(), MSG_WAITALL)));
    EXPECT_TRUE(answer.ends_with("GET /u ?\n")) << answer;
    close(client);
    const Result<std::unique_ptr<HttpServer>> second = HttpServer::Start(handler, {.unix_socket = path});
    ASSERT_FALSE(second.has_value());
    EXPECT_NE(second.error().message().find("another program listens there"), std::string::npos);
  }
}

TEST(HttpServer, SaysWhyItCannotStart) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  const auto same = HttpServer::Start(handler, {.port = server->port()});
  ASSERT_FALSE(same.has_value());
  EXPECT_EQ(same.error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(same.error().message().find("another program listens there"), std::string::npos);
  const auto elsewhere = HttpServer::Start(handler, {.address = "192.0.2.1"});
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_NE(elsewhere.error().message().find("192.0.2.1"), std::string::npos);
}

TEST(HttpServer, DoesNotStartInASimulation) {
  FunctionHandler handler(Echo);
  Simulation simulation({.seed = 1});
  (void)simulation.Run([&] {
    const auto server = HttpServer::Start(handler);
    ASSERT_FALSE(server.has_value());
    EXPECT_EQ(server.error().code(), ErrorCode::kUnsupported);
  });
}

}  // namespace
}  // namespace keelson
