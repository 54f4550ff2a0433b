// What a Program runs: the tree of a checked expression with its names resolved to slots, its calls to functions, its
// constants computed.
//
// The shape follows cel-go's evaluation plan, because what an expression costs is counted by the steps of that plan: a
// variable with the selections and indexes behind it is one Attribute, which costs 1 and 1 for each of them; the
// branches of a conditional that are attributes cost nothing of their own; folded constants and membership in a
// constant list are free.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/cel/ast.h"
#include "keelson/apiserver/cel/function.h"
#include "keelson/apiserver/cel/program.h"
#include "keelson/apiserver/cel/value.h"

namespace keelson::apiserver::cel {

enum class StepKind : uint8_t {
  kConstant,
  kAttribute,
  kHas,
  kAnd,
  kOr,
  kEqual,
  kNotEqual,
  kCompare,
  kCall,
  kAppend,         // accumulator + list
  kMembership,     // in a constant list
  kOptionalOr,     // a.or(b)
  kOptionalValue,  // a.orValue(b)
  kList,
  kMap,
  kStruct,
  kFold,
};

struct Step {
  explicit Step(StepKind k) : kind(k) {}
  const StepKind kind;
};

struct ConstantStep : Step {
  explicit ConstantStep(const Value& v) : Step(StepKind::kConstant), value(v) {}
  Value value;
};

struct Attribute;

// A selection or an index. Exactly one of attribute and operand is set, or the key is constant.
struct Qualifier {
  Value key = {};
  const Attribute* attribute = nullptr;
  const Step* operand = nullptr;
  bool optional = false;   // a.?b, a[?b]
  bool test_only = false;  // has(a.b)
};

struct Attribute {
  enum class Base : uint8_t { kVariable, kLocal, kOperand, kConditional };

  Base base = Base::kOperand;
  int slot = -1;
  const Step* operand = nullptr;  // of kConditional: the condition
  Attribute* truthy = nullptr;    // of kConditional
  Attribute* falsy = nullptr;
  std::vector<Qualifier> qualifiers = {};  // not of kConditional: they are with its branches
};

struct AttributeStep : Step {
  AttributeStep(StepKind k, Attribute* a) : Step(k), attribute(a) {}
  Attribute* attribute;
};

// kAnd, kOr, kOptionalOr, kOptionalValue.
struct PairStep : Step {
  PairStep(StepKind k, const Step* l, const Step* r) : Step(k), left(l), right(r) {}
  const Step* left;
  const Step* right;
};

struct CallStep : Step {
  explicit CallStep(StepKind k) : Step(k) {}
  const Function* function = nullptr;
  const Overload* overload = nullptr;  // null: told by the values
  // Null: each overload's own.
  Implementation implementation = nullptr;
  bool check_types = false;  // of the arguments, against `overload`
  bool strict = true;
  // Whether the arguments behind one that is an error are left alone, and the call then costs nothing.
  bool stops_at_error = false;
  enum class Relation : uint8_t { kNone, kLess, kLessEquals, kGreater, kGreaterEquals } relation = Relation::kNone;
  std::vector<const Step*> args = {};
};

struct MembershipStep : Step {
  MembershipStep(const Step* i, const Value& s) : Step(StepKind::kMembership), item(i), set(s) {}
  const Step* item;
  Value set;  // a map with the items as keys
};

// kList, kMap, kStruct.
struct LiteralStep : Step {
  explicit LiteralStep(StepKind k) : Step(k) {}
  struct Item {
    const Step* key = nullptr;  // of kMap
    const Step* value = nullptr;
    bool optional = false;
  };
  std::vector<Item> items = {};
  std::string name = {};  // of kStruct
};

struct FoldStep : Step {
  FoldStep() : Step(StepKind::kFold) {}
  const Step* range = nullptr;
  const Step* init = nullptr;
  const Step* condition = nullptr;
  const Step* step = nullptr;
  const Step* result = nullptr;
  int variable = -1;
  int variable2 = -1;
  int accumulator = -1;
};

struct Program::Plan {
  Arena arena;  // of the steps, and of what constants point to
  std::vector<ConstantPattern> patterns;
  const Step* root = nullptr;
  int local_count = 0;
  std::string error;  // why there is none
};

// Whether a value can be given to a parameter of that type, as far as it shows: of lists and maps only the first member
// is looked at.
bool IsAssignable(const Type& type, const Value& value, Arena& arena);

}  // namespace keelson::apiserver::cel
