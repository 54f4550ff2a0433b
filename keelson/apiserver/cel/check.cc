#include "keelson/apiserver/cel/check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "keelson/apiserver/cel/function.h"
#include "keelson/apiserver/cel/literal_checks.h"
#include "keelson/apiserver/cel/string_format.h"
#include "keelson/apiserver/cel/unify.h"

namespace keelson::apiserver::cel {
namespace {

// A type that every expression can name.
struct LanguageType {
  std::string_view name;
  Type type;
};

const std::vector<LanguageType>& LanguageTypes() {
  static const std::vector<LanguageType>& types = *new std::vector<LanguageType>{
      {"bool", Type::Bool()},
      {"bytes", Type::Bytes()},
      {"double", Type::Double()},
      {"duration", Type::Duration()},
      {"google.protobuf.Duration", Type::Duration()},
      {"google.protobuf.Timestamp", Type::Timestamp()},
      {"int", Type::Int()},
      {"list", Type::List(Type::Parameter("A"))},
      {"map", Type::Map(Type::Parameter("A"), Type::Parameter("B"))},
      {"null_type", Type::Null()},
      {"optional_type", Type::Opaque("optional_type")},
      {"string", Type::String()},
      {"timestamp", Type::Timestamp()},
      {"type", Type::TypeOfTypes()},
      {"uint", Type::Uint()},
  };
  return types;
}

Type TypeOfConstant(const Constant& constant) {
  switch (constant.index()) {
    case 0: return Type::Null();
    case 1: return Type::Bool();
    case 2: return Type::Int();
    case 3: return Type::Uint();
    case 4: return Type::Double();
    case 5: return Type::String();
    default: return Type::Bytes();
  }
}

// a.b.c as a name; nullopt for anything else.
std::optional<std::string> QualifiedName(const Expr& expr) {
  if (expr.kind == ExprKind::kIdent) return expr.name;
  if (expr.kind != ExprKind::kSelect || expr.test_only) return std::nullopt;
  std::optional<std::string> prefix = QualifiedName(*expr.operand);
  if (prefix) *prefix += "." + expr.name;
  return prefix;
}

std::string_view WithoutLeadingDot(std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);
  return name;
}

// Replaces the type parameters of one overload by free variables.
class Instance {
 public:
  explicit Instance(Unifier& unifier) : unifier_(unifier) {}

  Type Of(const Type& type) {
    if (!type.has_type_params()) return type;
    switch (type.kind()) {
      case TypeKind::kTypeParam: return VariableFor(type);
      case TypeKind::kList: return Type::List(Of(type.element()));
      case TypeKind::kMap: return Type::Map(Of(type.key()), Of(type.value()));
      case TypeKind::kType: return Type::OfType(Of(type.parameter(0)));
      default: {
        std::vector<Type> parameters;
        for (const Type& parameter : type.parameters()) parameters.push_back(Of(parameter));
        return Type::Opaque(std::string(type.runtime_name()), std::move(parameters));
      }
    }
  }

 private:
  const Type& VariableFor(const Type& parameter) {
    for (const auto& [from, to] : variables_) {
      if (from == parameter) return to;
    }
    return variables_.emplace_back(parameter, unifier_.NewVariable()).second;
  }

  Unifier& unifier_;
  std::vector<std::pair<Type, Type>> variables_;
};

class Checker {
 public:
  Checker(Ast& ast, const Environment& environment) : ast_(ast), environment_(environment) {}

  void Run() {
    CheckExpr(*ast_.root);
    for (Expr& expr : ast_.nodes()) {
      if (expr.type.has_type_params()) expr.type = unifier_.Substitute(expr.type, true);
    }
    if (unifier_.exhausted()) Report(*ast_.root, "types of the expression are too complex");
    ast_.checked = true;
  }

 private:
  struct Local {
    std::string name;
    Type type;
    int slot;
  };

  void ReportAt(int32_t offset, std::string message) {
    const Position position = PositionOf(ast_.source, offset);
    ast_.errors.push_back({.line = position.line, .column = position.column, .message = std::move(message)});
  }
  void Report(const Expr& expr, std::string message) { ReportAt(expr.offset, std::move(message)); }

  void ReportMismatch(const Expr& expr, const Type& expected, const Type& actual) {
    Report(expr, "expected type '" + expected.Name() + "' but found '" + actual.Name() + "'");
  }
  void ReportUndeclared(const Expr& expr, std::string_view name) {
    Report(expr, "undeclared reference to '" + std::string(name) + "' (in container '')");
    expr_type(expr) = Type::Error();
  }

  static Type& expr_type(const Expr& expr) { return const_cast<Expr&>(expr).type; }

