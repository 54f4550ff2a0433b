#include "keelson/codec/protobuf_list_cutter.h"

#include <gtest/gtest.h>

#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_test_support.h"
#include "keelson/codec/protobuf_writer.h"

namespace keelson {
namespace {

struct Cut {
  Result<ListHead> head;
  std::vector<std::string> items;
};

// Feeds the body in parts of `size` bytes, the first of which has `first`.
Cut CutInParts(std::string_view body, size_t first, size_t size, size_t max_item_bytes = 1 << 20) {
  std::vector<std::string> items;
  ProtobufListCutter cutter(
      [&](std::string_view item) -> Result<void> {
        items.emplace_back(item);
        return {};
      },
      max_item_bytes);
  for (size_t part = first; !body.empty(); part = size) {
    const std::string chunk(body.substr(0, part));  // its own memory: nothing may be kept of it
    body.remove_prefix(chunk.size());
    if (Result<void> fed = cutter.Feed(chunk); !fed) return {std::move(fed).error(), items};
  }
  return {cutter.Finish(), items};
}
Cut CutWhole(std::string_view body) { return CutInParts(body, body.size(), body.size()); }

std::string ErrorOf(std::string_view body) {
  const Cut cut = CutWhole(body);
  return cut.head ? "" : cut.head.error().message();
}

std::string Body(std::string_view list, std::string_view kind = "PodList") {
  std::string body;
  AppendProtobufEnvelope({.api_version = "v1", .kind = kind, .raw = list, .content_encoding = {}, .content_type = {}},
                         body);
  return body;
}

corev1::PodList SmallList() {
  corev1::PodList list;
  list.metadata.resourceVersion = "4711";
  list.metadata.remainingItemCount = 300;
  for (const char* name : {"a", "b", "c"}) list.items.emplace_back().metadata.name = name;
  return list;
}

std::vector<std::string> ItemsOf(const corev1::PodList& list) {
  std::vector<std::string> items;
  for (const corev1::Pod& pod : list.items) items.push_back(ToProtobuf(pod));
  return items;
}

void ExpectSmallList(const Cut& cut, std::string_view where) {
  ASSERT_TRUE(cut.head) << where << ": " << cut.head.error().message();
  EXPECT_EQ(cut.items, ItemsOf(SmallList())) << where;
  EXPECT_EQ(cut.head->api_version, "v1") << where;
  EXPECT_EQ(cut.head->kind, "PodList") << where;
  EXPECT_TRUE(Equal(cut.head->metadata, SmallList().metadata)) << where;
}

TEST(ProtobufListCutter, CutsAtEverySplit) {
  const std::string body = ToProtobufEnvelope(SmallList());
  for (size_t split = 0; split <= body.size(); ++split) {
    ExpectSmallList(CutInParts(body, split, body.size()), "split at " + std::to_string(split));
  }
  for (size_t size = 1; size < 20; ++size) {
    ExpectSmallList(CutInParts(body, size, size), "parts of " + std::to_string(size));
  }
}

TEST(ProtobufListCutter, MetadataMayStandBehindTheItemsAndTheNameBehindTheList) {
  const corev1::PodList list = SmallList();
  std::string raw = VarintField(90, 300);
  for (const std::string& item : ItemsOf(list)) raw += BytesField(2, item) + BytesField(91, "unknown");
  raw += BytesField(1, ToProtobuf(list.metadata)) + Varint(92 << 3 | 1) + "12345678" + Varint(93 << 3 | 5) + "1234";
  const std::string body = std::string(kProtobufMagic) + VarintField(90, 7) + BytesField(2, raw) + BytesField(3, "") +
                           BytesField(1, BytesField(1, "v1") + BytesField(2, "PodList")) + VarintField(91, 7);
  for (size_t split = 0; split <= body.size(); ++split) {
    ExpectSmallList(CutInParts(body, split, body.size()), "split at " + std::to_string(split));
  }
  ExpectSmallList(CutInParts(body, 1, 1), "byte by byte");
}

TEST(ProtobufListCutter, RecordedListsAreCutIntoTheirItems) {
  int lists = 0;
  for (const std::string& line : LinesOf(KEELSON_TEST_DATA "/protobuf/envelope.jsonl")) {
    const Json record = ParseJson(line).OrExit();
    if (TextOf(record, "what") != "list") continue;
    ++lists;
    const std::string body = BytesOf(record, "bytes");
    const corev1::PodList list = FromJson<corev1::PodList>(JsonTextOf(line, "bytes")).OrExit();
    for (const size_t size : {size_t{1}, size_t{7}, size_t{1000}, body.size()}) {
      const Cut cut = CutInParts(body, size, size);
      ASSERT_TRUE(cut.head) << cut.head.error().message();
      EXPECT_EQ(cut.items, ItemsOf(list));
      EXPECT_TRUE(Equal(cut.head->metadata, list.metadata));
    }
  }
  EXPECT_EQ(lists, 2);
}

TEST(ProtobufListCutter, EmptyItemsAndListsWork) {
  const Cut empty_items = CutWhole(Body(BytesField(2, "") + BytesField(2, "")));
  ASSERT_TRUE(empty_items.head) << empty_items.head.error().message();
  EXPECT_EQ(empty_items.items, (std::vector<std::string>{"", ""}));
  const Cut empty_list = CutWhole(std::string(kProtobufMagic) + BytesField(2, ""));
  ASSERT_TRUE(empty_list.head) << empty_list.head.error().message();
  EXPECT_TRUE(empty_list.items.empty());
}

TEST(ProtobufListCutter, BodiesThatEndTooEarlyAreErrors) {
  const std::string body = ToProtobufEnvelope(SmallList());
  // From the end of the list on, every field of the envelope may be the last one.
  const size_t list_end = body.size() - 4;
  for (size_t length = 0; length < body.size(); ++length) {
    const Cut cut = CutWhole(body.substr(0, length));
    EXPECT_EQ(cut.head.has_value(), length == list_end || length == list_end + 2) << length;
  }
}

TEST(ProtobufListCutter, ErrorsSayWhatWasFound) {
  const std::string prefix = "cannot read a list from protobuf: ";
  EXPECT_EQ(ErrorOf("{\"kind\":\"PodList\"}"),
            prefix + "expected a body that begins with \"k8s\\0\", found something else");
  EXPECT_EQ(ErrorOf(Body(BytesField(2, "Failure"), "Status")), prefix + "expected a list, found v1 Status");
  EXPECT_EQ(ErrorOf(Body(VarintField(2, 1))), prefix + "expected bytes with a length in field 2, found wire type 0");
  EXPECT_EQ(ErrorOf(Body("\x12\x05"
                         "abc")),
            prefix + "field 2 reaches beyond the end of its list");
  EXPECT_EQ(ErrorOf(Body("\x12")), prefix + "the list ended in the middle of a field");
  EXPECT_EQ(ErrorOf(kProtobufMagic), prefix + "the body holds no list");
  EXPECT_EQ(ErrorOf(Body(BytesField(1, BytesField(2, "\xff")))),
            "cannot read meta/v1.ListMeta from protobuf: resourceVersion: expected text in UTF-8, found other bytes");
  EXPECT_EQ(ErrorOf(std::string(kProtobufMagic) + BytesField(2, BytesField(1, "")) + BytesField(3, "gzip")),
            prefix + "expected no content encoding, found \"gzip\"");
  const Cut cut = CutInParts(ToProtobufEnvelope(SmallList()), 1, 1, 10);
  EXPECT_TRUE(cut.head.error().message().ends_with("bytes, more than the limit of 10")) << cut.head.error().message();
}

TEST(ProtobufListCutter, AnErrorOfTheHandlerEndsTheReading) {
  int calls = 0;
  ProtobufListCutter cutter([&](std::string_view) -> Result<void> {
    ++calls;
    return Error::Cancelled("enough");
  });
  EXPECT_EQ(cutter.Feed(ToProtobufEnvelope(SmallList())).error().message(), "enough");
  EXPECT_EQ(cutter.Feed("more").error().message(), "enough");
  EXPECT_EQ(cutter.Finish().error().message(), "enough");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace keelson
