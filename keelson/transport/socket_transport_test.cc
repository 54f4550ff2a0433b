// What transports over sockets have in common, whether libcurl or the calling thread carries the bytes.
#include "keelson/transport/socket_transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "keelson/core/simulation.h"
#include "keelson/transport/curl_transport_test_support.h"
#include "keelson/transport/http_server.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// Every way that bytes travel.
struct Way {
  const char* name;
  bool tls;
  bool http2;
  TransportKind kind = TransportKind::kCurl;
};

class WaysTest : public testing::TestWithParam<Way> {
 protected:
  void Serve(FunctionHandler::Function function, HttpServerOptions options = {}) {
    handler_ = std::make_unique<FunctionHandler>(std::move(function));
    if (GetParam().tls) {
      const TestCertificate certificate = authority_.IssueServer();
      options.tls =
          TlsServerOptions{.certificate = {.text = certificate.certificate}, .key = {.text = certificate.key}};
    }
    options.threads = 2;
    server_ = StartOrDie(*handler_, std::move(options));
  }

  std::unique_ptr<AnyTransport> Connect(CurlTransportOptions options = {}) {
    options.server = server_->url();
    options.tls.ca.text = authority_.certificate();
    options.http2 = GetParam().http2;
    return TransportTo(std::move(options), GetParam().kind);
  }

  // Leaves an answer unfinished until the end of the test.
  void Keep(std::shared_ptr<ResponseWriter> response) {
    MutexLock lock(kept_mutex_);
    kept_.push_back(std::move(response));
  }

  TestAuthority authority_;
  std::unique_ptr<FunctionHandler> handler_;
  std::unique_ptr<HttpServer> server_;
  Mutex kept_mutex_;
  std::vector<std::shared_ptr<ResponseWriter>> kept_;  // guarded by kept_mutex_
};

INSTANTIATE_TEST_SUITE_P(Ways, WaysTest,
                         testing::Values(Way{"Plain", false, false}, Way{"Tls", true, false}, Way{"Http2", true, true},
                                         Way{"DirectPlain", false, false, TransportKind::kDirect},
                                         Way{"DirectTls", true, false, TransportKind::kDirect}),
                         [](const auto& way) { return way.param.name; });

TEST_P(WaysTest, CarriesMethodTargetHeadersAndBody) {
  Serve([](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    std::string text = request.method + " " + request.path + "?" + request.query + " " + request.body;
    for (const char* name : {"Content-Type", "X-Token", "Expect", "X-Empty"}) {
      if (const std::string_view* value = request.headers.Find(name)) {
        text.append(" ").append(name).append("=").append(*value);
      }
    }
    Respond(*response, 200, "text/plain", text);
  });
  const auto transport = Connect();
  const Headers headers = {{"X-Token", "abc"}};
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Outcome(*transport, {.target = "/a/../b?c=d%20e", .headers = headers}),
              "200 GET /a/../b?c=d%20e  X-Token=abc");
    EXPECT_EQ(Outcome(*transport, {.method = "POST", .target = "/b", .body = "text"}), "200 POST /b? text");
    EXPECT_EQ(Outcome(*transport, {.method = "PUT", .headers = {{"Content-Type", "a/b"}}, .body = "text"}),
              "200 PUT /? text Content-Type=a/b");
    EXPECT_EQ(Outcome(*transport, {.method = "PATCH", .headers = {{"X-Empty", ""}}, .body = "p"}),
              "200 PATCH /? p X-Empty=");
    EXPECT_EQ(Outcome(*transport, {.method = "DELETE"}), "200 DELETE /? ");
    EXPECT_EQ(Outcome(*transport, {.method = "DELETE", .body = "{}"}), "200 DELETE /? {}");
    EXPECT_EQ(Outcome(*transport, {.method = "POST"}), "200 POST /? ");
    EXPECT_EQ(Outcome(*transport, {.method = "HEAD"}), "200 ");
    const std::string large(2 << 20, 'x');
    EXPECT_EQ(Outcome(*transport, {.method = "POST", .body = large}), "200 POST /? " + large);
  }
}

