// The tree of a CEL expression: made by Parse (parse.h), with its macros expanded; given types and resolved names by
// Check (check.h), which is what the evaluator and the cost estimate read.
//
//   Ast ast = Parse("self.items.all(i, i.size() < 10)");
//   ast.root->kind == ExprKind::kComprehension
//
// Nodes live as long as their Ast, at the same address also when the Ast is moved. A checked Ast is immutable: read it
// from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "keelson/apiserver/cel/diagnostic.h"
#include "keelson/apiserver/cel/type.h"

namespace keelson::apiserver::cel {

struct Function;  // function.h
struct Overload;

enum class ExprKind : uint8_t {
  kError,          // stands where something could not be parsed; not in an Ast without errors
  kConstant,       // constant
  kIdent,          // name
  kSelect,         // operand.name; with test_only: has(operand.name)
  kCall,           // operand.name(args), or name(args) when operand is null
  kList,           // args, of which optional_elements
  kMap,            // entries
  kStruct,         // name{entries}
  kComprehension,  // comprehension
};

struct BytesConstant {
  std::string bytes;
  bool operator==(const BytesConstant&) const = default;
};
using Constant = std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, BytesConstant>;

struct Expr;

// An entry of a map ("key: value") or of a message ("field: value"). With `optional`, {?key: value}.
struct Entry {
  int32_t id = 0;
  int32_t offset = -1;
  Expr* key = nullptr;     // of a map
  std::string field = {};  // of a message
  Expr* value = nullptr;
  bool optional = false;
};

// What the macros expand to:
//   accumulator = init
//   for variable (, variable2) in range: if (!condition) break; accumulator = step
//   result
// The slots are indexes into the frame of local variables (Ast::local_count); set by Check. `variable2_slot` is -1 when
// there is but one variable: then it runs over elements of a list or keys of a map, else over index and element, or key
// and value.
struct Comprehension {
  Expr* range = nullptr;
  std::string variable = {};
  std::string variable2 = {};
  std::string accumulator = {};
  Expr* init = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
  int variable_slot = -1;
  int variable2_slot = -1;
  int accumulator_slot = -1;
};

// What a checked kIdent stands for. Qualified names (a.b.c as one variable) become a kIdent as well.
enum class IdentMeaning : uint8_t {
  kUnresolved,
  kVariable,  // slot: index into Environment::variables
  kLocal,     // slot: index into the frame of local variables
  kType,      // a type as a value: type.parameter(0)
};

struct Expr {
  ExprKind kind = ExprKind::kError;
  bool test_only = false;                             // kSelect
  IdentMeaning meaning = IdentMeaning::kUnresolved;   // kIdent, by Check
  int32_t id = 0;                                     // unique in the Ast, from 1
  int32_t offset = -1;                                // of the source, in code points; -1: none
  int slot = -1;                                      // kIdent, by Check
  Expr* operand = nullptr;                            // kSelect, kCall
  std::string name = {};                              // kIdent, kSelect, kCall, kStruct
  Constant constant = nullptr;                        // kConstant
  std::vector<Expr*> args = {};                       // kCall, kList
  std::vector<int32_t> optional_elements = {};        // kList: indexes into args written [?x], ascending
  std::vector<Entry> entries = {};                    // kMap, kStruct
  std::unique_ptr<Comprehension> comprehension = {};  // kComprehension

  // Set by Check. A kCall that names a function in a namespace (`net.parse(x)`) has lost its operand and got the full
  // name.
  Type type = {};
  const Function* function = nullptr;           // kCall; null for the optional selection `_?._`
  std::vector<const Overload*> overloads = {};  // kCall: those that the argument types allow, in order of declaration
};

// Operators are calls of these names.
namespace operators {
inline constexpr std::string_view kConditional = "_?_:_";
inline constexpr std::string_view kLogicalAnd = "_&&_";
inline constexpr std::string_view kLogicalOr = "_||_";
inline constexpr std::string_view kLogicalNot = "!_";
inline constexpr std::string_view kEquals = "_==_";
inline constexpr std::string_view kNotEquals = "_!=_";
inline constexpr std::string_view kLess = "_<_";
inline constexpr std::string_view kLessEquals = "_<=_";
inline constexpr std::string_view kGreater = "_>_";
inline constexpr std::string_view kGreaterEquals = "_>=_";
inline constexpr std::string_view kAdd = "_+_";
inline constexpr std::string_view kSubtract = "_-_";
inline constexpr std::string_view kMultiply = "_*_";
inline constexpr std::string_view kDivide = "_/_";
inline constexpr std::string_view kModulo = "_%_";
inline constexpr std::string_view kNegate = "-_";
inline constexpr std::string_view kIndex = "_[_]";
inline constexpr std::string_view kOptionalIndex = "_[?_]";
inline constexpr std::string_view kOptionalSelect = "_?._";  // (operand, constant string)
inline constexpr std::string_view kIn = "@in";
inline constexpr std::string_view kNotStrictlyFalse = "@not_strictly_false";
}  // namespace operators

struct Ast {
  std::string source = {};
  Expr* root = nullptr;
  std::vector<Diagnostic> errors = {};  // of Parse; of Check

  bool checked = false;
  int local_count = 0;  // size of the frame of local variables, by Check

  // The type of the whole, once checked.
  const Type& type() const { return root->type; }
  // The errors as users see them; empty when there are none.
  std::string ErrorText() const { return DisplayText(source, errors); }

  Expr* NewExpr() { return &nodes_.emplace_back(); }
  // Every node made, also those that a macro left out.
  std::deque<Expr>& nodes() { return nodes_; }

 private:
  std::deque<Expr> nodes_;
};

}  // namespace keelson::apiserver::cel
