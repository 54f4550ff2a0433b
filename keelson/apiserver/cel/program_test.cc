#include "keelson/apiserver/cel/program.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/apiserver/cel/check.h"
#include "keelson/apiserver/cel/map_builder.h"
#include "keelson/apiserver/cel/time_zone.h"

namespace keelson::apiserver::cel {
namespace {

const FunctionTable& Functions() {
  static const FunctionTable* const table = [] {
    auto* functions = new FunctionTable;
    AddStandardFunctions(*functions);
    return functions;
  }();
  return *table;
}

// Programs over one variable, `self`, of any type.
class ProgramTest : public ::testing::Test {
 protected:
  Program Make(std::string_view source) {
    const Ast ast = Compile(source, {.functions = &Functions(), .variables = {{"self", Type::Dyn()}}});
    EXPECT_EQ(ast.ErrorText(), "");
    return Program(ast);
  }
  std::string Run(std::string_view source, const Json& self, uint64_t limit = EvalContext::kNoLimit) {
    return Run(source, UntypedShape().Wrap(self, arena_), limit);
  }
  std::string Run(std::string_view source, const Value& self, uint64_t limit = EvalContext::kNoLimit) {
    const Program program = Make(source);
    EvalContext context(arena_, limit);
    const Value result = program.Evaluate(context, {&self, 1});
    cost_ = context.cost();
    return (result.is_error() ? "error: " : "") + DebugText(result, arena_);
  }