TEST_P(WaysTest, AnyStatusIsAnAnswerWithItsHeaders) {
  Serve([](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(404, {{"X-One", "first"}, {"X-One", "second"}, {"X-Empty", ""}});
    response->Write("nothing here");
    response->Finish();
  });
  const auto transport = Connect();
  Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->headers.All("x-one"), (std::vector<std::string_view>{"first", "second"}));
  ASSERT_NE(answer->headers.Find("x-empty"), nullptr);
  EXPECT_EQ(*ReadAll(*answer->body, 100), "nothing here");
  EXPECT_EQ(*answer->body->Next(), "");
}

TEST_P(WaysTest, LargeAnswersArriveWhole) {
  std::string large(size_t{20} << 20, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 2654435761u >> 13);
  Serve([&](ServerRequest, std::shared_ptr<ResponseWriter> response) { Respond(*response, 200, "x/y", large); });
  const auto transport = Connect();
  for (const bool streaming : {false, true}) {
    Result<HttpResponse> answer = transport->Send({.streaming = streaming}, Soon());
    ASSERT_TRUE(answer.has_value()) << answer.error().message();
    EXPECT_TRUE(*ReadAll(*answer->body, large.size()) == large);
  }
}

// More than is held for a reader, of an answer whose reader waits: others go on, and it arrives whole.
TEST_P(WaysTest, AnUnreadAnswerDoesNotKeepNewCallsFromTheirs) {
  const std::string large(size_t{60} << 20, 'x');
  Serve([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    Respond(*response, 200, "x/y", request.path == "/large" ? large : "small");
  });
  const auto transport = Connect();
  Result<HttpResponse> slow = transport->Send({.target = "/large"}, Soon());
  ASSERT_TRUE(slow.has_value()) << slow.error().message();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Outcome(*transport, {}), "200 small");
  EXPECT_TRUE(*ReadAll(*slow->body, large.size()) == large);
}

TEST_P(WaysTest, ThousandCallsFromManyThreads) {
  Serve(Echo);
  const auto transport = Connect();
  std::atomic<int> good = 0;
  {
    std::vector<Thread> threads;
    for (int i = 0; i < 32; ++i) {
      threads.emplace_back("caller", [&, i] {
        for (int j = 0; j < 32; ++j) {
          const std::string body = std::to_string(i * 100 + j);
          if (Outcome(*transport, {.method = "POST", .target = "/x", .body = body}) == "200 POST /x ?\n" + body) ++good;
        }
      });
    }
    for (Thread& thread : threads) thread.Join();
  }
  EXPECT_EQ(good, 1024);
}

TEST_P(WaysTest, StreamsHaveTheirOwnConnectionsAndUnaryCallsShare) {
  Mutex mutex;
  std::set<std::string> unary, streams;
  std::vector<std::shared_ptr<ResponseWriter>> open;
  Serve([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    MutexLock lock(mutex);
    (request.path == "/watch" ? streams : unary).insert(request.peer->address);
    if (request.path != "/watch") return Respond(*response, 200, "text/plain", "ok");
    response->Start(200, {});
    response->Write("first\n");
    open.push_back(response);
  });
  const auto transport = Connect();
  std::vector<HttpResponse> watches;
  for (int i = 0; i < 3; ++i) {
    Result<HttpResponse> watch = transport->Send({.target = "/watch", .streaming = true}, Soon());
    ASSERT_TRUE(watch.has_value()) << watch.error().message();
    watches.push_back(*std::move(watch));
    EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  }
  for (HttpResponse& watch : watches) EXPECT_EQ(*watch.body->Next(), "first\n");
  MutexLock lock(mutex);
  EXPECT_EQ(streams.size(), 3u);
  EXPECT_EQ(unary.size(), 1u);
  for (const std::string& stream : streams) EXPECT_FALSE(unary.contains(stream));
  open.clear();
}

