#include "keelson/codec/json_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "keelson/api/access.h"
#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/builtin_types.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/codec/json_reader.h"

namespace keelson {
namespace {

const Type* FindType(std::string_view name) {
  for (const Type* type : BuiltinTypes()) {
    if (type->name == name) return type;
  }
  return nullptr;
}

// Whether the texts are equal once every null, [], {} and "" that stands for a member's value counts as the same.
bool EqualButForEmptyForms(std::string_view ours, std::string_view gos) {
  const auto empty_form = [](std::string_view text) -> size_t {
    if (text.starts_with("null")) return 4;
    return text.starts_with("[]") || text.starts_with("{}") || text.starts_with("\"\"") ? 2 : 0;
  };
  while (!ours.empty() && !gos.empty()) {
    if (ours[0] != gos[0]) {
      const size_t our_length = empty_form(ours);
      const size_t go_length = empty_form(gos);
      if (our_length == 0 || go_length != 4) return false;
      ours.remove_prefix(our_length);
      gos.remove_prefix(go_length);
      continue;
    }
    ours.remove_prefix(1);
    gos.remove_prefix(1);
  }
  return ours.empty() && gos.empty();
}

// The text of the member "json" in a recorded line.
std::string_view RecordedJson(std::string_view line) {
  const size_t start = line.find("\"json\":") + 7;
  const size_t end = line.rfind(",\"protobuf\":");
  return line.substr(start, (end == std::string_view::npos ? line.size() - 1 : end) - start);
}

TEST(JsonWriter, WritesEveryRecordedObjectAsGoDoes) {
  int objects = 0;
  for (const auto& file : std::filesystem::directory_iterator(KEELSON_TEST_DATA "/protobuf")) {
    if (file.path().stem() == "envelope") continue;
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      const Result<Json> record = ParseJson(line);
      ASSERT_TRUE(record) << record.error().message();
      const Json* name = record->find("type");
      const Type* type = name == nullptr ? nullptr : FindType(name->string().view());
      if (type == nullptr) continue;
      std::string go_text(RecordedJson(line));
      // Options belong to every group; recorded is the one that the recorder registered them with.
      if (type->group.empty() && type->name.starts_with("meta/v1.")) {
        const size_t at = go_text.find("\"apiVersion\":\"meta.k8s.io/v1\"");
        if (at < 60) go_text.replace(at, 29, "\"apiVersion\":\"v1\"");
      }
      AnyValue value(*type);
      const Result<void> read = DecodeJson(*type, value.data(), go_text);
      ASSERT_TRUE(read) << type->name << ": " << read.error().message();
      std::string text;
      AppendJson(*type, value.data(), text);
      ASSERT_TRUE(EqualButForEmptyForms(text, go_text)) << type->name << "\nours: " << text << "\nGo's: " << go_text;
      AnyValue again(*type);
      ASSERT_TRUE(DecodeJson(*type, again.data(), text)) << text;
      ASSERT_TRUE(Equal(*type, value.data(), again.data())) << text;
      ++objects;
    }
  }
  EXPECT_GT(objects, 300);
}

TEST(JsonWriter, RootObjectStartsWithKindAndVersion) {
  EXPECT_EQ(ToJson(appsv1::Deployment{}),
            R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{},"spec":{"selector":null,)"
            R"("template":{"metadata":{},"spec":{"containers":[]}},"strategy":{}},"status":{}})");
}

TEST(JsonWriter, ItemsOfAListCarryNoKind) {
  corev1::PodList list;
  list.items.emplace_back().metadata.name = "web";
  EXPECT_EQ(ToJson(list), R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"web"},)"
                          R"("spec":{"containers":[]},"status":{}}]})");
}

TEST(JsonWriter, StringsAreEscapedAsGoEscapesThem) {
  EXPECT_EQ(ToJson(String(std::string_view("\"\\/\b\f\n\r\t\x01\x1f\x7f\0", 12))), R"("\"\\/\b\f\n\r\t\u0001\u001f)"
                                                                                   "\x7f"
                                                                                   R"(\u0000")");
  EXPECT_EQ(ToJson(String("<a href='x'>&</a>")), R"("\u003ca href='x'\u003e\u0026\u003c/a\u003e")");
  EXPECT_EQ(ToJson(String("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa é日😀")), "\"\\u2028\\u2029\xe2\x80\xaa é日😀\"");
}

