#include "keelson/codec/protobuf_writer.h"

#include <gtest/gtest.h>

#include "keelson/api/access.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/protobuf_test_support.h"

namespace keelson {
namespace {

TEST(ProtobufWriter, WritesEveryRecordedObjectAsGoDoes) {
  for (const RecordedObject& object : RecordedObjects()) {
    AnyValue value(*object.type);
    const Result<void> read = DecodeJson(*object.type, value.data(), object.json);
    ASSERT_TRUE(read) << object.label << ": " << read.error().message();
    std::string written;
    AppendProtobuf(*object.type, value.data(), written);
    EXPECT_EQ(written, object.protobuf) << object.label;
  }
}

TEST(ProtobufWriter, AppendsBehindWhatIsThere) {
  metav1::ListMeta meta;
  meta.resourceVersion = std::string(100'000, 'v');  // more than fits into any first room
  std::string out = "before";
  AppendProtobuf(TypeOf<metav1::ListMeta>(), &meta, out);
  EXPECT_EQ(out, "before" + BytesField(1, "") + BytesField(2, meta.resourceVersion) + BytesField(3, ""));
}

TEST(ProtobufWriter, ReusingABufferGivesTheSameBytes) {
  corev1::ConfigMap map;
  map.data = {{"a", std::string(3000, 'x')}, {"b", ""}};
  const std::string once = ToProtobuf(map);
  std::string buffer;
  for (int i = 0; i < 3; ++i) {
    buffer.clear();
    AppendProtobuf(TypeOf<corev1::ConfigMap>(), &map, buffer);
    EXPECT_EQ(buffer, once);
  }
}

TEST(ProtobufWriter, EmptyBytesAreWrittenInMapsOnly) {
  // ConfigMap {3 binaryData}: Go reads "" into an empty slice, which it writes.
  corev1::ConfigMap map;
  map.binaryData = {{"k", ""}};
  EXPECT_NE(ToProtobuf(map).find(BytesField(3, BytesField(1, "k") + BytesField(2, ""))), std::string::npos);
}

TEST(ProtobufWriter, TypesWithoutProtobufWriteNothing) {
  const Type& type = *FindBuiltinType("clientcmd/api/v1.Config");
  EXPECT_FALSE(HasProtobuf(type));
  std::string out = "x";
  AnyValue value(type);
  AppendProtobuf(type, value.data(), out);
  EXPECT_EQ(out, "x");
}

}  // namespace
}  // namespace keelson
