#include "keelson/transport/watch_frames.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/codec/protobuf_envelope.h"

namespace keelson {
namespace {

using Strings = std::vector<std::string>;

// Every whole frame there is, then the error if one came.
Strings Drain(WatchFrameCutter& cutter) {
  Strings frames;
  while (true) {
    const Result<std::optional<std::string_view>> frame = cutter.Next();
    if (!frame) {
      frames.push_back("error: " + frame.error().message());
      return frames;
    }
    if (!*frame) return frames;
    frames.emplace_back(**frame);
  }
}

// Appends in chunks that are gone as soon as they are drained.
Strings CutBy(WatchFrameCutter& cutter, std::string_view stream, size_t chunk_size) {
  Strings frames;
  while (!stream.empty()) {
    const std::string chunk(stream.substr(0, chunk_size));
    stream.remove_prefix(chunk.size());
    cutter.Append(chunk);
    for (std::string& frame : Drain(cutter)) frames.push_back(std::move(frame));
  }
  return frames;
}

const Strings kEvents = {
    R"({"type":"ADDED","object":{"a":[1,{"b":"}{"}]}})",
    R"({})",
    R"({"quote":"\"}","backslash":"\\","both":"\\\"{"})",
    "{\n  \"pretty\": [\n    1\n  ]\n}",
    R"({"long":")" + std::string(200, '{') + R"(","tail":[[[[{}]]]]})",
    R"({"escapes":")" + std::string(126, '\\') + R"("})",
};

std::string Joined(std::string_view between) {
  std::string stream;
  for (const std::string& event : kEvents) stream.append(event).append(between);
  return stream;
}

TEST(JsonWatchFrames, ComeOutTheSameInChunksOfEverySize) {
  for (const std::string_view between : {"\n", "", "\r\n \t"}) {
    const std::string stream = Joined(between);
    for (size_t size = 1; size <= stream.size(); ++size) {
      const auto cutter = NewJsonWatchFrames();
      EXPECT_EQ(CutBy(*cutter, stream, size), kEvents) << "chunks of " << size;
      EXPECT_TRUE(cutter->at_boundary());
    }
  }
}

TEST(JsonWatchFrames, ComeOutTheSameWhereverTheStreamIsCutOnce) {
  const std::string stream = Joined("\n");
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    const auto cutter = NewJsonWatchFrames();
    Strings frames = CutBy(*cutter, stream.substr(0, cut), stream.size());
    for (std::string& frame : CutBy(*cutter, stream.substr(cut), stream.size())) frames.push_back(std::move(frame));
    EXPECT_EQ(frames, kEvents) << "cut at " << cut;
  }
}

TEST(JsonWatchFrames, MayHaveLinesAsTheyLike) {
  const Strings objects = {
      R"({"a":"one line with a long text that goes on and on"})",
      R"({"a":"} in a text","b":"}{ in a text","c":"}\n{ in a text","d":{"e":{}}})",
      "{\n  \"a\": {\n  },\n  \"b\": [{}\n,{}\n]\n}",
      "{\"a\":{}\n}",
      "{\"a\":[{}\n,{\"b\":\"\xc3\xa9}\xc3\xa9\"}]}",
      "{}",
  };
  for (const std::string& first : objects) {
    for (const std::string& second : objects) {
      for (const std::string& third : objects) {
        for (const std::string_view between : {"\n", "", " ", "\r\n"}) {
          const std::string stream = first + std::string(between) + second + "\n" + third + "\n" + objects[0] + "\n";
          for (const size_t size : {size_t{1}, size_t{7}, stream.size()}) {
            const auto cutter = NewJsonWatchFrames();
            EXPECT_EQ(CutBy(*cutter, stream, size), Strings({first, second, third, objects[0]})) << stream;
            EXPECT_TRUE(cutter->at_boundary());
          }
        }
      }
    }
  }
}

TEST(JsonWatchFrames, AreHandedOnAsSoonAsTheirLastByteIsThere) {
  const auto cutter = NewJsonWatchFrames();
  cutter->Append(R"({"a":1)");
  EXPECT_EQ(Drain(*cutter), Strings());
  EXPECT_FALSE(cutter->at_boundary());
  cutter->Append("}");
  EXPECT_EQ(Drain(*cutter), Strings({R"({"a":1})"}));
  EXPECT_TRUE(cutter->at_boundary());
}

TEST(JsonWatchFrames, WholeOnesAreNotCopied) {
  const std::string chunk = "{\"a\":1}\n{\"b\":2}\n";
  const auto cutter = NewJsonWatchFrames();
  cutter->Append(chunk);
  EXPECT_EQ((*cutter->Next())->data(), chunk.data());
  EXPECT_EQ((*cutter->Next())->data(), chunk.data() + 8);
}

