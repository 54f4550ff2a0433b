// What a DirectTransport does with its connections; what it has in common with others is in socket_transport_test.cc.
#include "keelson/transport/direct_transport.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <atomic>
#include <string>
#include <vector>

#include "keelson/transport/curl_transport_test_support.h"
#include "keelson/transport/http_server.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

std::unique_ptr<DirectTransport> DirectTo(DirectTransportOptions options) {
  Result<std::unique_ptr<DirectTransport>> made = DirectTransport::Create(std::move(options));
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message());
  return *std::move(made);
}

std::string Packed(const std::string& text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Chunked(const std::string& body, size_t size) {
  std::string out = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";
  out += "Content-Encoding: gzip\r\n\r\n";
  for (size_t at = 0; at < body.size(); at += size) {
    const std::string piece = body.substr(at, size);
    char length[16];
    std::snprintf(length, sizeof length, "%zx\r\n", piece.size());
    out += length + piece + "\r\n";
  }
  return out + "0\r\n\r\n";
}

// Answers every request of a connection with the next of these, then closes it.
ScriptedServer::Script Answering(std::vector<std::string> answers) {
  return [answers = std::move(answers)](Connection& client) {
    for (const std::string& answer : answers) {
      if (client.ReadRequest().empty()) return;
      client.Send(answer);
    }
  };
}

TEST(DirectTransport, OneConnectionServesCallAfterCall) {
  ScriptedServer server(Answering(std::vector<std::string>(20, std::string(kOk))));
  const auto transport = DirectTo({.server = server.url()});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_EQ(server.accepted(), 1);
}

TEST(DirectTransport, ConnectionsEndWhenTheServerSaysSo) {
  ScriptedServer server(Answering({"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "no"}));
  const auto transport = DirectTo({.server = server.url()});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_EQ(server.accepted(), 3);
}

TEST(DirectTransport, AnswerWithoutALengthEndsWithItsConnection) {
  ScriptedServer server(Answering({"HTTP/1.1 200 OK\r\n\r\nall there is"}));
  const auto transport = DirectTo({.server = server.url()});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Outcome(*transport, {}), "200 all there is");
}

// Over TLS the end of a connection is said in words: without them somebody may have cut it.
TEST(DirectTransport, AnswerWithoutALengthThatIsCutUnderTlsIsAnError) {
  const TestAuthority authority;
  FunctionHandler handler(Echo);
  const TestCertificate certificate = authority.IssueServer();
  const auto server = StartOrDie(handler, {.tls = TlsServerOptions{.certificate = {.text = certificate.certificate},
                                                                   .key = {.text = certificate.key}},
                                           .threads = 1});
  std::atomic<bool> cut = false;
  ScriptedServer between([&](Connection& client) {
    Connection upstream(ConnectTo(server->port()));
    pollfd ends[2] = {{.fd = client.socket(), .events = POLLIN, .revents = 0},
                      {.fd = upstream.socket(), .events = POLLIN, .revents = 0}};
    while (!cut && poll(ends, 2, 20) >= 0) {
      for (int i = 0; i < 2; ++i) {
        if (ends[i].revents == 0) continue;
        char bytes[16 << 10];
        const ssize_t got = recv(ends[i].fd, bytes, sizeof bytes, 0);
        if (got <= 0) return;
        (i == 0 ? upstream : client).Send({bytes, static_cast<size_t>(got)});
      }
    }
  });
  const auto transport = DirectTo({.server = between.url("https"), .tls = {.ca = {.text = authority.certificate()}}});
  EXPECT_EQ(Outcome(*transport, {}), "200 GET / ?\n");
  cut = true;
  // The kept connection is cut; a new one too, in the middle of its handshake.
  const Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kReset) << answer.error().message();
}

TEST(DirectTransport, AnswersWithoutABodyLeaveTheConnectionUsable) {
  ScriptedServer server(
      Answering({"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
                 "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", std::string(kOk)}));
  const auto transport = DirectTo({.server = server.url()});
  EXPECT_EQ(Outcome(*transport, {}), "204 ");
  EXPECT_EQ(Outcome(*transport, {}), "304 ");
  EXPECT_EQ(Outcome(*transport, {.method = "HEAD"}), "200 ");
  EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_EQ(server.accepted(), 1);
}

TEST(DirectTransport, AnAnswerThatCameInOnePieceCanBeReadWhereItIs) {
  ScriptedServer server(
      Answering({std::string(kOk), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"}));
  const auto transport = DirectTo({.server = server.url()});
  for (const bool one_piece : {true, false}) {
    Result<HttpResponse> answer = transport->Send({}, Soon());
    ASSERT_TRUE(answer.has_value()) << answer.error().message();
    std::string buffer;
    EXPECT_EQ(ReadInPlace(*answer->body, 100, buffer).value(), "ok");
    EXPECT_EQ(buffer, one_piece ? "" : "ok");
    EXPECT_EQ(answer->body->Next().value(), "");
  }
  EXPECT_EQ(server.accepted(), 1);
}

TEST(DirectTransport, TrailersAndChunkExtensionsAreSkipped) {
  ScriptedServer server(
      Answering({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "5;a=b\r\nhello\r\n0\r\nX-Late: yes\r\n\r\n",
                 std::string(kOk)}));
  const auto transport = DirectTo({.server = server.url()});
  Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  EXPECT_EQ(*ReadAll(*answer->body, 100), "hello");
  EXPECT_EQ(answer->headers.Find("X-Late"), nullptr);
  EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_EQ(server.accepted(), 1);
}

TEST(DirectTransport, HeadersHaveALimit) {
  ScriptedServer server(Answering({"HTTP/1.1 200 OK\r\nX-Long: " + std::string(70'000, 'x') + "\r\n\r\n"}));
  const auto transport = DirectTo({.server = server.url()});
  const Result<HttpResponse> answer = transport->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kProtocol) << answer.error().message();
  ScriptedServer generous(
      Answering({"HTTP/1.1 200 OK\r\nX-Long: " + std::string(60'000, 'x') + "\r\nContent-Length: 0\r\n\r\n"}));
  EXPECT_EQ(Outcome(*DirectTo({.server = generous.url()}), {}), "200 ");
}

TEST(DirectTransport, InterimAnswersWithoutEndAreAProtocolFailure) {
  ScriptedServer server([](Connection& client) {
    client.ReadRequest();
    while (client.Send("HTTP/1.1 102 Processing\r\n\r\n")) {
    }
  });
  const Result<HttpResponse> answer = DirectTo({.server = server.url()})->Send({}, Soon());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kProtocol) << answer.error().message();
}

// With two lengths it would be the server's word or a forger's where the next answer begins.
TEST(DirectTransport, AnswersWithTwoLengthsAreRefused) {
  for (const char* headers :
       {"Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2\r\nTransfer-Encoding: chunked",
        "Content-Length: -1", "Content-Length: 99999999999999999999999"}) {
    ScriptedServer server(Answering({"HTTP/1.1 200 OK\r\n" + std::string(headers) + "\r\n\r\nok"}));
    const Result<HttpResponse> answer = DirectTo({.server = server.url()})->Send({}, Soon());
    ASSERT_FALSE(answer.has_value()) << headers;
    EXPECT_EQ(DetailOf(answer.error()).failure(), TransportFailure::kProtocol) << answer.error().message();
  }
}

TEST(DirectTransport, PackedAnswersAreUnpackedHoweverTheyAreCut) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "item " + std::to_string(i * 7919 % 1000) + "\n";
  const std::string packed = Packed(text);
  for (const size_t size : {size_t{1000}, size_t{50'000}, size_t{1} << 30}) {
    ScriptedServer server(Answering({Chunked(packed, size), std::string(kOk)}));
    const auto transport = DirectTo({.server = server.url()});
    EXPECT_TRUE(Outcome(*transport, {}) == "200 " + text);
    EXPECT_EQ(Outcome(*transport, {}), "200 ok");
    EXPECT_EQ(server.accepted(), 1);
  }
  ScriptedServer two(Answering({Chunked(Packed("one ") + Packed("two"), 7)}));
  EXPECT_EQ(Outcome(*DirectTo({.server = two.url()}), {}), "200 one two");
}

TEST(DirectTransport, PackedAnswersWithoutABodyAreEmpty) {
  ScriptedServer server(Answering({"HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n",
                                   "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
                                   Chunked("", 1), std::string(kOk)}));
  const auto transport = DirectTo({.server = server.url()});
  EXPECT_EQ(Outcome(*transport, {}), "304 ");
  EXPECT_EQ(Outcome(*transport, {}), "200 ");
  EXPECT_EQ(Outcome(*transport, {}), "200 ");
  EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_EQ(server.accepted(), 1);
}

TEST(DirectTransport, PackedAnswersThatAreBrokenOrEndTooEarlyAreErrors) {
  const std::string packed = Packed(std::string(1000, 'x') + "the end");
  std::string broken = packed;
  broken[broken.size() - 6] ^= 1;  // of the checksum
  for (const std::string& body :
       {packed.substr(0, packed.size() - 1), packed.substr(0, 5), broken, std::string("plain")}) {
    ScriptedServer server(Answering({Chunked(body, 10)}));
    const std::string outcome = Outcome(*DirectTo({.server = server.url()}), {});
    EXPECT_NE(outcome.find("error in body: "), std::string::npos) << outcome;
  }
}

TEST(DirectTransport, AnswerThatComesBeforeTheWholeRequestIsGiven) {
  ScriptedServer server([](Connection& client) {
    client.ReadUntil("\r\n\r\n");
    client.Send("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 8\r\n\r\ntoo long");
    client.ReadToEnd();
  });
  const auto transport = DirectTo({.server = server.url()});
  EXPECT_EQ(Outcome(*transport, {.method = "POST", .body = std::string(32 << 20, 'x')}), "413 too long");
}

// A server that restarts or has closed an idle connection: nothing was sent on it, so writes may go on another.
TEST(DirectTransport, KeptConnectionThatTheServerHasClosedIsNotUsedForWrites) {
  Counted closed;
  ScriptedServer server([&](Connection& client) {
    client.ReadRequest();
    client.Send(kOk);
    shutdown(client.socket(), SHUT_WR);
    closed.Add();
    client.ReadToEnd();
  });
  const auto transport = DirectTo({.server = server.url()});
  EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  ASSERT_TRUE(closed.WaitFor(1));
  (void)SleepFor(30ms, StopToken());  // connections used just now are taken to be open
  EXPECT_EQ(Outcome(*transport, {.method = "POST", .body = "{}"}), "200 ok");
  EXPECT_EQ(server.accepted(), 2);
}

TEST(DirectTransport, BodyThatIsDroppedUnreadLeavesTheConnectionUsableWhereItHasCome) {
  ScriptedServer server(Answering({std::string(kOk), std::string(kOk)}));
  const auto transport = DirectTo({.server = server.url()});
  ASSERT_TRUE(transport->Send({}, Soon()).has_value());
  EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_EQ(server.accepted(), 1);
}

TEST(DirectTransport, ConnectionThatWasIdleForLongIsNotUsed) {
  ScriptedServer server(Answering({std::string(kOk), std::string(kOk)}));
  const auto transport = DirectTo({.server = server.url(), .idle_timeout = 1ns});
  EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_EQ(server.accepted(), 2);
}

TEST(DirectTransport, AConnectionWhoseCallWasStoppedServesNoOther) {
  ScriptedServer server([](Connection& client) {
    while (!client.ReadRequest().empty()) client.Send(kOk);
  });
  const auto transport = DirectTo({.server = server.url()});
  StopSource source;
  {
    Result<HttpResponse> answer = transport->Send({}, {.stop = source.token()});
    ASSERT_TRUE(answer.has_value()) << answer.error().message();
    std::string buffer;
    EXPECT_EQ(ReadInPlace(*answer->body, 100, buffer).value_or(""), "ok");
    source.RequestStop();  // while the answer is looked at
  }
  EXPECT_EQ(Outcome(*transport, {}), "200 ok");
  EXPECT_EQ(server.accepted(), 2);
}

TEST(DirectTransport, CallsBeyondTheMostConnectionsWaitForOne) {
  Counted arrived;
  Awaited<bool> go;
  ScriptedServer server([&](Connection& client) {
    while (!client.ReadRequest().empty()) {
      arrived.Add();
      go.Wait();
      client.Send(kOk);
    }
  });
  const auto transport = DirectTo({.server = server.url(), .max_connections = 2});
  std::vector<Thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back("caller", [&] { EXPECT_EQ(Outcome(*transport, {}), "200 ok"); });
  }
  ASSERT_TRUE(arrived.WaitFor(2));
  // A third cannot come; its deadline ends the wait.
  const Result<HttpResponse> late = transport->Send({}, {.deadline = Clock::Now() + 50ms});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);
  EXPECT_FALSE(DetailOf(late.error()).sent());
  // Streams do not count.
  Thread stream("stream", [&] { EXPECT_EQ(Outcome(*transport, {.streaming = true}), "200 ok"); });
  ASSERT_TRUE(arrived.WaitFor(3));
  EXPECT_EQ(arrived.get(), 3);
  go.Set(true);
  stream.Join();
  for (Thread& caller : callers) caller.Join();
  EXPECT_EQ(server.accepted(), 3);
}

TEST(DirectTransport, AStreamWithAFarDeadlineGivesWhatComesAndEndsAtOnceWhenStopped) {
  Awaited<bool> more;
  ScriptedServer server([&](Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
    more.Wait();
    client.Send("1\r\nb\r\n");
    client.ReadToEnd();
  });
  const auto transport = DirectTo({.server = server.url()});
  StopSource source;
  Result<HttpResponse> watch =
      transport->Send({.streaming = true}, {.stop = source.token(), .deadline = Clock::Now() + 1h});
  ASSERT_TRUE(watch.has_value()) << watch.error().message();
  EXPECT_EQ(*watch->body->Next(), "a");
  Thread sender("sender", [&] { more.Set(true); });
  EXPECT_EQ(*watch->body->Next(), "b");
  Thread stopper("stopper", [&] { source.RequestStop(); });
  EXPECT_EQ(watch->body->Next().error().code(), ErrorCode::kCancelled);
}

}  // namespace
}  // namespace keelson