TEST(JsonWriter, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  EXPECT_EQ(ToJson(String("a\xff"
                          "b")),
            R"("a\ufffdb")");
  EXPECT_EQ(ToJson(String("\xc3")), R"("\ufffd")");
  EXPECT_EQ(ToJson(String("\xed\xa0\x80")), R"("\ufffd\ufffd\ufffd")");  // a surrogate
  EXPECT_EQ(ToJson(String("\xc0\xaf")), R"("\ufffd\ufffd")");            // an overlong form
  EXPECT_EQ(ToJson(String("\xf4\x90\x80\x80")), R"("\ufffd\ufffd\ufffd\ufffd")");
}

TEST(JsonWriter, EscapesAreFoundAtEveryPositionAndLength) {
  for (size_t length = 1; length < 70; ++length) {
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, 'x');
      text[at] = '"';
      std::string expected = "\"" + text + "\"";
      expected.insert(at + 1, "\\");
      ASSERT_EQ(ToJson(String(text)), expected);
    }
  }
}

TEST(JsonWriter, LongStringsAreNotCutInsideACharacter) {
  for (size_t shift = 0; shift < 4; ++shift) {
    std::string text(shift, 'x');
    for (int i = 0; i < 20'000; ++i) text += "😀";
    EXPECT_EQ(ToJson(String(text)), "\"" + text + "\"");
  }
  EXPECT_EQ(ToJson(String(std::string(5000, '\x80'))).size(), 5000 * 6 + 2);
}

TEST(JsonWriter, DoublesAreWrittenAsGoWritesThem) {
  const std::pair<double, const char*> cases[] = {
      {0, "0"},
      {-0.0, "-0"},
      {1, "1"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {100, "100"},
      {123456789, "123456789"},
      {1e20, "100000000000000000000"},
      {1.2345678901234567e20, "123456789012345670000"},
      {1e21, "1e+21"},
      {1.5e300, "1.5e+300"},
      {0.000001, "0.000001"},
      {0.00000123, "0.00000123"},
      {9.9e-7, "9.9e-7"},
      {1e-9, "1e-9"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {0.30000000000000004, "0.30000000000000004"},
      {std::numeric_limits<double>::infinity(), "null"},
      {std::numeric_limits<double>::quiet_NaN(), "null"},
  };
  for (const auto& [number, text] : cases) EXPECT_EQ(ToJson(number), text);
}

TEST(JsonWriter, DynamicNumbersKeepTheirKind) {
  EXPECT_EQ(ToJson(Json::Array({1, 1.0, -0.5, 1e21, true, nullptr})), "[1,1.0,-0.5,1e+21,true,null]");
}

TEST(JsonWriter, RawExtensionIsWrittenCompactAndSafe) {
  appsv1::ControllerRevision revision;
  const auto data = [&](std::string_view raw) {
    revision.data = RawExtension(raw);
    const std::string text = ToJson(revision);
    const size_t start = text.find("\"data\":") + 7;
    return text.substr(start, text.find(",\"revision\"") - start);
  };
  EXPECT_EQ(data(""), "null");
  EXPECT_EQ(data(" { \"a\" : [ 1 , -2.5e+3, \"x y\\\"\" ] ,\n\t\"b\":{ } } "), R"({"a":[1,-2.5e+3,"x y\""],"b":{}})");
  EXPECT_EQ(data("\"<\""), R"("\u003c")");
  EXPECT_EQ(data(std::string_view("k8s\0\x0a\x02", 6)), "null");
}

TEST(JsonWriter, RawBytesThatAreNotJsonCannotReachTheDocument) {
  appsv1::ControllerRevision revision;
  for (const char* raw :
       {"{",     "}",   "{}}",     "{},\"x\":{}", "[1,]",   "{\"a\"}", "{\"a\":}",   "{a:1}", "01", "1.",  "-",   "tru",
        "truex", "\"a", "\"\\x\"", "\"\\u12\"",   "\"\n\"", "[1 2]",   "{\"a\":1,}", "nul",   "[",  "[[]", "\xff"}) {
    revision.data = RawExtension(raw);
    EXPECT_EQ(ToJson(revision),
              R"({"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},"data":null,"revision":0})")
        << raw;
  }
}

TEST(JsonWriter, FieldSetsAreJoinedFromTheirPieces) {
  std::string set = "{";
  for (int i = 0; i < 40; ++i) {
    set += (i > 0 ? "," : "") + ("\"f:spec" + std::to_string(i)) + "\":{\"f:replicas\":{},\"f:template\":{\"f:x\":{}}}";
  }
  set += "}";
  corev1::Pod pod;
  pod.metadata.managedFields.emplace_back().fieldsV1 = FieldsV1(set);
  EXPECT_NE(ToJson(pod).find("\"fieldsV1\":" + set + "}"), std::string::npos);
}

