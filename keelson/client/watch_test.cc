#include "keelson/client/watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/codec/json_writer.h"
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

// Writes down what is asked of it.
class Diary final : public KeptVersions {
 public:
  void Expect(std::string_view namespace_, std::string_view name) override {
    entries.push_back("expect " + std::string(namespace_) + "/" + std::string(name));
  }
  Version Find(std::string_view namespace_, std::string_view name) override {
    entries.push_back("find " + std::string(namespace_) + "/" + std::string(name));
    return {};
  }
  void Keep(SectionMarks) override {}

  std::vector<std::string> entries;
};

TEST(Watch, TellsWhichObjectComesNextBeforeOneIsRead) {
  std::string json, protobuf;
  for (const char* name : {"a", "b", "c"}) {
    const corev1::ConfigMap object{.metadata = {.name = name, .namespace_ = "shop", .uid = "u"}};
    json += R"({"type":"ADDED","object":)" + ToJson(object) + "}\n";
    AppendFrame(Field(1, "ADDED") + Field(2, Field(1, ToProtobufEnvelope(object))), protobuf);
  }
  for (const std::string& body : {json, protobuf}) {
    const char* const type = body == json ? "application/json" : "application/vnd.kubernetes.protobuf;stream=watch";
    Diary diary;
    auto watch = RawWatch::Open(TypeOf<corev1::ConfigMap>(), &diary, {}, [&](const StopToken&) -> Result<HttpResponse> {
                   HttpResponse response{.status = 200, .headers = {{"Content-Type", type}}};
                   response.body = StreamOf(body);
                   return response;
                 }).value();
    while (true) {
      corev1::ConfigMap object;
      const auto event = watch->Next(&object);
      ASSERT_TRUE(event) << event.error().message();
      if (!*event) break;
    }
    EXPECT_EQ(diary.entries,
              (std::vector<std::string>{"expect shop/b", "find shop/a", "expect shop/c", "find shop/b", "find shop/c"}))
        << type;
  }
}

}  // namespace
}  // namespace keelson