  Arena arena_;
  uint64_t cost_ = 0;
};

constexpr const char* kTooExpensive = "error: operation cancelled: actual cost limit exceeded";

TEST_F(ProgramTest, StopsWhenTheCostExceedsTheLimit) {
  const Json self = Json::Object({{"list", Json::Array({1, 2, 3})}});
  EXPECT_EQ(Run("self.list.all(x, x > 0)", self), "true");
  EXPECT_EQ(cost_, 18u);
  EXPECT_EQ(Run("self.list.all(x, x > 0)", self, 18), "true");
  EXPECT_EQ(Run("self.list.all(x, x > 0)", self, 17), kTooExpensive);
}

TEST_F(ProgramTest, NoOperatorAbsorbsTheEndOfTheBudget) {
  const Json self = Json::Object({{"list", Json::Array({1, 2, 3})}});
  EXPECT_EQ(Run("self.list.all(x, x > 0) || true", self, 5), kTooExpensive);
  EXPECT_EQ(Run("self.list.exists(x, self.list.exists(y, y > 9)) || true", self, 20), kTooExpensive);
  EXPECT_EQ(Run("has(self.a.b.c.d) ? 1 : 2", self, 0), kTooExpensive);
}

TEST_F(ProgramTest, StopsWhenAComparisonWithoutACostGoesOnForLong) {
  Json inner = Json::Array();
  for (int i = 0; i < 2000; ++i) inner.list().push_back(i);
  Json outer = Json::Array();
  for (int i = 0; i < 300; ++i) outer.list().push_back(inner);
  Json self = Json::Object({{"one", Json::Array({outer})}, {"two", Json::Array({outer})}, {"many", inner}});
  // Each comparison costs 1, whatever is inside the only item.
  EXPECT_EQ(Run("self.many.all(x, self.one == self.two)", self), kTooExpensive);
  EXPECT_LT(cost_, 2000u);
}

TEST_F(ProgramTest, StopsWhenListsGrowBeyondMemory) {
  std::string doubling = "v0.size()";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "v" + std::to_string(i + 1);
    doubling = "optional.of(" + next + " + " + next + ").optMap(v" + std::to_string(i) + ", " + doubling + ")";
  }
  EXPECT_EQ(Run("optional.of(self).optMap(v40, " + doubling + ").hasValue()", Json::Array({1, 2, 3, 4})),
            kTooExpensive);
}

TEST_F(ProgramTest, ConstantsThatCannotBeComputedFailBeforeTheFirstRun) {
  EXPECT_EQ(Make("int('x') == 1").error(), "type conversion error from 'string' to 'int'");
  EXPECT_EQ(Make("int(self) == 1").error(), "");
  EXPECT_EQ(Run("int('x') == 1 || true", Json()), "error: type conversion error from 'string' to 'int'");
}

TEST_F(ProgramTest, LogicMayBeLong) {
  std::string all = "self";
  for (int i = 0; i < 2000; ++i) all += " && self";
  EXPECT_EQ(Run(all, Json(true)), "true");
  EXPECT_EQ(cost_, 2001u);
}

TEST_F(ProgramTest, AccumulatorIsComputedWhenItIsRead) {
  // The value of the optional is not looked at, so that it cannot fail.
  EXPECT_EQ(Run("optional.of(self.x).optMap(v, 1)", Json::Object({{"x", 1}})), "optional(1)");
  const uint64_t unread = cost_;
  EXPECT_EQ(Run("optional.of(self.x).optMap(v, v)", Json::Object({{"x", 1}})), "optional(1)");
  EXPECT_GT(cost_, unread + 1);
}

TEST_F(ProgramTest, OneProgramRunsOverManyDocuments) {
  const Program program = Make("self.filter(x, x > 1).map(x, x * 10)");
  for (int round = 0; round < 3; ++round) {
    const Json self = Json::Array({round, round + 1, round + 2});
    arena_.Clear();
    EvalContext context(arena_);
    const Value value = UntypedShape().Wrap(self, arena_);
    const Value result = program.Evaluate(context, {&value, 1});
    EXPECT_EQ(Length(result), static_cast<size_t>(round + 1));
    EXPECT_EQ(ItemAt(result, static_cast<size_t>(round), arena_).integer(), (round + 2) * 10);
  }
}

// Sees numbers as durations of so many seconds and hides members whose name begins with an underscore.
class SecondsShape : public Shape {
 public:
  Value Wrap(const Json& json, Arena& arena) const override {
    return json.is_int() ? Value::OfDuration(json.integer() * 1'000'000'000) : Shape::Wrap(json, arena);
  }
  bool Find(const JsonObject& object, std::string_view name, Arena& arena, Value* out) const override {
    return !name.starts_with("_") && Shape::Find(object, name, arena, out);
  }
  bool NameOfKey(std::string_view key, Arena&, std::string_view* name) const override {
    *name = key;
    return !key.starts_with("_");
  }
  bool KeysAreStrings() const override { return true; }
};

TEST_F(ProgramTest, ShapeDecidesWhatADocumentLooksLike) {
  const SecondsShape shape;
  const Json json = Json::Object({{"a", 90}, {"_b", 1}, {"list", Json::Array({1, 2})}});
  const Value self = shape.Wrap(json, arena_);
  EXPECT_EQ(Run("self.a == duration('1m30s')", self), "true");
  EXPECT_EQ(Run("self.list[1] + self.list[0] == duration('3s')", self), "true");
  EXPECT_EQ(Run("has(self._b)", self), "false");
  EXPECT_EQ(Run("self.map(k, k)", self), "[a, list]");
  EXPECT_EQ(Run("self._b", self), "error: no such key: _b");
  EXPECT_EQ(Run("self[1]", self), "error: no such overload");
  EXPECT_EQ(Run("duration('2s') in self.list", self), "true");
  // What went through an optional has lost its shape, as in cel-go.
  EXPECT_EQ(Run("optional.of(self).a.value() == 90", self), "true");
}

TEST(MapBuilder, KeepsEarlierValuesAsTheyWere) {
  Arena arena;
  Value map = Value::OfMap({});
  std::vector<Value> versions;
  for (int i = 0; i < 100; ++i) {
    MapBuilder::Set(arena, map, Value::OfInt(i), Value::OfInt(i * i));
    versions.push_back(map);
  }
  for (int i = 0; i < 100; ++i) {
    const Value& version = versions[static_cast<size_t>(i)];
    ASSERT_EQ(Length(version), static_cast<size_t>(i + 1));
    EXPECT_NE(MapBuilder::Find(version, Value::OfInt(i)), nullptr);
    EXPECT_EQ(MapBuilder::Find(version, Value::OfInt(i + 1)), nullptr);
    // Numbers are the same key whatever their type.
    const MapEntry* entry = MapBuilder::Find(version, Value::OfDouble(i));
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->value.integer(), i * i);
  }
  MapBuilder::Set(arena, map, Value::OfUint(5), Value::OfInt(-1));
  EXPECT_EQ(Length(map), 100u);
  EXPECT_EQ(MapBuilder::Find(map, Value::OfInt(5))->value.integer(), -1);
  EXPECT_EQ(MapBuilder::Find(versions[99], Value::OfInt(5))->value.integer(), 25);
  MapBuilder::Erase(arena, map, Value::OfInt(5));
  EXPECT_EQ(Length(map), 99u);
  EXPECT_EQ(MapBuilder::Find(map, Value::OfInt(5)), nullptr);
}

TEST(ListBuilder, BranchesOfOneListDoNotTouchEachOther) {
  Arena arena;
  Value base = Value::OfList({});
  for (int i = 0; i < 3; ++i) base = ListBuilder::Append(arena, base, Value::OfInt(i));
  const Value left = ListBuilder::Append(arena, base, Value::OfInt(10));
  const Value right = ListBuilder::Append(arena, base, Value::OfInt(20));
  EXPECT_EQ(DebugText(base, arena), "[0, 1, 2]");
  EXPECT_EQ(DebugText(left, arena), "[0, 1, 2, 10]");
  EXPECT_EQ(DebugText(right, arena), "[0, 1, 2, 20]");
}

TEST(TimeZone, RefusesWhatIsNoFileOfAZone) {
  EXPECT_FALSE(TimeZone::Parse("").has_value());
  EXPECT_FALSE(TimeZone::Parse("TZif").has_value());
  EXPECT_FALSE(TimeZone::Parse(std::string("TZif2") + std::string(200, '\xff')).has_value());
  EXPECT_FALSE(TimeZone::Load("../../etc/passwd").has_value());
  EXPECT_EQ(TimeZone::Load("UTC")->OffsetAt(0), 0);
}

}  // namespace
}  // namespace keelson::apiserver::cel