TEST(JsonWriter, UnionIsWrittenAsTheMemberItHolds) {
  apiextensionsv1::JSONSchemaPropsOrBool either;
  EXPECT_EQ(ToJson(either), "false");
  either.allows = true;
  EXPECT_EQ(ToJson(either), "true");
  either.schema.Ensure().type = "string";
  EXPECT_EQ(ToJson(either), R"({"type":"string"})");
  EXPECT_EQ(ToJson(apiextensionsv1::JSONSchemaPropsOrArray{}), "null");
}

TEST(JsonWriter, UnknownFieldsReturnToWhereTheyWere) {
  const std::string text =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","newMeta":{"a":[1,"<"]}},"spec":{"containers":[)"
      R"({"name":"a","resources":{},"newer":true},{"name":"b","resources":{"extra":"x"}}],"novel":1.50},)"
      R"("status":{},"zz":null})";
  Result<corev1::Pod> pod = FromJson<corev1::Pod>(text);
  ASSERT_TRUE(pod) << pod.error().message();
  std::string expected = text;
  expected.replace(expected.find("\"<\""), 3, R"("\u003c")");
  EXPECT_EQ(ToJson(*pod), expected);
  // They follow the container, not its position.
  pod->spec.containers.erase(0);
  EXPECT_NE(ToJson(*pod).find(R"("containers":[{"name":"b","resources":{"extra":"x"}}])"), std::string::npos);
}

TEST(JsonWriter, UnknownFieldsOfListItemsStayWithTheItem) {
  const std::string text =
      R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"},"spec":{"containers":[],"n":1},)"
      R"("status":{}},{"metadata":{"name":"b"},"spec":{"containers":[]},"status":{},"m":2}]})";
  Result<corev1::PodList> list = FromJson<corev1::PodList>(text);
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_EQ(ToJson(*list), text);
}

TEST(JsonWriter, EmbeddedObjectKeepsTheKindItCameWith) {
  const std::string text =
      R"({"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"db"},"spec":{"selector":null,"template":)"
      R"({"metadata":{},"spec":{"containers":[]}},"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":)"
      R"({"resources":{}},"status":{},"apiVersion":"v1","kind":"PersistentVolumeClaim"}],"serviceName":"db",)"
      R"("updateStrategy":{}},"status":{"replicas":0,"availableReplicas":0}})";
  Result<appsv1::StatefulSet> set = FromJson<appsv1::StatefulSet>(text);
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_EQ(ToJson(*set), text);
}

TEST(JsonWriter, IndentedFormIsThatOfKubectl) {
  corev1::ConfigMap map;
  map.metadata.name = "m";
  map.data = {{"a", "{\"x\": [1,2]}"}, {"b", ""}};
  map.metadata.finalizers = {"one", "two"};
  EXPECT_EQ(ToJson(map, {.indent = 4}), R"({
    "kind": "ConfigMap",
    "apiVersion": "v1",
    "metadata": {
        "name": "m",
        "finalizers": [
            "one",
            "two"
        ]
    },
    "data": {
        "a": "{\"x\": [1,2]}",
        "b": ""
    }
})");
  EXPECT_EQ(ToJson(Json::Object({{"e", Json::Object()}, {"l", Json::Array()}}), {.indent = 2}),
            "{\n  \"e\": {},\n  \"l\": []\n}");
}

TEST(JsonWriter, WritesNullForWhatIsEmptyWhenAskedTo) {
  const corev1::PodSpec spec;
  EXPECT_EQ(ToJson(spec), R"({"containers":[]})");
  EXPECT_EQ(ToJson(spec, {.null_when_empty = true}), R"({"containers":null})");
}

TEST(JsonWriter, AppendsToWhatIsThere) {
  std::string out = "data: ";
  const int64_t number = std::numeric_limits<int64_t>::min();
  AppendJson(TypeOf<int64_t>(), &number, out);
  EXPECT_EQ(out, "data: -9223372036854775808");
}

TEST(JsonWriter, DocumentsLargerThanItsBufferAreWhole) {
  corev1::ConfigMap map;
  std::string expected = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{)";
  for (int i = 1000; i < 3000; ++i) {
    const std::string key = "key-" + std::to_string(i);
    const std::string value(static_cast<size_t>(i) % 700 * 11, 'v');
    map.data.Set(key, value);
    if (i > 1000) expected += ',';
    expected += "\"" + key + "\":\"" + value + "\"";
  }
  EXPECT_EQ(ToJson(map), expected + "}}");
}

TEST(JsonWriter, ValueTooDeepForTheStackIsAnException) {
  Json deep;
  for (int i = 0; i < 3000; ++i) deep = Json::Array({deep});
  EXPECT_THROW(ToJson(deep), std::length_error);
}

}  // namespace
}  // namespace keelson