TEST_P(WaysTest, CloseIdleMakesNewConnections) {
  Serve([](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    Respond(*response, 200, "text/plain", request.peer->address);
  });
  const auto transport = Connect();
  const std::string first = Outcome(*transport, {});
  EXPECT_EQ(Outcome(*transport, {}), first);
  transport->CloseIdle();
  EXPECT_NE(Outcome(*transport, {}), first);
}

TEST_P(WaysTest, CancelAndDeadlineEndACallThatWaitsForItsAnswer) {
  Counted arrived, gone;
  Serve([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->OnEvents(nullptr, [&gone] { gone.Add(); });
    Keep(response);  // and no answer
    arrived.Add();
  });
  const auto transport = Connect();
  StopSource source;
  Thread caller("caller", [&] {
    Result<HttpResponse> answer = transport->Send({}, {.stop = source.token()});
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().code(), ErrorCode::kCancelled);
  });
  ASSERT_TRUE(arrived.WaitFor(1));
  source.RequestStop();
  caller.Join();
  EXPECT_TRUE(gone.WaitFor(1));  // the server hears of it

  Result<HttpResponse> late = transport->Send({}, {.deadline = Clock::Now() + 100ms});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);
  EXPECT_EQ(DetailOf(late.error()).failure(), TransportFailure::kTimeout);
  EXPECT_TRUE(DetailOf(late.error()).sent());
  EXPECT_TRUE(gone.WaitFor(2));
}

TEST_P(WaysTest, CancelAndDeadlineEndABodyThatDoesNotGoOn) {
  Counted gone;
  Serve([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->Write("part");
    response->OnEvents(nullptr, [&gone] { gone.Add(); });
    Keep(response);
  });
  const auto transport = Connect();
  for (const bool streaming : {false, true}) {
    const int64_t before = gone.get();
    StopSource source;
    Result<HttpResponse> answer = transport->Send({.streaming = streaming}, {.stop = source.token()});
    ASSERT_TRUE(answer.has_value()) << answer.error().message();
    EXPECT_EQ(*answer->body->Next(), "part");
    Thread stopper("stopper", [&] { source.RequestStop(); });
    Result<std::string_view> next = answer->body->Next();
    stopper.Join();
    ASSERT_FALSE(next.has_value());
    EXPECT_EQ(next.error().code(), ErrorCode::kCancelled);
    EXPECT_EQ(answer->body->Next().error().code(), ErrorCode::kCancelled);
    EXPECT_TRUE(gone.WaitFor(before + 1));

    // Under way until here, so that the deadline is met in the body.
    Result<HttpResponse> late = transport->Send({.streaming = streaming}, {.deadline = Clock::Now() + 1s});
    ASSERT_TRUE(late.has_value()) << late.error().message();
    EXPECT_EQ(*late->body->Next(), "part");
    EXPECT_EQ(late->body->Next().error().code(), ErrorCode::kTimeout);
    EXPECT_TRUE(gone.WaitFor(before + 2));
  }
}

TEST_P(WaysTest, DroppingABodyTellsTheServer) {
  Counted gone;
  Serve([&](ServerRequest, std::shared_ptr<ResponseWriter> response) {
    response->Start(200, {});
    response->OnEvents(nullptr, [&gone] { gone.Add(); });
    Keep(response);
  });
  const auto transport = Connect();
  for (const bool streaming : {false, true}) {
    const int64_t before = gone.get();
    ASSERT_TRUE(transport->Send({.streaming = streaming}, Soon()).has_value());
    EXPECT_TRUE(gone.WaitFor(before + 1));
  }
}