  void SetType(Expr& expr, Type type) {
    if (type.size() > Unifier::kLargestType) {
      Report(expr, "type of the expression is too complex");
      type = Type::Error();
    }
    expr.type = std::move(type);
  }

  void CheckExpr(Expr& expr) {
    // Enough to refuse the expression: the rest is not looked at.
    if (unifier_.exhausted()) return;
    switch (expr.kind) {
      case ExprKind::kConstant: return SetType(expr, TypeOfConstant(expr.constant));
      case ExprKind::kIdent: return CheckIdent(expr);
      case ExprKind::kSelect: return CheckSelect(expr);
      case ExprKind::kCall: return CheckCall(expr);
      case ExprKind::kList: return CheckList(expr);
      case ExprKind::kMap: return CheckMap(expr);
      case ExprKind::kStruct: return CheckStruct(expr);
      case ExprKind::kComprehension: return CheckComprehension(expr);
      case ExprKind::kError: return SetType(expr, Type::Error());
    }
  }

  // -- names

  // Turns the expression into a reference to what has that name. False when nothing has.
  bool Resolve(Expr& expr, std::string_view written) {
    const std::string_view name = WithoutLeadingDot(written);
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) return Refer(expr, name, IdentMeaning::kLocal, local->slot, local->type);
    }
    const std::vector<Variable>& variables = environment_.variables;
    for (size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].name == name) {
        return Refer(expr, name, IdentMeaning::kVariable, static_cast<int>(i), variables[i].type);
      }
    }
    const Type* type = FindType(name);
    return type != nullptr && Refer(expr, name, IdentMeaning::kType, -1, Type::OfType(*type));
  }

  bool Refer(Expr& expr, std::string_view name, IdentMeaning meaning, int slot, Type type) {
    expr.kind = ExprKind::kIdent;
    expr.operand = nullptr;
    expr.name = std::string(name);
    expr.meaning = meaning;
    expr.slot = slot;
    SetType(expr, std::move(type));
    return true;
  }

  const Type* FindType(std::string_view name) const {
    for (const LanguageType& each : LanguageTypes()) {
      if (each.name == name) return &each.type;
    }
    for (const Type& type : environment_.types) {
      if (type.runtime_name() == name) return &type;
    }
    return nullptr;
  }

  const Function* FindFunction(std::string_view name) const {
    return environment_.functions->Find(WithoutLeadingDot(name));
  }

  void CheckIdent(Expr& expr) {
    if (!Resolve(expr, expr.name)) ReportUndeclared(expr, expr.name);
  }

  // -- selection

  void CheckSelect(Expr& expr) {
    if (!expr.test_only) {
      const std::optional<std::string> name = QualifiedName(expr);
      if (name && Resolve(expr, *name)) return;
    }
    Type type = CheckField(expr, *expr.operand, expr.name, false);
    SetType(expr, expr.test_only ? Type::Bool() : unifier_.Substitute(type, false));
  }

  void CheckOptionalSelect(Expr& expr) {
    const std::string* field = std::get_if<std::string>(&expr.args[1]->constant);
    SetType(expr, unifier_.Substitute(CheckField(expr, *expr.args[0], *field, true), false));
  }

  Type CheckField(Expr& expr, Expr& operand, std::string_view field, bool optional) {
    CheckExpr(operand);
    Type target = unifier_.Substitute(operand.type, false);
    const bool of_optional = target.is_optional();
    if (of_optional) target = Type(target.parameter(0));
    Type result = Type::Dyn();
    switch (target.kind()) {
      case TypeKind::kMap: result = target.value(); break;
      case TypeKind::kObject: result = FieldType(expr.offset, target, field); break;
      case TypeKind::kTypeParam: unifier_.IsAssignable(Type::Dyn(), target); break;
      case TypeKind::kDyn:
      case TypeKind::kAny:
      case TypeKind::kError: break;
      default: Report(expr, "type '" + target.Name() + "' does not support field selection");
    }
    return of_optional || optional ? Type::Optional(std::move(result)) : result;
  }

  Type FieldType(int32_t offset, const Type& object, std::string_view field) {
    if (object.fields() == nullptr) {
      ReportAt(offset, "unexpected failed resolution of '" + std::string(object.runtime_name()) + "'");
      return Type::Error();
    }
    if (const Type* type = object.fields()->Find(field); type != nullptr) return *type;
    ReportAt(offset, "undefined field '" + std::string(field) + "'");
    return Type::Error();
  }

  // -- calls

  void CheckCall(Expr& expr) {
    if (expr.name == operators::kOptionalSelect) return CheckOptionalSelect(expr);
    for (Expr* arg : expr.args) CheckExpr(*arg);
    if (expr.operand == nullptr) {
      const Function* function = FindFunction(expr.name);
      if (function == nullptr) return ReportUndeclared(expr, expr.name);
      return ResolveCall(expr, *function);
    }
    if (std::optional<std::string> name = QualifiedName(*expr.operand); name) {
      *name += "." + expr.name;
      if (const Function* function = FindFunction(*name); function != nullptr) {
        expr.operand = nullptr;
        return ResolveCall(expr, *function);
      }
    }
    CheckExpr(*expr.operand);
    const Function* function = FindFunction(expr.name);
    if (function == nullptr) return ReportUndeclared(expr, expr.name);
    ResolveCall(expr, *function);
  }

  void ResolveCall(Expr& expr, const Function& function) {
    expr.name = function.name;
    expr.function = &function;
    if (expr.name == operators::kLogicalAnd || expr.name == operators::kLogicalOr) return ResolveLogical(expr);
    const bool member = expr.operand != nullptr;
    std::vector<Type> arguments;
    if (member) arguments.push_back(expr.operand->type);
    for (const Expr* arg : expr.args) arguments.push_back(arg->type);

    std::optional<Type> result;
    for (const Overload& overload : function.overloads) {
      if (overload.member != member) continue;
      std::optional<Type> candidate = Apply(overload, arguments);
      if (!candidate) continue;
      expr.overloads.push_back(&overload);
      if (!result) {
        result = std::move(candidate);
      } else if (!result->is_dyn() && *candidate != *result) {
        result = Type::Dyn();
      }
    }
    if (result) return SetType(expr, std::move(*result));
    ReportNoOverload(expr, arguments);
    expr.type = Type::Error();
  }

  // The result type, if the overload takes such arguments.
  std::optional<Type> Apply(const Overload& overload, const std::vector<Type>& arguments) {
    bool generic = overload.result.has_type_params();
    for (const Type& parameter : overload.parameters) generic |= parameter.has_type_params();
    if (!generic) {
      if (!unifier_.IsAssignable(arguments, overload.parameters)) return std::nullopt;
      return overload.result;
    }
    Instance instance(unifier_);
    std::vector<Type> parameters;
    parameters.reserve(overload.parameters.size());
    const Type result = instance.Of(overload.result);
    for (const Type& parameter : overload.parameters) parameters.push_back(instance.Of(parameter));
    if (!unifier_.IsAssignable(arguments, parameters)) return std::nullopt;
    return unifier_.Substitute(result, false);
  }

  void ResolveLogical(Expr& expr) {
    bool wrong = false;
    for (const Expr* arg : expr.args) {
      if (unifier_.IsAssignable(arg->type, Type::Bool())) continue;
      ReportMismatch(*arg, Type::Bool(), arg->type);
      wrong = true;
    }
    for (const Overload& overload : expr.function->overloads) expr.overloads.push_back(&overload);
    expr.type = wrong ? Type::Error() : Type::Bool();
  }

  void ReportNoOverload(const Expr& expr, const std::vector<Type>& arguments) {
    std::string signature;
    size_t first = 0;
    if (expr.operand != nullptr) {
      signature = unifier_.Substitute(arguments[0], true).Name() + ".";
      first = 1;
    }
    signature += '(';
    for (size_t i = first; i < arguments.size(); ++i) {
      if (i > first) signature += ", ";
      signature += unifier_.Substitute(arguments[i], true).Name();
    }
    signature += ')';
    Report(expr, "found no matching overload for '" + expr.name + "' applied to '" + signature + "'");
  }

  // -- literals

  // The type that elements have in common; dyn when they have none. CheckLiterals has its own word on that.
  Type Join(const std::optional<Type>& previous, const Type& current) {
    if (!previous) return current;
    if (unifier_.IsAssignable(*previous, current)) return Unifier::MostGeneral(*previous, current);
    return Type::Dyn();
  }

  // The type of what an element written with ? adds.
  Type OptionalElement(const Expr& expr) {
    if (expr.type.is_optional()) return expr.type.parameter(0);
    if (!expr.type.is_dyn()) ReportMismatch(expr, Type::Optional(expr.type), expr.type);
    return expr.type;
  }

  void CheckList(Expr& expr) {
    std::optional<Type> element;
    size_t next_optional = 0;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      Expr& arg = *expr.args[i];
      CheckExpr(arg);
      const bool optional = next_optional < expr.optional_elements.size() &&
                            static_cast<size_t>(expr.optional_elements[next_optional]) == i;
      if (optional) ++next_optional;
      element = Join(element, optional ? OptionalElement(arg) : arg.type);
    }
    SetType(expr, Type::List(element ? std::move(*element) : unifier_.NewVariable()));
  }

  void CheckMap(Expr& expr) {
    std::optional<Type> key;
    std::optional<Type> value;
    for (const Entry& entry : expr.entries) {
      CheckExpr(*entry.key);
      key = Join(key, entry.key->type);
      CheckExpr(*entry.value);
      value = Join(value, entry.optional ? OptionalElement(*entry.value) : entry.value->type);
    }
    if (!key) {
      key = unifier_.NewVariable();
      value = unifier_.NewVariable();
    }
    SetType(expr, Type::Map(std::move(*key), std::move(*value)));
  }

  void CheckStruct(Expr& expr) {
    Expr named;
    named.offset = expr.offset;
    if (!Resolve(named, expr.name)) return ReportUndeclared(expr, expr.name);
    expr.name = named.name;
    Type type = Type::Error();
    if (named.meaning != IdentMeaning::kType) {
      const std::string type_name =
          named.type.is_wrapper() ? named.type.Name() : std::string(named.type.runtime_name());
      if (!named.type.Is(TypeKind::kError)) Report(expr, "'" + type_name + "' is not a type");
    } else if (named.type.parameter(0).Is(TypeKind::kObject)) {
      type = Type(named.type.parameter(0));
    } else {
      Report(expr, "'" + std::string(named.type.parameter(0).runtime_name()) + "' is not a message type");
    }
    expr.type = type;
    for (const Entry& entry : expr.entries) {
      CheckExpr(*entry.value);
      Type field = Type::Error();
      if (type.Is(TypeKind::kObject)) {
        field = FieldType(entry.offset, type, entry.field);
      } else {
        ReportAt(entry.offset, "unexpected failed resolution of '" + expr.name + "'");
      }
      const Type value = entry.optional ? OptionalElement(*entry.value) : entry.value->type;
      if (!unifier_.IsAssignable(field, value)) {
        ReportAt(entry.offset, "expected type of field '" + entry.field + "' is '" + field.Name() +
                                   "' but provided type is '" + value.Name() + "'");
      }
    }
  }

  // -- loops

  int NewLocal(const std::string& name, const Type& type) {
    const int slot = static_cast<int>(locals_.size());
    locals_.push_back({name, type, slot});
    ast_.local_count = std::max(ast_.local_count, slot + 1);
    return slot;
  }

  void CheckComprehension(Expr& expr) {
    Comprehension& loop = *expr.comprehension;
    CheckExpr(*loop.range);
    CheckExpr(*loop.init);
    const Type range = unifier_.Substitute(loop.range->type, false);
    const Type accumulator = loop.init->type;
    const size_t outside = locals_.size();
    loop.accumulator_slot = NewLocal(loop.accumulator, accumulator);

    const bool two = !loop.variable2.empty();
    Type first = Type::Dyn();
    Type second = Type::Dyn();
    switch (range.kind()) {
      case TypeKind::kList:
        first = two ? Type::Int() : range.element();
        second = range.element();
        break;
      case TypeKind::kMap:
        first = range.key();
        second = range.value();
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kTypeParam: unifier_.IsAssignable(Type::Dyn(), range); break;
      default:
        Report(*loop.range, "expression of type '" + range.Name() +
                                "' cannot be range of a comprehension (must be list, map, or dynamic)");
        first = Type::Error();
        second = Type::Error();
    }
    loop.variable_slot = NewLocal(loop.variable, first);
    if (two) loop.variable2_slot = NewLocal(loop.variable2, second);
    CheckExpr(*loop.condition);
    Expect(*loop.condition, Type::Bool());
    CheckExpr(*loop.step);
    Expect(*loop.step, accumulator);
    locals_.resize(outside + 1, Local{});
    CheckExpr(*loop.result);
    locals_.resize(outside, Local{});
    SetType(expr, unifier_.Substitute(loop.result->type, false));
  }

  void Expect(const Expr& expr, const Type& type) {
    if (!unifier_.IsAssignable(type, expr.type)) ReportMismatch(expr, type, expr.type);
  }

  Ast& ast_;
  const Environment& environment_;
  Unifier unifier_;
  std::vector<Local> locals_;  // innermost last; slot = index
};

}  // namespace

void Check(Ast& ast, const Environment& environment) { Checker(ast, environment).Run(); }

Ast Compile(std::string_view source, const Environment& environment) {
  Ast ast = Parse(source);
  if (!ast.errors.empty()) return ast;
  Check(ast, environment);
  if (!ast.errors.empty()) return ast;
  CheckLiterals(ast);
  CheckFormatCalls(ast);
  return ast;
}

}  // namespace keelson::apiserver::cel
