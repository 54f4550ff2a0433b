#include "keelson/api/standard_types.h"

#include <gtest/gtest.h>

#include "keelson/api/access.h"
#include "keelson/api/compare.h"
#include "keelson/api/sharing.h"
#include "tests/app_service.h"

namespace keelson {
namespace {

using testing::AppRoute;
using testing::AppService;

// Longer than what std::string keeps inside itself, so that sanitizers see every copy.
constexpr const char* kLong = "a text that is too long for the small buffer inside std::string";

AppService Sample() {
  AppService app;
  app.metadata.name = "web";
  app.spec.deploymentName = kLong;
  app.spec.replicas = 3;
  app.spec.hosts = {"a.example.com", kLong};
  app.spec.env = {{"MODE", "fast"}, {"NAME", kLong}};
  app.spec.nested = {{"x", {std::nullopt, "short", kLong}}};
  app.spec.resources = corev1::ResourceRequirements{.limits = {{"cpu", "500m"}}};
  app.spec.sidecars = {{.name = "proxy", .image = "envoy"}};
  app.spec.route = AppRoute{.path = "/api", .children = {{}, {}}, .rewrite = kLong, .fallbacks = {}};
  app.spec.tags = {"one", kLong};
  app.spec.notes = {{"k", kLong}};
  app.spec.routes = std::vector<AppRoute>(2);
  app.status.conditions = {{.type = "Ready", .status = "True"}};
  return app;
}

const void* FieldOf(const Type& type, const void* value, std::string_view name) {
  return ReadField(*type.FindField(name), value);
}

TEST(StandardTypes, StructIsConstructedWithItsOwnDefaults) {
  AnyValue value(TypeOf<AppService>());
  const auto* app = static_cast<const AppService*>(value.data());
  EXPECT_EQ(app->status.availableReplicas, -1);
  AnyValue route(TypeOf<AppRoute>());
  EXPECT_EQ(static_cast<const AppRoute*>(route.data())->path, "/");
}

TEST(StandardTypes, StringIsReadAndWritten) {
  std::string text = "old";
  WriteString(TypeOf<std::string>(), &text, kLong);
  EXPECT_EQ(text, kLong);
  EXPECT_EQ(ReadString(TypeOf<std::string>(), &text), kLong);
  EXPECT_FALSE(IsEmpty(TypeOf<std::string>(), &text));
  ResetValue(TypeOf<std::string>(), &text);
  EXPECT_EQ(text, "");
  EXPECT_TRUE(IsEmpty(TypeOf<std::string>(), &text));
}

TEST(StandardTypes, OptionalIsMadeOnce) {
  const Type& type = TypeOf<std::optional<std::string>>();
  std::optional<std::string> value;
  EXPECT_EQ(ReadOptional(type, &value), nullptr);
  *static_cast<std::string*>(EnsureOptional(type, &value)) = "set";
  EXPECT_EQ(*static_cast<std::string*>(EnsureOptional(type, &value)), "set");
  EXPECT_EQ(ReadOptional(type, &value), &*value);
}

TEST(StandardTypes, VectorGrowsByAppending) {
  const Type& type = TypeOf<std::vector<std::string>>();
  std::vector<std::string> values;
  for (int i = 0; i < 20; ++i) WriteString(*type.element, AppendElement(type, &values), std::to_string(i));
  ASSERT_EQ(Length(type, &values), 20u);
  EXPECT_EQ(ReadString(*type.element, ReadElement(type, &values, 19)), "19");
  WriteString(*type.element, WriteElement(type, &values, 0), kLong);
  EXPECT_EQ(values[0], kLong);
}

TEST(StandardTypes, MapHasEntriesInKeyOrder) {
  const Type& type = TypeOf<std::map<std::string, int32_t>>();
  std::map<std::string, int32_t> values;
  *static_cast<int32_t*>(EnsureEntry(type, &values, "b")) = 2;
  *static_cast<int32_t*>(EnsureEntry(type, &values, "a")) = 1;
  *static_cast<int32_t*>(EnsureEntry(type, &values, "c")) = 3;
  EXPECT_EQ(*static_cast<int32_t*>(EnsureEntry(type, &values, "b")), 2);
  std::string keys;
  ForEachEntry(type, &values, [&](std::string_view key, const void*) { return keys += key, key != "b"; });
  EXPECT_EQ(keys, "ab");
  EXPECT_EQ(*static_cast<const int32_t*>(ReadEntry(type, &values, "c")), 3);
  EXPECT_EQ(ReadEntry(type, &values, "d"), nullptr);
  EXPECT_TRUE(EraseEntry(type, &values, "a"));
  EXPECT_FALSE(EraseEntry(type, &values, "a"));
  EXPECT_EQ(Length(type, &values), 2u);
}

// Short strings point into themselves, so their bytes cannot just be moved.
TEST(StandardTypes, OurListOfStandardStringsGrows) {
  const Type& type = TypeOf<List<std::string>>();
  List<std::string> values;
  for (int i = 0; i < 100; ++i) {
    if (i % 2 == 0) {
      values.push_back("short " + std::to_string(i));
    } else {
      WriteString(*type.element, AppendElement(type, &values), kLong + std::to_string(i));
    }
  }
  const List<std::string> copy = values;
  values[0] = "changed";
  values.erase(1);
  EXPECT_EQ(copy[0], "short 0");
  EXPECT_EQ(copy[1], kLong + std::to_string(1));
  EXPECT_EQ(copy[98], "short 98");
  EXPECT_EQ(copy.size(), 100u);
  EXPECT_EQ(std::as_const(values)[1], "short 2");
}

TEST(StandardTypes, OurMapOfStandardStringsInsertsAndErasesInTheMiddle) {
  const Type& type = TypeOf<Map<std::string>>();
  Map<std::string> values;
  for (int i = 99; i >= 0; --i) {
    const std::string key = std::to_string(100 + i);
    if (i % 2 == 0) {
      values.Set(key, "v" + key);
    } else {
      WriteString(*type.element, EnsureEntry(type, &values, key), "v" + key);
    }
  }
  const Map<std::string> copy = values;
  EXPECT_TRUE(EraseEntry(type, &values, "150"));
  EXPECT_TRUE(values.erase("100"));
  EXPECT_EQ(values.size(), 98u);
  for (const auto& [key, value] : values) EXPECT_EQ(value, "v" + key.str());
  EXPECT_EQ(copy.size(), 100u);
  EXPECT_EQ(copy.at("150"), "v150");
}

TEST(StandardTypes, OurOptionalHoldsAStandardString) {
  const Type& type = TypeOf<Optional<std::string>>();
  AnyValue value(type);
  EXPECT_EQ(ReadOptional(type, value.data()), nullptr);
  WriteString(*type.element, EnsureOptional(type, value.data()), "short");
  AnyValue copy(value);
  WriteString(*type.element, EnsureOptional(type, value.data()), kLong);
  EXPECT_EQ(ReadString(*type.element, ReadOptional(type, copy.data())), "short");
  AssignValue(type, copy.data(), value.data());
  EXPECT_EQ(ReadString(*type.element, ReadOptional(type, copy.data())), kLong);
  ResetValue(type, copy.data());
  EXPECT_EQ(ReadOptional(type, copy.data()), nullptr);

  List<Optional<std::string>> list;
  for (int i = 0; i < 9; ++i) list.push_back(i % 3 == 0 ? Optional<std::string>() : Optional<std::string>("short"));
  const List<Optional<std::string>> other = list;
  ShareNodes(list);
  EXPECT_EQ(list, other);
  EXPECT_EQ(list[8], std::string("short"));
  EXPECT_FALSE(list[6].has_value());
}

TEST(StandardTypes, GenericCopyIsDeepAndEqual) {
  const Type& type = TypeOf<AppService>();
  const AppService app = Sample();
  AnyValue copy(type);
  AssignValue(type, copy.data(), &app);
  auto* other = static_cast<AppService*>(copy.data());
  EXPECT_TRUE(Equal(app, *other));
  EXPECT_EQ(Hash(app), Hash(*other));
  EXPECT_FALSE(IsZero(type, other));

  other->spec.nested["x"][2] = "changed";
  EXPECT_FALSE(Equal(app, *other));
  EXPECT_EQ(app.spec.nested.at("x")[2], kLong);
  AssignValue(type, other, &app);
  other->spec.route->children[1].path = "/changed";
  EXPECT_FALSE(Equal(app, *other));
  EXPECT_EQ(app.spec.route->children[1].path, "/");
}

TEST(StandardTypes, EveryFieldCountsInEqualityAndHash) {
  const AppService app = Sample();
  const Type& spec = TypeOf<testing::AppServiceSpec>();
  for (const Field& field : spec.fields) {
    AppService other = Sample();
    ResetValue(*field.type, WriteField(field, &other.spec));
    EXPECT_FALSE(Equal(app, other)) << field.name;
    EXPECT_NE(Hash(app), Hash(other)) << field.name;
  }
}

TEST(StandardTypes, SharingLeavesStandardValuesEqualAndSharesOurs) {
  AppService one = Sample();
  AppService two = Sample();
  ShareNodes(one);
  ShareNodes(two);
  EXPECT_TRUE(Equal(one, two));
  // The list of conditions is ours all through, so the two objects hold one node.
  EXPECT_EQ(&std::as_const(one.status.conditions)[0], &std::as_const(two.status.conditions)[0]);
  one.status.conditions[0].status = "False";
  one.spec.route->rewrite = "other";
  EXPECT_EQ(std::as_const(two.status.conditions)[0].status, "True");
  EXPECT_EQ(*std::as_const(two.spec.route)->rewrite, kLong);
}

TEST(StandardTypes, ListOfUserStructsIsCopiedOnWrite) {
  List<AppRoute> routes = {AppRoute{}, AppRoute{}};
  List<AppRoute> copy = routes;
  ShareNodes(copy);
  routes[1].path = kLong;
  copy[0].children.resize(3);
  EXPECT_EQ(std::as_const(copy)[1].path, "/");
  EXPECT_EQ(std::as_const(routes)[1].path, kLong);
  EXPECT_EQ(std::as_const(routes)[0].children.size(), 0u);
}

TEST(StandardTypes, LongChainOfUserStructsIsDestroyedWithoutDeepStack) {
  List<AppRoute> chain;
  for (int i = 0; i < 200'000; ++i) {
    AppRoute route;
    route.fallbacks = std::move(chain);
    chain = List<AppRoute>();
    chain.push_back(std::move(route));
  }
  EXPECT_EQ(chain.size(), 1u);
  chain.clear();
  EXPECT_TRUE(chain.empty());
}

TEST(StandardTypes, TablesDescribeTheMembers) {
  const AppService app = Sample();
  const Type& type = TypeOf<AppService>();
  EXPECT_EQ(type.object_kind, "AppService");
  EXPECT_TRUE(type.is_root());
  const void* spec = FieldOf(type, &app, "spec");
  EXPECT_EQ(spec, &app.spec);
  EXPECT_EQ(FieldOf(TypeOf<testing::AppServiceSpec>(), spec, "tags"), &app.spec.tags);
}

}  // namespace
}  // namespace keelson
