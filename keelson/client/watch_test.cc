#include "keelson/client/watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_writer.h"

namespace keelson {
namespace {

// The events of a watch with these frames of protobuf, as "ADDED a", and what ended it.
std::vector<std::string> ReadProtobufWatch(const std::vector<std::string>& frames) {
  std::string body;
  for (const std::string& frame : frames) AppendFrame(frame, body);
  WatchStream<corev1::ConfigMap> watch(
      RawWatch::Open(TypeOf<corev1::ConfigMap>(), nullptr, {}, [&](const StopToken&) -> Result<HttpResponse> {
        HttpResponse response{.status = 200,
                              .headers = {{"Content-Type", "application/vnd.kubernetes.protobuf;stream=watch"}}};
        response.body = StreamOf(body);
        return response;
      }).value());
  std::vector<std::string> told;
  while (true) {
    const auto event = watch.Next();
    if (!event) told.push_back(event.error().message());
    if (!event || !*event) return told;
    told.push_back(std::string(ToString((*event)->type)) + " " + (*event)->object.metadata.name.str());
  }
}

std::string Object(const std::string& name) {
  return ToProtobufEnvelope(corev1::ConfigMap{.metadata = {.name = name}});
}

std::string Field(int number, const std::string& bytes) {
  std::string field(1, static_cast<char>(number << 3 | 2));
  for (size_t size = bytes.size(); true; size >>= 7) {
    field += static_cast<char>((size & 0x7f) | (size < 0x80 ? 0 : 0x80));
    if (size < 0x80) break;
  }
  return field + bytes;
}

TEST(Watch, ReadsProtobufEventsHoweverTheyAreWritten) {
  const std::string long_name(300, 'n');
  EXPECT_EQ(ReadProtobufWatch({
                Field(1, "ADDED") + Field(2, Field(1, Object("a"))),
                Field(2, Field(1, Object("b"))) + Field(1, "MODIFIED"),
                Field(1, "ADDED") + Field(1, "DELETED") + Field(2, Field(1, Object("c"))),
                Field(1, "BOOKMARK") + Field(2, Field(1, Object("d")) + Field(15, "new")) + Field(15, "new"),
                Field(1, "ADDED") + Field(2, Field(1, Object(long_name))),
            }),
            (std::vector<std::string>{"ADDED a", "MODIFIED b", "DELETED c", "BOOKMARK d", "ADDED " + long_name}));
}

TEST(Watch, EndsWithAnErrorAtProtobufThatIsNoEvent) {
  const std::string good = Field(1, "ADDED") + Field(2, Field(1, Object("a")));
  for (const std::string& bad :
       {good.substr(0, good.size() - 1), good.substr(0, 1), good.substr(0, 8), std::string(12, '\xff'),
        Field(1, "SPLIT") + Field(2, Field(1, Object("a"))), Field(1, "ADDED") + Field(2, Field(1, "no envelope"))}) {
    const std::vector<std::string> told = ReadProtobufWatch({good, bad});
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0], "ADDED a");
    EXPECT_NE(told[1].substr(0, 5), "ADDED");
  }
}

}  // namespace
}  // namespace keelson
