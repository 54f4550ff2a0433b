#include "keelson/client/internal/canonical_event.h"

#include <gtest/gtest.h>

#include <string>

#include "keelson/api/core/v1.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_writer.h"

namespace keelson::internal {
namespace {

constexpr std::string_view kEvent =
    R"({"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-7","generateName":"web-",)"
    R"("namespace":"shop","uid":"u"}}})";

std::string Shown(const PeekedName& peeked) { return std::string(peeked.namespace_) + "/" + std::string(peeked.name); }

std::string ProtobufEvent(const corev1::Pod& pod) {
  return ToProtobuf(metav1::WatchEvent{.type = "MODIFIED", .object = String(ToProtobufEnvelope(pod))});
}

TEST(CanonicalEvent, IsCutIntoTypeAndObject) {
  std::string_view type, object;
  ASSERT_TRUE(CutCanonicalEvent(kEvent, &type, &object));
  EXPECT_EQ(type, "MODIFIED");
  EXPECT_TRUE(object.starts_with(R"({"kind":)"));
  EXPECT_TRUE(object.ends_with(R"("uid":"u"}})"));
  for (const std::string_view other : {"", "{}", R"({"type":"ADDED"})", R"({"object":{},"type":"ADDED"})",
                                       R"({"type":"ADDED","object":)", R"({"type":"ADDED)"}) {
    EXPECT_FALSE(CutCanonicalEvent(other, &type, &object)) << other;
  }
}

TEST(PeekedName, IsThatOfTheObject) {
  EXPECT_EQ(Shown(PeekNameInEvent(kEvent)), "shop/web-7");
  EXPECT_EQ(Shown(PeekNameInEvent("\n" + std::string(kEvent))), "shop/web-7");
  EXPECT_EQ(Shown(PeekNameInEvent(
                R"({"type":"ADDED","object":{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","uid":"u"}}})")),
            "/n1");
}

TEST(PeekedName, OfAFrameThatHasNotAllComeIsAGuessAtMost) {
  for (size_t size = 0; size < kEvent.size(); ++size) {
    const std::string shown = Shown(PeekNameInEvent(kEvent.substr(0, size)));
    EXPECT_TRUE(shown == "/" || shown == "/web-7" || shown == "shop/web-7") << size << ": " << shown;
  }
}

TEST(PeekedName, IsMissingWhereAnObjectIsWrittenOtherwise) {
  for (const std::string_view other :
       {R"({"type":"ADDED","object":{"metadata":{"annotations":{},"name":"a"}}})", "", "}",
        R"({"type":"ADDED","object":{"metadata":{"name":5}}})", R"({"type":"ADDED","object":{"metadata":{"name":"a)"}) {
    EXPECT_EQ(Shown(PeekNameInEvent(other)), "/") << other;
  }
  // An object does not begin so far behind.
  EXPECT_EQ(Shown(PeekNameInEvent(std::string(1000, ' ') + std::string(kEvent))), "/");
}

TEST(PeekedName, IsFoundInProtobuf) {
  const std::string event =
      ProtobufEvent({.metadata = {.name = "web-7", .generateName = "web-", .namespace_ = "shop", .uid = "u"}});
  EXPECT_EQ(Shown(PeekNameInProtobufEvent(event)), "shop/web-7");
  for (size_t size = 0; size < event.size(); ++size) {
    EXPECT_EQ(Shown(PeekNameInProtobufEvent(event.substr(0, size))), "/") << size;
  }
  EXPECT_EQ(Shown(PeekNameInProtobufEvent(kEvent)), "/");
}

}  // namespace
}  // namespace keelson::internal