TEST_P(WaysTest, CancellingOneOfTwoTellsTheServerAndLeavesTheOther) {
  Counted arrived, gone;
  Awaited<std::shared_ptr<ResponseWriter>> other;
  Serve([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path == "/other") return other.Set(response);
    if (request.path == "/next") return Respond(*response, 200, "text/plain", "next");
    response->OnEvents(nullptr, [&gone] { gone.Add(); });
    Keep(response);
    arrived.Add();
  });
  const auto transport = Connect();
  Thread patient("patient", [&] { EXPECT_EQ(Outcome(*transport, {.target = "/other"}), "200 patience"); });
  ASSERT_TRUE(other.Wait().has_value());
  StopSource source;
  Thread cancelled("cancelled", [&] { EXPECT_FALSE(transport->Send({}, {.stop = source.token()}).has_value()); });
  ASSERT_TRUE(arrived.WaitFor(1));
  source.RequestStop();
  cancelled.Join();
  Respond(**other.Wait(), 200, "text/plain", "patience");
  patient.Join();
  EXPECT_EQ(Outcome(*transport, {.target = "/next"}), "200 next");
  EXPECT_TRUE(gone.WaitFor(1));  // with HTTP/2 when the connection is used next, at the latest
  other.Set(nullptr);
}

TEST_P(WaysTest, DestructionEndsCallsUnderWay) {
  Counted arrived;
  Serve([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path == "/body") response->Start(200, {});
    Keep(response);
    arrived.Add();
  });
  auto transport = Connect();
  Result<HttpResponse> open = transport->Send({.target = "/body", .streaming = true}, Soon());
  ASSERT_TRUE(open.has_value()) << open.error().message();
  std::vector<Thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back("caller", [&transport = *transport, i] {
      Result<HttpResponse> answer = transport.Send({.streaming = i % 2 == 0}, {});
      ASSERT_FALSE(answer.has_value());
      EXPECT_EQ(answer.error().code(), ErrorCode::kCancelled);
    });
  }
  ASSERT_TRUE(arrived.WaitFor(9));
  transport.reset();
  for (Thread& caller : callers) caller.Join();
  EXPECT_EQ(open->body->Next().error().code(), ErrorCode::kCancelled);
}

TEST_P(WaysTest, StreamIsNotReadFasterThanItsReader) {
  std::shared_ptr<ResponseWriter> writer;
  Awaited<bool> started;
  Serve([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
    if (request.path != "/watch") return Respond(*response, 200, "text/plain", "ok");
    response->Start(200, {});
    writer = response;
    started.Set(true);
  });
  const auto transport = Connect({.stream_buffer = 64 << 10});
  Result<HttpResponse> watch = transport->Send({.target = "/watch", .streaming = true}, Soon());
  ASSERT_TRUE(watch.has_value()) << watch.error().message();
  ASSERT_TRUE(started.Wait().has_value());
  constexpr size_t kTotal = size_t{64} << 20;
  const String block(std::string(1 << 20, 'w'));
  for (size_t written = 0; written < kTotal; written += block.size()) writer->Write(block);
  writer->Finish();
  // Time for it to arrive, if it were read.
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_GT(writer->pending(), kTotal / 2);  // the rest fits into the sockets' buffers and ours
  size_t read = 0;
  while (true) {
    Result<std::string_view> bytes = watch->body->Next();
    ASSERT_TRUE(bytes.has_value()) << bytes.error().message();
    if (bytes->empty()) break;
    EXPECT_LE(bytes->size(), size_t{64} << 10);
    read += bytes->size();
  }
  EXPECT_EQ(read, kTotal);
  writer.reset();
}

class SocketTransportTest : public EitherTransportTest {};

INSTANTIATE_TEST_SUITE_P(Kinds, SocketTransportTest, EitherTransport(), NameOfKind);

TEST_P(SocketTransportTest, HeldPrefixComesBeforeEveryTarget) {
  FunctionHandler handler(Echo);
  const auto server = StartOrDie(handler);
  const auto transport = TransportTo({.server = server->url() + "/clusters/one/"});
  EXPECT_EQ(Outcome(*transport, {.target = "/api?x=1"}), "200 GET /clusters/one/api ?x=1\n");
}

