#include "keelson/codec/protobuf_reader.h"

#include <gtest/gtest.h>

#include "keelson/api/access.h"
#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/authentication/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/coordination/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/sharing.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/protobuf_test_support.h"
#include "keelson/codec/protobuf_writer.h"

namespace keelson {
namespace {

std::string ErrorOf(const Type& type, std::string_view message, ProtobufReadOptions options = {}) {
  AnyValue value(type);
  const Result<void> read = DecodeProtobuf(type, value.data(), message, options);
  EXPECT_TRUE(IsZero(type, value.data()));
  return read ? "" : read.error().message();
}

template <class T>
std::string ErrorOf(std::string_view message, ProtobufReadOptions options = {}) {
  return ErrorOf(TypeOf<T>(), message, options);
}

// Numbers of fields used below: Pod {1 metadata, 2 spec}, PodSpec {2 containers, 7 nodeSelector}, ObjectMeta {1 name,
// 7 generation, 11 labels, 14 finalizers}, Container {1 name, 2 image, 3 command}.

TEST(ProtobufReader, ReadsEveryRecordedObjectAsItsJson) {
  for (const RecordedObject& object : RecordedObjects()) {
    AnyValue from_protobuf(*object.type);
    const Result<void> read = DecodeProtobuf(*object.type, from_protobuf.data(), object.protobuf);
    ASSERT_TRUE(read) << object.label << ": " << read.error().message();
    AnyValue from_json(*object.type);
    ASSERT_TRUE(DecodeJson(*object.type, from_json.data(), object.json)) << object.label;
    if (object.type->FindField("kind") != nullptr) {  // in JSON; protobuf has it in the envelope
      ResetValue(TypeOf<String>(), WriteField(*object.type->FindField("kind"), from_json.data()));
      ResetValue(TypeOf<String>(), WriteField(*object.type->FindField("apiVersion"), from_json.data()));
    }
    EXPECT_TRUE(Equal(*object.type, from_protobuf.data(), from_json.data())) << object.label;
  }
}

TEST(ProtobufReader, SharedNodesMakeEqualValuesAndLeaveWithThem) {
  const size_t before = SharedNodeCount();
  for (const RecordedObject& object : RecordedObjects()) {
    ProtobufReader sharing({.share_nodes = true});
    AnyValue own(*object.type);
    AnyValue shared(*object.type);
    AnyValue again(*object.type);
    ASSERT_TRUE(DecodeProtobuf(*object.type, own.data(), object.protobuf));
    ASSERT_TRUE(sharing.Read(*object.type, shared.data(), object.protobuf));
    const size_t nodes = SharedNodeCount();
    ASSERT_TRUE(ProtobufReader({.share_nodes = true}).Read(*object.type, again.data(), object.protobuf));
    EXPECT_EQ(SharedNodeCount(), nodes) << object.label << " was stored twice";
    EXPECT_TRUE(Equal(*object.type, own.data(), shared.data())) << object.label;
    std::string written;
    AppendProtobuf(*object.type, shared.data(), written);
    EXPECT_EQ(written, object.protobuf) << object.label;
  }
  EXPECT_EQ(SharedNodeCount(), before);
}

TEST(ProtobufReader, FieldSetsAreCutOnlyWhereNodesAreShared) {
  const std::string json =
      R"({"f:metadata":{"f:labels":{".":{},"f:app":{},"f:team":{}}},"f:spec":{"f:affinity":{},"f:dnsPolicy":{}}})";
  const FieldsV1 cut(json);
  ASSERT_GT(cut.pieces().size(), 1u);
  corev1::Pod pod;
  pod.metadata.managedFields.emplace_back().fieldsV1 = cut;
  const auto shared = FromProtobuf<corev1::Pod>(ToProtobuf(pod), {.share_nodes = true});
  auto own = FromProtobuf<corev1::Pod>(ToProtobuf(pod));
  ASSERT_TRUE(shared && own);
  const auto fields_of = [](const corev1::Pod& of) -> const FieldsV1& {
    return *of.metadata.managedFields[0].fieldsV1;
  };
  EXPECT_EQ(fields_of(*shared).pieces().size(), cut.pieces().size());
  EXPECT_EQ(fields_of(*own).pieces().size(), 1u);
  EXPECT_EQ(fields_of(*own), cut);
  EXPECT_EQ(cut, fields_of(*own));
  EXPECT_TRUE(fields_of(*own) != FieldsV1(json.substr(1)));
  EXPECT_TRUE(fields_of(*own) != FieldsV1(json + " "));
  EXPECT_TRUE(fields_of(*own) != FieldsV1());
  EXPECT_EQ(Hash(*own), Hash(*shared));
  EXPECT_EQ(ToProtobuf(*own), ToProtobuf(*shared));
  // What is shared later is cut then.
  ShareNodes(*own);
  EXPECT_EQ(fields_of(*own).pieces()[0].data(), fields_of(*shared).pieces()[0].data());
}

TEST(ProtobufReader, EveryCutOffObjectIsAnErrorOrAPrefixOfItsFields) {
  const size_t before = SharedNodeCount();
  for (const RecordedObject& object : RecordedObjects()) {
    if (object.label != "core/v1.Pod sparse" && object.label != "apiextensions/v1.CustomResourceDefinition sparse")
      continue;
    for (const bool share : {false, true}) {
      ProtobufReader reader({.share_nodes = share});
      for (size_t length = 0; length < object.protobuf.size(); ++length) {
        AnyValue value(*object.type);
        const std::string cut = object.protobuf.substr(0, length);  // its own memory, so that reading past it is seen
        const Result<void> read = reader.Read(*object.type, value.data(), cut);
        EXPECT_TRUE(read.has_value() || IsZero(*object.type, value.data())) << length;
      }
    }
  }
  EXPECT_EQ(SharedNodeCount(), before);
}

// What is found by its bytes must not differ from what is read.
TEST(ProtobufReader, ReadingAgainGivesTheSameAndSeparateValues) {
  for (const bool share : {false, true}) {
    ProtobufReader reader({.share_nodes = share});
    const std::vector<RecordedObject> objects = RecordedObjects();
    for (int round = 0; round < 4; ++round) {
      for (const RecordedObject& object : objects) {
        AnyValue value(*object.type);
        ASSERT_TRUE(reader.Read(*object.type, value.data(), object.protobuf)) << object.label;
        std::string written;
        AppendProtobuf(*object.type, value.data(), written);
        ASSERT_EQ(written, object.protobuf) << object.label;
      }
    }
    const std::string spec =
        BytesField(2, BytesField(1, "application") + BytesField(2, "image") + BytesField(3, "command"));
    corev1::Pod pods[5];
    for (corev1::Pod& pod : pods) {
      ASSERT_TRUE(reader.Read(TypeOf<corev1::Pod>(), &pod, BytesField(2, spec)));
      EXPECT_EQ(std::as_const(pod).spec.containers[0].image, "image");
      pod.spec.containers[0].image = "changed";
      pod.spec.containers[0].command.push_back("changed");
    }
  }
}

TEST(ProtobufReader, UnknownFieldsAreFoundEachTime) {
  const std::string container = BytesField(1, "application") + BytesField(1000, "from a newer server");
  const std::string spec = BytesField(2, container) + BytesField(2, BytesField(1, "without any"));
  ProtobufReader reader;
  for (int round = 0; round < 5; ++round) {
    corev1::PodSpec alone;  // has no place for them
    ASSERT_TRUE(reader.Read(TypeOf<corev1::PodSpec>(), &alone, spec));
    corev1::Pod pod;
    ASSERT_TRUE(reader.Read(TypeOf<corev1::Pod>(), &pod, BytesField(2, spec)));
    EXPECT_EQ(pod.metadata.unknownFields.size(), 1u);
    EXPECT_NE(ToProtobuf(pod).find("from a newer server"), std::string::npos);
  }
}

TEST(ProtobufReader, FieldsMayComeInAnyOrder) {
  const std::string container_a = BytesField(2, "image-a") + BytesField(1, "a");
  const std::string container_b = BytesField(1, "b");
  const std::string labels_z = BytesField(11, BytesField(1, "z") + BytesField(2, "1"));
  const std::string labels_a = BytesField(11, BytesField(2, "2") + BytesField(1, "a"));
  const std::string message = BytesField(2, BytesField(2, container_a)) +
                              BytesField(1, labels_z + BytesField(1, "web") + labels_a) +
                              BytesField(2, BytesField(2, container_b));
  for (const bool share : {false, true}) {
    const Result<corev1::Pod> pod = FromProtobuf<corev1::Pod>(message, {.share_nodes = share});
    ASSERT_TRUE(pod) << pod.error().message();
    EXPECT_EQ(pod->metadata.name, "web");
    EXPECT_EQ(pod->metadata.labels, (Map<String>{{"a", "2"}, {"z", "1"}}));
    ASSERT_EQ(pod->spec.containers.size(), 2u);
    EXPECT_EQ(pod->spec.containers[0].name, "a");
    EXPECT_EQ(pod->spec.containers[0].image, "image-a");
    EXPECT_EQ(pod->spec.containers[1].name, "b");
  }
}

TEST(ProtobufReader, RepeatedScalarsTakeTheLastAndRepeatedMessagesMerge) {
  // DeploymentSpec {1 replicas, 2 selector, 4 strategy}, LabelSelector {1 matchLabels}.
  const auto labels = [](std::string_view key, std::string_view value) {
    return BytesField(1, BytesField(1, key) + BytesField(2, value));
  };
  const std::string spec = VarintField(1, 3) + BytesField(2, labels("a", "1") + labels("b", "1")) + VarintField(1, 5) +
                           BytesField(2, labels("b", "2") + labels("b", "3") + labels("c", "1"));
  for (const bool share : {false, true}) {
    const Result<appsv1::Deployment> deployment =
        FromProtobuf<appsv1::Deployment>(BytesField(2, spec), {.share_nodes = share});
    ASSERT_TRUE(deployment) << deployment.error().message();
    EXPECT_EQ(deployment->spec.replicas, 5);
    ASSERT_TRUE(deployment->spec.selector);
    EXPECT_EQ(deployment->spec.selector->matchLabels, (Map<String>{{"a", "1"}, {"b", "3"}, {"c", "1"}}));
  }
}

TEST(ProtobufReader, PackedAndSingleNumbersAreTheSame) {
  // PodSecurityContext {4 supplementalGroups}.
  const std::string single = VarintField(4, 1) + VarintField(4, 300);
  const std::string packed = BytesField(4, Varint(1) + Varint(300));
  const auto one = FromProtobuf<corev1::PodSecurityContext>(single);
  const auto other = FromProtobuf<corev1::PodSecurityContext>(packed);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->supplementalGroups, (List<int64_t>{1, 300}));
  EXPECT_EQ(one->supplementalGroups, other->supplementalGroups);
}

TEST(ProtobufReader, ScatteredElementsOfListsAndMapsAreCollected) {
  std::string meta;
  Map<String> labels;
  List<String> finalizers;
  for (int i = 0; i < 500; ++i) {
    const std::string key = std::to_string(i * 7919 % 500);
    meta += BytesField(11, BytesField(1, key) + BytesField(2, "v")) + BytesField(14, key);
    labels.Set(key, "v");
    finalizers.push_back(key);
  }
  for (const bool share : {false, true}) {
    const Result<metav1::ObjectMeta> read = FromProtobuf<metav1::ObjectMeta>(meta, {.share_nodes = share});
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->labels, labels);
    EXPECT_EQ(read->finalizers, finalizers);
  }
}

