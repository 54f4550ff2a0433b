#include "keelson/transport/internal/http1_response_parser.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace keelson::internal {
namespace {

constexpr size_t kMaxHeaderBytes = 200;

struct Answer {
  int status = 0;
  std::string headers = {};
  std::string body = {};
  std::string rest = {};  // of the input
  bool keep_alive = false;
  bool operator==(const Answer&) const = default;
};

// Nothing when it is malformed or not whole at the end of the connection.
std::optional<Answer> ParseCut(std::string_view bytes, size_t cut, bool to_head_request) {
  Http1ResponseParser parser(to_head_request, kMaxHeaderBytes);
  Answer answer;
  std::string buffer;
  while (true) {
    std::string_view input = buffer;
    const ParseStep step = parser.Parse(input);
    if (step == ParseStep::kBody) answer.body += parser.body();
    if (step == ParseStep::kHeaders) {
      answer.status = parser.status();
      for (const auto& [name, value] : parser.headers()) {
        answer.headers.append(name).append("=").append(value).append(";");
      }
      answer.keep_alive = parser.keep_alive();
    }
    buffer.erase(0, buffer.size() - input.size());
    if (step == ParseStep::kMalformed) {
      EXPECT_FALSE(parser.problem().empty());
      return std::nullopt;
    }
    if (step == ParseStep::kDone || (step == ParseStep::kNeedMore && bytes.empty())) {
      if (!parser.AtEnd()) return std::nullopt;
      answer.rest = buffer + std::string(bytes);
      return answer;
    }
    if (step != ParseStep::kNeedMore) continue;
    const size_t size = std::min(cut, bytes.size());
    buffer.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
}

// However the bytes are cut on their way.
std::optional<Answer> Parse(std::string_view bytes, bool to_head_request = false) {
  const std::optional<Answer> whole = ParseCut(bytes, bytes.size(), to_head_request);
  for (const size_t cut : {1, 2, 3, 7}) EXPECT_EQ(ParseCut(bytes, cut, to_head_request), whole) << bytes;
  return whole;
}

std::string WithHeaders(std::string_view headers, std::string_view body = "") {
  return "HTTP/1.1 200 OK\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

TEST(Http1ResponseParser, GivesStatusHeadersAndABodyOfTheLengthAnnounced) {
  EXPECT_EQ(Parse("HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX-A:  b c \t\r\nX-Empty:\r\n\r\nhellonext"),
            (Answer{.status = 201,
                    .headers = "Content-Length=5;X-A=b c;X-Empty=;",
                    .body = "hello",
                    .rest = "next",
                    .keep_alive = true}));
  EXPECT_EQ(Parse("HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n")->status, 404);
}

TEST(Http1ResponseParser, PutsChunksTogetherAndDropsExtensionsAndTrailers) {
  const std::optional<Answer> answer = Parse(WithHeaders(
      "Transfer-Encoding: Chunked\r\n", "5\r\nhello\r\nA ;a=b\r\n, chunked!\r\n0\r\nX-Late: 1\r\n\r\nnext"));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body, "hello, chunked!");
  EXPECT_EQ(answer->headers, "Transfer-Encoding=Chunked;");
  EXPECT_EQ(answer->rest, "next");
}

TEST(Http1ResponseParser, EndsWithTheConnectionWhereNoLengthIsTold) {
  const std::optional<Answer> answer = Parse(WithHeaders("", "to the end"));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body, "to the end");
  EXPECT_FALSE(answer->keep_alive);
  EXPECT_FALSE(Parse(WithHeaders("Content-Length: 5\r\n", "hell")).has_value());
  EXPECT_FALSE(Parse(WithHeaders("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n")).has_value());
  EXPECT_FALSE(Parse("HTTP/1.1 200 OK\r\nX-A: b\r\n").has_value());
}

TEST(Http1ResponseParser, KnowsWhichAnswersHaveNoBody) {
  for (const char* start : {"HTTP/1.1 204 No Content", "HTTP/1.1 304 Not Modified", "HTTP/1.1 100 Continue"}) {
    EXPECT_EQ(Parse(std::string(start) + "\r\nContent-Length: 3\r\n\r\nabc")->rest, "abc");
  }
  EXPECT_EQ(Parse(WithHeaders("Content-Length: 3\r\n", "abc"), true)->rest, "abc");
}

TEST(Http1ResponseParser, TellsWhetherTheConnectionIsKept) {
  EXPECT_TRUE(Parse(WithHeaders("Content-Length: 0\r\nConnection: upgrade\r\n"))->keep_alive);
  EXPECT_FALSE(Parse(WithHeaders("Content-Length: 0\r\nconnection: upgrade , CLOSE\r\n"))->keep_alive);
  EXPECT_FALSE(Parse("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")->keep_alive);
  EXPECT_TRUE(Parse("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n")->keep_alive);
}

TEST(Http1ResponseParser, JoinsAValueThatGoesOnInTheNextLine) {
  EXPECT_EQ(Parse(WithHeaders("Content-Length: 0\r\nX-A: one\r\n  two \r\n\tthree\r\nX-B: c\r\n"))->headers,
            "Content-Length=0;X-A=one two three;X-B=c;");
}

TEST(Http1ResponseParser, RefusesLengthsThatDiffer) {
  EXPECT_EQ(Parse(WithHeaders("Content-Length: 2\r\nContent-Length: 2, 2\r\n", "ab"))->body, "ab");
  for (const char* headers :
       {"Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length: 2, 3\r\n", "Content-Length: \r\n",
        "Content-Length: -1\r\n", "Content-Length: 0x2\r\n", "Content-Length: 18446744073709551616\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"}) {
    EXPECT_FALSE(Parse(WithHeaders(headers, "ab")).has_value()) << headers;
  }
}

TEST(Http1ResponseParser, RefusesWhatIsNotHttp) {
  for (const char* bytes :
       {"SSH-2.0-OpenSSH\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 200 O\001K\r\n\r\n", "HTTP/1.1 200 OK\r\n : a\r\n\r\n", "HTTP/1.1 200 OK\r\nX A: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-A : b\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-A: b\nX-B: c\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A: 12345678\x7f\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-A: 1234567\x1fxyz\r\n\r\n"}) {
    EXPECT_FALSE(Parse(bytes).has_value()) << bytes;
  }
  for (const char* chunks : {"\r\n", "g\r\n", "5 5\r\nhello", "5\nhello", "10000000000000000\r\n",
                             "5\r\nhello!\r\n0\r\n\r\n", "0\r\nno colon\r\n\r\n"}) {
    EXPECT_FALSE(Parse(WithHeaders("Transfer-Encoding: chunked\r\n", chunks)).has_value()) << chunks;
  }
}

TEST(Http1ResponseParser, LimitsHeadersTrailersAndTheLinesBetweenChunks) {
  const std::string before = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: ";
  const size_t room = kMaxHeaderBytes - before.size() - 4;
  EXPECT_TRUE(Parse(before + std::string(room, 'a') + "\r\n\r\n").has_value());
  EXPECT_FALSE(Parse(before + std::string(room + 1, 'a') + "\r\n\r\n").has_value());
  const std::string chunked = WithHeaders("Transfer-Encoding: chunked\r\n");
  EXPECT_FALSE(Parse(chunked + "1;" + std::string(kMaxHeaderBytes, 'a') + "\r\na\r\n0\r\n\r\n").has_value());
  std::string trailers;
  while (trailers.size() <= kMaxHeaderBytes) trailers += "X-A: b\r\n";
  EXPECT_FALSE(Parse(chunked + "0\r\n" + trailers + "\r\n").has_value());
}

}  // namespace
}  // namespace keelson::internal