TEST_P(SocketTransportTest, ReachesAUnixSocket) {
  FunctionHandler handler(Echo);
  const TemporaryDirectory directory;
  const auto server = StartOrDie(handler, {.unix_socket = directory.Path("api.sock")});
  const auto transport = TransportTo({.server = "http://localhost", .unix_socket = directory.Path("api.sock")});
  EXPECT_EQ(Outcome(*transport, {.target = "/x"}), "200 GET /x ?\n");

  const auto nowhere = TransportTo({.server = "http://localhost", .unix_socket = directory.Path("none.sock")});
  const Result<HttpResponse> answer = nowhere->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kRefused);
  EXPECT_NE(answer.error().message().find("none.sock"), std::string::npos) << answer.error().message();
}

TEST_P(SocketTransportTest, UnpacksGzipUnlessToldNot) {
  constexpr std::string_view kPacked(
      "\037\213\010\000\000\000\000\000\002\003\053\315\053\110\114\316\116\115\121\050\035\072\014\000\310\351\250\026"
      "\264\000\000\000",
      32);
  std::string unpacked;
  for (int i = 0; i < 20; ++i) unpacked += "unpacked ";
  std::atomic<bool> asked = false;
  ScriptedServer server([&](Connection& client) {
    const std::string request = client.ReadRequest();
    asked = request.find("Accept-Encoding: gzip") != std::string::npos;
    client.Send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(kPacked.size()) +
                "\r\n\r\n" + std::string(kPacked));
  });
  const auto transport = TransportTo({.server = server.url()});
  const Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  EXPECT_EQ(asked, !IsDirect());  // which does not ask a server on this machine, and unpacks nevertheless
  EXPECT_EQ(*ReadAll(*answer->body, 1000), unpacked);
  EXPECT_EQ(answer->headers.Find("Content-Encoding"), nullptr);
  EXPECT_EQ(answer->headers.Find("Content-Length"), nullptr);

  const auto as_is = TransportTo({.server = server.url(), .disable_compression = true});
  EXPECT_EQ(Outcome(*as_is, {}), "200 " + std::string(kPacked));
  EXPECT_FALSE(asked);
}

TEST_P(SocketTransportTest, SaysWhatToDoWhenNobodyListens) {
  uint16_t port = 0;
  {
    ScriptedServer server([](Connection&) {});
    port = server.port();
  }
  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  const auto transport = TransportTo({.server = url});
  const Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(answer.error().message(),
            "cannot reach " + url + ": connection refused; is the server running and the address right?");
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kRefused);
  EXPECT_FALSE(DetailOf(answer.error()).sent());
}

TEST_P(SocketTransportTest, SaysThatAHostIsNotKnown) {
  const std::string host = std::string(70, 'a') + ".invalid";  // too long for a name: nobody is asked
  const auto transport = TransportTo({.server = "http://" + host + ":1"});
  const Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kResolve);
  EXPECT_FALSE(DetailOf(answer.error()).sent());
}

TEST_P(SocketTransportTest, CancelAndDeadlineEndACallThatIsConnecting) {
  Counted hello;
  ScriptedServer server([&](Connection& client) {  // accepts, and never says a word of TLS
    client.Read(1);
    hello.Add();
    client.ReadToEnd();
  });
  const auto transport = TransportTo({.server = server.url("https")});
  StopSource source;
  Thread caller("caller", [&] {
    EXPECT_EQ(transport->Send({}, {.stop = source.token()}).error().code(), ErrorCode::kCancelled);
  });
  ASSERT_TRUE(hello.WaitFor(1));
  source.RequestStop();
  caller.Join();
  const Result<HttpResponse> late = transport->Send({.streaming = true}, {.deadline = Clock::Now() + 100ms});
  EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);
  EXPECT_FALSE(DetailOf(late.error()).sent());

  const auto impatient = TransportTo({.server = server.url("https"), .connect_timeout = 100ms});
  const Result<HttpResponse> answer = impatient->Send({}, Soon());
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kTimeout);
  EXPECT_FALSE(DetailOf(answer.error()).sent());
}