TEST(ProtobufReader, ErrorsNameThePathAndTheReason) {
  EXPECT_EQ(ErrorOf<corev1::Pod>(BytesField(2, BytesField(2, BytesField(1, "a")) + BytesField(2, VarintField(1, 5)))),
            "cannot read core/v1.Pod from protobuf: spec.containers[1].name: expected bytes with a length (wire type "
            "2), found "
            "a varint (wire type 0)");
  EXPECT_EQ(
      ErrorOf<corev1::Pod>(BytesField(1, BytesField(7, ""))),
      "cannot read core/v1.Pod from protobuf: metadata.generation: expected a varint (wire type 0), found bytes with a "
      "length (wire type 2)");
  EXPECT_EQ(ErrorOf<corev1::Pod>(BytesField(1, BytesField(11, BytesField(1, "app") + BytesField(2, "\xff")))),
            "cannot read core/v1.Pod from protobuf: metadata.labels[app]: expected text in UTF-8, found other bytes");
  EXPECT_EQ(ErrorOf<corev1::Pod>(std::string("\x0a\x05\x0a", 3)),
            "cannot read core/v1.Pod from protobuf: metadata: expected 5 bytes, found the end of the message after 1");
  EXPECT_EQ(ErrorOf<corev1::Pod>(std::string("\x00", 1)),
            "cannot read core/v1.Pod from protobuf: expected a field's tag, found bytes that are none");
  // Container {8 resources}, ResourceRequirements {1 limits}.
  const std::string limits = BytesField(1, BytesField(1, "cpu") + BytesField(2, BytesField(1, "lots")));
  const std::string error = ErrorOf<corev1::Pod>(BytesField(2, BytesField(2, BytesField(8, limits))));
  EXPECT_TRUE(error.starts_with("cannot read core/v1.Pod from protobuf: spec.containers[0].resources.limits[cpu]: "))
      << error;
  // ServicePort {4 targetPort}.
  EXPECT_EQ(
      ErrorOf<corev1::ServicePort>(BytesField(4, VarintField(1, 2))),
      "cannot read core/v1.ServicePort from protobuf: targetPort: expected type 0 (a number) or 1 (text), found 2");
}