TEST(JsonWatchFrames, WhatFollowsCanBeLookedAt) {
  const auto cutter = NewJsonWatchFrames();
  EXPECT_EQ(cutter->upcoming(), "");
  cutter->Append("{\"a\":1}\n{\"b\":2}\n{\"c");
  EXPECT_EQ(**cutter->Next(), "{\"a\":1}");
  EXPECT_TRUE(cutter->upcoming().ends_with("{\"b\":2}\n{\"c"));
  EXPECT_EQ(**cutter->Next(), "{\"b\":2}");
  EXPECT_TRUE(cutter->upcoming().ends_with("{\"c"));
  EXPECT_EQ(Drain(*cutter), Strings());
  EXPECT_EQ(cutter->upcoming(), "");
}

TEST(JsonWatchFrames, BytesThatWereNotAskedForComeFirst) {
  const auto cutter = NewJsonWatchFrames();
  cutter->Append("{\"a\":1}{\"b\"");
  EXPECT_EQ(**cutter->Next(), "{\"a\":1}");
  cutter->Append(":2}");
  cutter->Append("{}");
  EXPECT_EQ(Drain(*cutter), Strings({"{\"b\":2}", "{}"}));
}

TEST(JsonWatchFrames, LongerOnesThanTheLimitAreAnErrorBeforeTheyAreHeld) {
  for (const size_t chunk : {1, 5, 100}) {
    const auto cutter = NewJsonWatchFrames(10);
    const std::string error = "error: a watch frame is longer than the limit of 10 bytes";
    Strings frames = CutBy(*cutter, R"({"a":1234}{"a":12345})", chunk);
    ASSERT_GE(frames.size(), 2u);
    EXPECT_EQ(frames[0], R"({"a":1234})");
    EXPECT_EQ(frames[1], error);
    EXPECT_EQ(Drain(*cutter), Strings({error}));
  }
}

TEST(JsonWatchFrames, WhatBeginsNoObjectIsAnErrorThatStays) {
  const auto cutter = NewJsonWatchFrames();
  cutter->Append("{}\n[1]");
  EXPECT_EQ(**cutter->Next(), "{}");
  const Strings error = {"error: a watch is a sequence of JSON objects, each of which begins with '{'; found '['"};
  EXPECT_EQ(Drain(*cutter), error);
  cutter->Append("{}");
  EXPECT_EQ(Drain(*cutter), error);
}

TEST(ProtobufWatchFrames, ComeOutTheSameInChunksOfEverySize) {
  const Strings events = {"first", "", std::string(300, 'x'), std::string("\0\1\2", 3)};
  std::string stream;
  for (const std::string& event : events) AppendFrame(event, stream);
  for (size_t size = 1; size <= stream.size(); ++size) {
    const auto cutter = NewProtobufWatchFrames();
    EXPECT_EQ(CutBy(*cutter, stream, size), events) << "chunks of " << size;
    EXPECT_TRUE(cutter->at_boundary());
  }
}

TEST(ProtobufWatchFrames, WholeOnesAreNotCopied) {
  std::string chunk;
  AppendFrame("one", chunk);
  AppendFrame("two", chunk);
  const auto cutter = NewProtobufWatchFrames();
  cutter->Append(chunk);
  EXPECT_EQ((*cutter->Next())->data(), chunk.data() + 4);
  EXPECT_EQ((*cutter->Next())->data(), chunk.data() + 11);
}

TEST(ProtobufWatchFrames, WhatFollowsCanBeLookedAt) {
  std::string chunk;
  AppendFrame("one", chunk);
  AppendFrame("two", chunk);
  const auto cutter = NewProtobufWatchFrames();
  EXPECT_EQ(cutter->upcoming(), "");
  cutter->Append(chunk);
  EXPECT_EQ(**cutter->Next(), "one");
  EXPECT_EQ(cutter->upcoming(), "two");
  EXPECT_EQ(**cutter->Next(), "two");
  EXPECT_EQ(cutter->upcoming(), "");
}

TEST(ProtobufWatchFrames, BytesThatWereNotAskedForComeFirst) {
  const auto cutter = NewProtobufWatchFrames();
  {
    std::string chunk;
    AppendFrame("one", chunk);
    AppendFrame("two", chunk);
    cutter->Append(chunk);
    std::string more;
    AppendFrame("three", more);
    cutter->Append(more);
    chunk.assign(chunk.size(), '?');
    EXPECT_EQ(Drain(*cutter), Strings({"one", "two", "three"}));
  }
}

TEST(ProtobufWatchFrames, LongerOnesThanTheLimitAreAnErrorBehindTheFramesBefore) {
  std::string stream;
  AppendFrame("short", stream);
  AppendFrame("much too long", stream);
  const auto cutter = NewProtobufWatchFrames(10);
  const std::string error = "error: a watch frame of 13 bytes is longer than the limit of 10";
  EXPECT_EQ(CutBy(*cutter, stream, stream.size()), Strings({"short", error}));
  EXPECT_EQ(Drain(*cutter), Strings({error}));
}

}  // namespace
}  // namespace keelson