TEST_P(SocketTransportTest, ScopeThatIsOverSendsNothing) {
  ScriptedServer server([](Connection&) {});
  const auto transport = TransportTo({.server = server.url()});
  StopSource source;
  source.RequestStop();
  EXPECT_EQ(transport->Send({}, {.stop = source.token()}).error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(transport->Send({}, {.deadline = Clock::Now()}).error().code(), ErrorCode::kTimeout);
  EXPECT_EQ(server.accepted(), 0);
}

TEST_P(SocketTransportTest, AnswerThatIsCutAtAnyByteIsAnErrorBehindWhatCame) {
  const std::string body = "7\r\n{\"a\":1}\r\n8\r\n\n{\"b\":2}\r\n0\r\n\r\n";
  const std::string answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body;
  const std::string whole = "{\"a\":1}\n{\"b\":2}";
  std::atomic<size_t> cut = 0;
  std::atomic<bool> reset = false;
  ScriptedServer server([&](Connection& client) {
    client.ReadRequest();
    client.Send(answer.substr(0, cut));
    if (reset) client.ResetAtClose();
  });
  const auto transport = TransportTo({.server = server.url()});
  // libcurl takes an answer without its last byte for whole.
  for (cut = 0; cut < answer.size() - (IsDirect() ? 0 : 1); ++cut) {
    Result<HttpResponse> watch = transport->Send({.streaming = true}, Soon());
    if (cut < answer.size() - body.size()) {
      ASSERT_FALSE(watch.has_value()) << cut;
      EXPECT_EQ(watch.error().code(), ErrorCode::kUnavailable);
      EXPECT_EQ(DetailOf(watch.error()).failure(), TransportFailure::kReset) << watch.error().message();
      EXPECT_TRUE(DetailOf(watch.error()).sent());
      continue;
    }
    ASSERT_TRUE(watch.has_value()) << cut << watch.error().message();
    std::string came;
    while (true) {
      Result<std::string_view> bytes = watch->body->Next();
      if (!bytes) {
        EXPECT_EQ(DetailOf(bytes.error()).failure(), TransportFailure::kReset) << bytes.error().message();
        EXPECT_EQ(watch->body->Next().error().message(), bytes.error().message());
        break;
      }
      ASSERT_FALSE(bytes->empty()) << "a cut answer seems whole, at " << cut;
      came += *bytes;
    }
    EXPECT_TRUE(whole.starts_with(came)) << came;
  }
  cut = 0;
  reset = true;
  const Result<HttpResponse> dropped = transport->Send({}, Soon());
  EXPECT_EQ(DetailOf(dropped.error()).failure(), TransportFailure::kReset) << dropped.error().message();
}

// A server that closes a connection after it has read a request may have carried it out.
TEST_P(SocketTransportTest, OnlyReadsAreSentAgainWhenAKeptConnectionIsLost) {
  Mutex mutex;
  std::vector<std::string> seen;
  ScriptedServer server([&](Connection& client) {
    for (int i = 0; i < 2; ++i) {
      const std::string request = client.ReadRequest();
      if (request.empty()) return;
      MutexLock lock(mutex);
      seen.push_back(request.substr(0, request.find(' ')));
      lock.Unlock();
      if (i == 0) client.Send(kOk);
    }
  });
  for (const HttpRequest& request :
       {HttpRequest{.method = "POST", .body = "{}"}, HttpRequest{.method = "POST"}, HttpRequest{.method = "DELETE"},
        HttpRequest{.method = "PUT", .body = std::string(200'000, 'x')}, HttpRequest{.method = "GET"}}) {
    const auto transport = TransportTo({.server = server.url()});
    EXPECT_EQ(Outcome(*transport, {}), "200 ok");
    seen.clear();
    const Result<HttpResponse> answer = transport->Send(request, Soon());
    MutexLock lock(mutex);
    if (request.method == "GET") {
      EXPECT_TRUE(answer.has_value());
      EXPECT_EQ(seen, (std::vector<std::string>{"GET", "GET"}));
      continue;
    }
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kReset) << answer.error().message();
    EXPECT_TRUE(DetailOf(answer.error()).sent());
    EXPECT_EQ(seen, std::vector<std::string>{request.method});
  }
}

TEST_P(SocketTransportTest, WhatDoesNotSpeakHttpIsAProtocolFailure) {
  ScriptedServer server([](Connection& client) {
    client.ReadRequest();
    client.Send("SSH-2.0-OpenSSH\r\n");
  });
  const auto transport = TransportTo({.server = server.url()});
  const Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kProtocol) << answer.error().message();
}

TEST_P(SocketTransportTest, InterimAnswersAreSkipped) {
  ScriptedServer server([](Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" + std::string(kOk));
  });
  const auto transport = TransportTo({.server = server.url()});
  const Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->headers.Find("X-Early"), nullptr);
}

TEST_P(SocketTransportTest, RequestsThatWouldBreakOutOfTheirLineAreRefused) {
  ScriptedServer server([](Connection&) {});
  const auto transport = TransportTo({.server = server.url()});
  for (const HttpRequest& request :
       {HttpRequest{.method = "GET /x HTTP/1.1\r\nA:"}, HttpRequest{.method = ""}, HttpRequest{.target = "/a b"},
        HttpRequest{.target = "a"}, HttpRequest{.target = "/a\r\nX: y"}, HttpRequest{.target = "@evil/"},
        HttpRequest{.headers = {{"A", "b\r\nC: d"}}}, HttpRequest{.headers = {{"A: b\r\nC", "d"}}},
        HttpRequest{.headers = {{"", "d"}}}}) {
    EXPECT_EQ(transport->Send(request, Soon()).error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(server.accepted(), 0);
}

TEST_P(SocketTransportTest, IsNotMadeFromWhatCannotWork) {
  const auto failure = [](CurlTransportOptions options) {
    const auto transport = AnyTransport::Create(GetParam(), std::move(options));
    return transport ? "made" : transport.error().message();
  };
  EXPECT_NE(failure({.server = "10.0.0.1:6443"}).find("has no scheme"), std::string::npos);
  EXPECT_NE(failure({.server = "ftp://a"}).find("neither http nor https"), std::string::npos);
  EXPECT_EQ(failure({.server = "https://me:secret@a"}).find("secret"), std::string::npos);
  EXPECT_NE(failure({.server = "https://a", .tls = {.ca = {.file = "/no/such/ca.crt"}}}).find("/no/such/ca.crt"),
            std::string::npos);
  EXPECT_NE(failure({.server = "https://a", .tls = {.ca = {.text = "no PEM"}}}).find("no certificate found"),
            std::string::npos);
  if (IsDirect()) return;
  EXPECT_EQ(
      failure({.server = "https://a", .proxy_url = "ftp://me:secret@proxy"}),
      "the proxy's URL has the scheme \"ftp\"; expected http://, https://, socks5:// or socks5h:// and a host and "
      "port");
}

TEST_P(SocketTransportTest, IsNotMadeInASimulation) {
  std::string message;
  Simulation simulation({.seed = 1});
  (void)simulation.Run(
      [&] { message = AnyTransport::Create(GetParam(), {.server = "http://127.0.0.1:1"}).error().message(); });
  EXPECT_NE(message.find("inside a simulation"), std::string::npos) << message;
}

}  // namespace
}  // namespace keelson
