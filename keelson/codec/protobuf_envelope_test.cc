#include "keelson/codec/protobuf_envelope.h"

#include <gtest/gtest.h>

#include "keelson/api/access.h"
#include "keelson/api/compare.h"
#include "keelson/api/meta/v1.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/protobuf_test_support.h"
#include "keelson/codec/protobuf_writer.h"

namespace keelson {
namespace {

struct RecordedBody {
  std::string what;
  const Type* type;
  std::string api_version;
  std::string kind;
  std::string event_type;
  std::string json;
  std::string bytes;
};

std::vector<RecordedBody> RecordedBodies(std::string_view what) {
  std::vector<RecordedBody> bodies;
  for (const std::string& line : LinesOf(KEELSON_TEST_DATA "/protobuf/envelope.jsonl")) {
    const Json record = ParseJson(line).OrExit();
    if (TextOf(record, "what") != what) continue;
    bodies.push_back({.what = TextOf(record, "what"),
                      .type = FindBuiltinType(TextOf(record, "type")),
                      .api_version = TextOf(record, "apiVersion"),
                      .kind = TextOf(record, "kind"),
                      .event_type = TextOf(record, "eventType"),
                      .json = JsonTextOf(line, "bytes"),
                      .bytes = BytesOf(record, "bytes")});
  }
  EXPECT_FALSE(bodies.empty()) << what;
  return bodies;
}

// Decodes the body and compares it with what was recorded beside it.
void ExpectBody(const RecordedBody& recorded, std::string_view body) {
  const Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(body);
  ASSERT_TRUE(envelope) << envelope.error().message();
  EXPECT_EQ(envelope->api_version, recorded.api_version);
  EXPECT_EQ(envelope->kind, recorded.kind);
  EXPECT_EQ(envelope->content_encoding, "");
  EXPECT_EQ(envelope->content_type, "");
  AnyValue value(*recorded.type);
  AnyValue expected(*recorded.type);
  ASSERT_TRUE(DecodeProtobuf(*recorded.type, value.data(), envelope->raw));
  ASSERT_TRUE(DecodeJson(*recorded.type, expected.data(), recorded.json));
  EXPECT_TRUE(Equal(*recorded.type, value.data(), expected.data())) << recorded.json;
  std::string written = "before";
  AppendProtobufEnvelope(*envelope, written);
  EXPECT_EQ(written, "before" + std::string(body));
  written.clear();
  AppendProtobufEnvelope(*recorded.type, value.data(), written);
  EXPECT_EQ(written, body);
}

TEST(ProtobufEnvelope, RecordedBodiesOpenAndAreWrittenBack) {
  for (const RecordedBody& recorded : RecordedBodies("object")) ExpectBody(recorded, recorded.bytes);
  for (const RecordedBody& recorded : RecordedBodies("list")) ExpectBody(recorded, recorded.bytes);
}

TEST(ProtobufEnvelope, FieldsMayComeInAnyOrderAndUnknownOnesAreSkipped) {
  const std::string body =
      std::string(kProtobufMagic) + BytesField(4, "type") + VarintField(9, 1) + BytesField(2, "raw") +
      BytesField(1, BytesField(2, "Pod") + BytesField(7, "?") + BytesField(1, "v1")) + BytesField(3, "gzip");
  const ProtobufEnvelope envelope = OpenProtobufEnvelope(std::string_view(body)).OrExit();
  EXPECT_EQ(envelope.api_version, "v1");
  EXPECT_EQ(envelope.kind, "Pod");
  EXPECT_EQ(envelope.raw, "raw");
  EXPECT_EQ(envelope.content_encoding, "gzip");
  EXPECT_EQ(envelope.content_type, "type");
}

// Behind a field that is unknown the envelope is read field by field, so what is read quickly must be the same.
TEST(ProtobufEnvelope, OneChangedByteIsReadLikeBehindAnUnknownField) {
  const std::string magic(kProtobufMagic);
  const std::string message = BytesField(1, BytesField(1, "apps/v1") + BytesField(2, "Deployment")) +
                              BytesField(2, std::string(200, 'r')) + BytesField(3, "") + BytesField(4, "");
  for (size_t at = 0; at < message.size(); ++at) {
    if (at == 50) at = message.size() - 8;  // the middle of the 200
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = message;
      changed[at] = static_cast<char>(byte);
      const std::string body = magic + changed;
      const std::string slow_body = magic + VarintField(9, 1) + changed;
      const Result<ProtobufEnvelope> read = OpenProtobufEnvelope(std::string_view(body));
      const Result<ProtobufEnvelope> slow = OpenProtobufEnvelope(std::string_view(slow_body));
      ASSERT_EQ(read.has_value(), slow.has_value()) << at << " " << byte;
      if (!read) continue;
      EXPECT_EQ(read->api_version, slow->api_version);
      EXPECT_EQ(read->kind, slow->kind);
      EXPECT_EQ(read->raw, slow->raw);
      EXPECT_EQ(read->content_encoding, slow->content_encoding);
      EXPECT_EQ(read->content_type, slow->content_type);
    }
  }
}

TEST(ProtobufEnvelope, OtherBodiesAreErrors) {
  EXPECT_EQ(OpenProtobufEnvelope(std::string_view("{\"kind\":\"Pod\"}")).error().message(),
            "expected a Kubernetes protobuf body, which begins with \"k8s\\0\"; found something else");
  const std::string cut = std::string(kProtobufMagic) + "\x12\x05r";
  EXPECT_EQ(OpenProtobufEnvelope(std::string_view(cut)).error().message(),
            "cannot read the protobuf envelope: raw: expected 5 bytes, found the end of the message after 1");
}

TEST(FrameCutter, RecordedWatchIsCutAtEverySplit) {
  const std::vector<RecordedBody> events = RecordedBodies("watch");
  const std::string stream = RecordedBodies("watch_stream").front().bytes;
  std::string joined;
  for (const RecordedBody& event : events) joined += event.bytes;
  ASSERT_EQ(joined, stream);
  for (size_t split = 0; split <= stream.size(); ++split) {
    FrameCutter cutter;
    std::vector<std::string> frames;
    const auto keep = [&](std::string_view frame) -> Result<void> {
      frames.emplace_back(frame);
      return {};
    };
    ASSERT_TRUE(cutter.Feed(std::string_view(stream).substr(0, split), keep));
    ASSERT_TRUE(cutter.Feed(std::string_view(stream).substr(split), keep));
    EXPECT_TRUE(cutter.at_boundary());
    ASSERT_EQ(frames.size(), events.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      std::string framed;
      AppendFrame(frames[i], framed);
      ASSERT_EQ(framed, events[i].bytes);
    }
  }
}

TEST(FrameCutter, RecordedEventsHoldTheirObjects) {
  for (const RecordedBody& recorded : RecordedBodies("watch")) {
    const metav1::WatchEvent event =
        FromProtobuf<metav1::WatchEvent>(std::string_view(recorded.bytes).substr(4)).OrExit();
    EXPECT_EQ(event.type, recorded.event_type);
    ExpectBody(recorded, event.object.raw());
    std::string frame;
    AppendFrame(ToProtobuf(event), frame);
    EXPECT_EQ(frame, recorded.bytes);
  }
}

TEST(FrameCutter, ByteByByteGivesTheSameFrames) {
  std::string stream;
  for (const std::string_view frame : {"one", "", "three"}) AppendFrame(frame, stream);
  FrameCutter cutter;
  std::string seen;
  for (const char byte : stream) {
    ASSERT_TRUE(cutter.Feed({&byte, 1}, [&](std::string_view frame) -> Result<void> {
      seen += "<" + std::string(frame) + ">";
      return {};
    }));
  }
  EXPECT_EQ(seen, "<one><><three>");
}

TEST(FrameCutter, FramesOverTheLimitEndTheStream) {
  std::string stream;
  AppendFrame("12345", stream);
  FrameCutter cutter(4);
  const auto ignore = [](std::string_view) -> Result<void> { return {}; };
  EXPECT_EQ(cutter.Feed(stream, ignore).error().message(), "a watch frame of 5 bytes is longer than the limit of 4");
  EXPECT_FALSE(cutter.Feed("", ignore));
  FrameCutter enough(5);
  EXPECT_TRUE(enough.Feed(stream, ignore));
}

TEST(FrameCutter, AnErrorOfTheHandlerEndsTheStream) {
  std::string stream;
  AppendFrame("a", stream);
  AppendFrame("b", stream);
  FrameCutter cutter;
  int calls = 0;
  const auto refuse = [&](std::string_view) -> Result<void> {
    ++calls;
    return Error::Cancelled("enough");
  };
  EXPECT_EQ(cutter.Feed(stream, refuse).error().message(), "enough");
  EXPECT_EQ(cutter.Feed(stream, refuse).error().message(), "enough");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace keelson