TEST(ProtobufReader, LimitsOfSizeAndDepthHold) {
  EXPECT_EQ(ErrorOf<corev1::Pod>(BytesField(1, BytesField(1, "web")), {.max_bytes = 6}),
            "cannot read core/v1.Pod from protobuf: it has 7 bytes, more than the limit of 6");
  EXPECT_TRUE(FromProtobuf<corev1::Pod>(BytesField(1, BytesField(1, "web")), {.max_bytes = 7, .max_depth = 2}));
  EXPECT_EQ(ErrorOf<corev1::Pod>(BytesField(1, BytesField(1, "web")), {.max_depth = 1}),
            "cannot read core/v1.Pod from protobuf: metadata: messages are nested deeper than the limit of 1");
  // JSONSchemaProps {28 not}.
  std::string schema;
  for (int i = 0; i < 10'000; ++i) schema = BytesField(28, schema);
  const Type& type = TypeOf<apiextensionsv1::JSONSchemaProps>();
  const std::string error = ErrorOf(type, schema);
  EXPECT_TRUE(error.ends_with("messages are nested deeper than the limit of 500")) << error.substr(0, 200);
}

TEST(ProtobufReader, TypesWithoutProtobufSayso) {
  EXPECT_EQ(ErrorOf(*FindBuiltinType("clientcmd/api/v1.Config"), ""),
            "clientcmd/api/v1.Config has no protobuf form: read it from JSON");
}

TEST(ProtobufReader, TimesFollowGo) {
  // ObjectMeta {8 creationTimestamp}; LeaseSpec {4 acquireTime}. An empty message is the zero time.
  const auto created = [](std::string_view time) {
    return FromProtobuf<metav1::ObjectMeta>(BytesField(8, time))->creationTimestamp;
  };
  EXPECT_TRUE(created("").IsZero());
  EXPECT_EQ(created(VarintField(2, 5)), metav1::Time::FromUnix(0));
  EXPECT_EQ(created(VarintField(1, 1700000000) + VarintField(2, 999999999)), metav1::Time::FromUnix(1700000000));
  const auto acquired = [](std::string_view time) {
    return *FromProtobuf<coordinationv1::LeaseSpec>(BytesField(3, time))->acquireTime;
  };
  EXPECT_TRUE(acquired("").IsZero());
  EXPECT_EQ(acquired(VarintField(1, 1) + VarintField(2, 1999)), metav1::MicroTime::FromUnixMicros(1000001));
  // Out of the range that eight bytes hold: the nearest.
  for (const uint64_t seconds : {uint64_t{INT64_MAX}, static_cast<uint64_t>(INT64_MIN)}) {
    const metav1::MicroTime time = acquired(VarintField(1, seconds));
    coordinationv1::LeaseSpec spec{};
    spec.acquireTime = time;
    EXPECT_EQ(*FromProtobuf<coordinationv1::LeaseSpec>(ToProtobuf(spec))->acquireTime, time);
  }
}

TEST(ProtobufReader, UnknownFieldsAreKeptAndWrittenBackInTheirMessages) {
  const std::string unknown_varint = VarintField(1000, 7);
  const std::string unknown_bytes = BytesField(1001, "new");
  const std::string in_container = BytesField(1002, "of a");
  const std::string container_a = BytesField(1, "a") + in_container;
  const std::string container_b = BytesField(1, "b");
  const std::string message = BytesField(1, BytesField(1, "web") + unknown_bytes) +
                              BytesField(2, unknown_varint + BytesField(2, container_a) + BytesField(2, container_b)) +
                              unknown_bytes + unknown_varint;
  for (const bool share : {false, true}) {
    Result<corev1::Pod> pod = FromProtobuf<corev1::Pod>(message, {.share_nodes = share});
    ASSERT_TRUE(pod) << pod.error().message();
    EXPECT_EQ(pod->metadata.unknownFields.size(), 4u);
    const std::string written = ToProtobuf(*pod);
    Result<corev1::Pod> again = FromProtobuf<corev1::Pod>(written);
    ASSERT_TRUE(again);
    EXPECT_TRUE(Equal(*pod, *again));
    EXPECT_TRUE(written.ends_with(unknown_bytes + unknown_varint));
    EXPECT_NE(written.find("of a"), std::string::npos);

    // They follow the element they belong to.
    corev1::Pod swapped = *pod;
    swapped.spec.containers = {pod->spec.containers[1], pod->spec.containers[0]};
    const corev1::Pod reread = FromProtobuf<corev1::Pod>(ToProtobuf(swapped)).OrExit();
    EXPECT_EQ(reread.metadata.unknownFields, pod->metadata.unknownFields);
    swapped.spec.containers.erase(1);
    EXPECT_EQ(ToProtobuf(swapped).find("of a"), std::string::npos);
  }
}

TEST(ProtobufReader, ItemsOfAListKeepTheirOwnUnknownFields) {
  const std::string item = BytesField(1, BytesField(1, "web")) + BytesField(1000, "x");
  const Result<corev1::PodList> list = FromProtobuf<corev1::PodList>(BytesField(2, item) + BytesField(2, ""));
  ASSERT_TRUE(list);
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_EQ(list->items[0].metadata.unknownFields.size(), 1u);
  EXPECT_TRUE(list->items[1].metadata.unknownFields.empty());
  EXPECT_TRUE(ToProtobuf(list->items[0]).ends_with(BytesField(1000, "x")));
}

TEST(ProtobufReader, GroupsOfUnknownFieldsAreSkippedWhole) {
  const std::string group =
      Varint(1000 << 3 | 3) + VarintField(1, 1) + Varint(7 << 3 | 3) + Varint(7 << 3 | 4) + Varint(1000 << 3 | 4);
  const Result<metav1::ListMeta> meta = FromProtobuf<metav1::ListMeta>(group + BytesField(2, "7"));
  ASSERT_TRUE(meta) << meta.error().message();
  EXPECT_EQ(meta->resourceVersion, "7");
  EXPECT_FALSE(FromProtobuf<metav1::ListMeta>(Varint(1000 << 3 | 4)));
  EXPECT_FALSE(FromProtobuf<metav1::ListMeta>(Varint(1000 << 3 | 3)));
}

TEST(ProtobufReader, AMapEntryWithoutValueHoldsTheDefault) {
  const Result<metav1::ObjectMeta> meta =
      FromProtobuf<metav1::ObjectMeta>(BytesField(11, BytesField(1, "a")) + BytesField(11, ""));
  ASSERT_TRUE(meta);
  EXPECT_EQ(meta->labels, (Map<String>{{"", ""}, {"a", ""}}));
}

}  // namespace
}  // namespace keelson
