#include "keelson/apiserver/cel/macros.h"

#include <array>

namespace keelson::apiserver::cel {
namespace {

constexpr std::string_view kOldAccumulator = "__result__";  // a variable must not take that name either

// One expansion: where it stands, and what is made of it.
class Expansion {
 public:
  Expansion(AstBuilder& builder, int32_t offset, Expr* target, const std::vector<Expr*>& args)
      : builder_(builder), offset_(offset), target_(target), args_(args) {}

  Expr* Has() {
    const Expr& arg = *args_[0];
    if (arg.kind != ExprKind::kSelect) return Wrong(0, "invalid argument to has() macro");
    return builder_.Select(offset_, arg.operand, arg.name, true);
  }

  Expr* All() { return Variables(1, kSimpleName) ? AllLoop() : failure_; }
  Expr* Exists() { return Variables(1, kSimpleName) ? ExistsLoop() : failure_; }
  Expr* ExistsOne() { return Variables(1, kSimpleName) ? ExistsOneLoop() : failure_; }
  Expr* All2() { return Variables(2, kSimpleName) ? AllLoop() : failure_; }
  Expr* Exists2() { return Variables(2, kSimpleName) ? ExistsLoop() : failure_; }
  Expr* ExistsOne2() { return Variables(2, kSimpleName) ? ExistsOneLoop() : failure_; }
  Expr* Map() { return Variables(1, kIdentifier) ? ListLoop() : failure_; }
  Expr* TransformList() { return Variables(2, kSimpleName) ? ListLoop() : failure_; }

  Expr* Filter() {
    if (!Variables(1, kIdentifier)) return failure_;
    Expr* init = builder_.List(offset_, {});
    Expr* step = Call(operators::kAdd, {Accumulator(), builder_.List(offset_, {args_[0]})});
    return Loop(init, True(), Call(operators::kConditional, {args_[1], step, Accumulator()}), Accumulator());
  }

  Expr* TransformMap() {
    if (!Variables(2, kSimpleName)) return failure_;
    Expr* init = builder_.Map(offset_, {});
    Expr* key = builder_.Ident(offset_, variables_[0]);
    return Loop(init, True(), Filtered(Call(kMapInsert, {Accumulator(), key, args_.back()})), Accumulator());
  }

  Expr* TransformMapEntry() {
    if (!Variables(2, kSimpleName)) return failure_;
    Expr* init = builder_.Map(offset_, {});
    return Loop(init, True(), Filtered(Call(kMapInsert, {Accumulator(), args_.back()})), Accumulator());
  }

  // target.hasValue() ? optional.of(<bind variable to target.value() in result>) : optional.none()
  Expr* OptMap() {
    Expr* bound = OptionalValue("optMap() variable name must be a simple identifier");
    return bound == nullptr ? failure_ : IfValue(Call("optional.of", {bound}));
  }
  Expr* OptFlatMap() {
    Expr* bound = OptionalValue("optFlatMap() variable name must be a simple identifier");
    return bound == nullptr ? failure_ : IfValue(bound);
  }

  // <bind input to target in input.@sortByAssociatedKeys(input.map(variable, key))>
  Expr* SortBy() {
    static constexpr std::string_view kInput = "@__sortBy_input__";
    switch (target_->kind) {
      case ExprKind::kList:
      case ExprKind::kSelect:
      case ExprKind::kIdent:
      case ExprKind::kComprehension:
      case ExprKind::kCall: break;
      default:
        return WrongAt(target_->offset,
                       "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
    }
    const auto input = [&] { return builder_.Ident(offset_, std::string(kInput)); };
    Expansion map(builder_, offset_, input(), args_);
    Expr* keys = map.Map();
    if (keys->kind == ExprKind::kError) return keys;
    return Bind(kInput, target_, builder_.MemberCall(offset_, "@sortByAssociatedKeys", input(), {keys}));
  }

 private:
  static constexpr std::string_view kMapInsert = "cel.@mapInsert";
  static constexpr std::string_view kSimpleName = "argument must be a simple name";
  static constexpr std::string_view kIdentifier = "argument is not an identifier";

  Expr* WrongAt(int32_t offset, std::string message) {
    builder_.Report(offset, std::move(message));
    failure_ = builder_.Error(offset);
    return failure_;
  }
  Expr* Wrong(size_t arg, std::string message) { return WrongAt(args_[arg]->offset, std::move(message)); }

  // Reads the names of the loop variables. False when they are none; then failure_ is set.
  bool Variables(size_t count, std::string_view complaint) {
    for (size_t i = 0; i < count; ++i) {
      if (args_[i]->kind != ExprKind::kIdent) return Wrong(i, std::string(complaint)) == nullptr;
      variables_[i] = args_[i]->name;
    }
    if (count == 2 && variables_[0] == variables_[1]) {
      return Wrong(1, "duplicate variable name: " + variables_[0]) == nullptr;
    }
    for (size_t i = 0; i < count; ++i) {
      if (variables_[i] == kAccumulator || variables_[i] == kOldAccumulator) {
        return Wrong(i, "iteration variable overwrites accumulator variable") == nullptr;
      }
    }
    count_ = count;
    return true;
  }

  Expr* Call(std::string_view function, std::vector<Expr*> args) {
    return builder_.Call(offset_, function, std::move(args));
  }
  Expr* Literal(Constant value) { return builder_.Constant(offset_, std::move(value)); }
  Expr* True() { return Literal(true); }
  Expr* Accumulator() { return builder_.Ident(offset_, std::string(kAccumulator)); }

  Expr* Loop(Expr* init, Expr* condition, Expr* step, Expr* result) {
    return builder_.Comprehension(offset_, {.range = target_,
                                            .variable = variables_[0],
                                            .variable2 = variables_[1],
                                            .accumulator = std::string(kAccumulator),
                                            .init = init,
                                            .condition = condition,
                                            .step = step,
                                            .result = result});
  }

  Expr* Bind(std::string_view name, Expr* value, Expr* result) {
    return builder_.Comprehension(offset_, {.range = builder_.List(offset_, {}),
                                            .variable = std::string(kUnusedVariable),
                                            .accumulator = std::string(name),
                                            .init = value,
                                            .condition = Literal(false),
                                            .step = builder_.Ident(offset_, std::string(name)),
                                            .result = result});
  }

  Expr* AllLoop() {
    return Loop(True(), Call(operators::kNotStrictlyFalse, {Accumulator()}),
                Call(operators::kLogicalAnd, {Accumulator(), args_.back()}), Accumulator());
  }

  Expr* ExistsLoop() {
    Expr* not_yet = Call(operators::kLogicalNot, {Accumulator()});
    return Loop(Literal(false), Call(operators::kNotStrictlyFalse, {not_yet}),
                Call(operators::kLogicalOr, {Accumulator(), args_.back()}), Accumulator());
  }

  Expr* ExistsOneLoop() {
    const auto number = [&](int64_t value) { return Literal(value); };
    Expr* one_more = Call(operators::kAdd, {Accumulator(), number(1)});
    return Loop(number(0), True(), Call(operators::kConditional, {args_.back(), one_more, Accumulator()}),
                Call(operators::kEquals, {Accumulator(), number(1)}));
  }

  Expr* ListLoop() {
    Expr* init = builder_.List(offset_, {});
    Expr* step = Call(operators::kAdd, {Accumulator(), builder_.List(offset_, {args_.back()})});
    return Loop(init, True(), Filtered(step), Accumulator());
  }

  // The step as it is, or when there is a condition before the last argument: only if that holds.
  Expr* Filtered(Expr* step) {
    if (args_.size() == count_ + 1) return step;
    return Call(operators::kConditional, {args_[count_], step, Accumulator()});
  }

  Expr* OptionalValue(std::string_view complaint) {
    if (args_[0]->kind != ExprKind::kIdent) {
      Wrong(0, std::string(complaint));
      return nullptr;
    }
    Expr* value = builder_.MemberCall(offset_, "value", builder_.Copy(*target_), {});
    return Bind(args_[0]->name, value, args_[1]);
  }

  Expr* IfValue(Expr* then) {
    return Call(operators::kConditional,
                {builder_.MemberCall(offset_, "hasValue", target_, {}), then, Call("optional.none", {})});
  }

  AstBuilder& builder_;
  const int32_t offset_;
  Expr* const target_;
  const std::vector<Expr*>& args_;
  std::array<std::string, 2> variables_;
  size_t count_ = 0;
  Expr* failure_ = nullptr;
};

struct Macro {
  std::string_view function;
  size_t fewest_args;
  size_t most_args;
  bool member;
  Expr* (Expansion::*expand)();
};

constexpr Macro kMacros[] = {
    {"has", 1, 1, false, &Expansion::Has},
    {"all", 2, 2, true, &Expansion::All},
    {"all", 3, 3, true, &Expansion::All2},
    {"exists", 2, 2, true, &Expansion::Exists},
    {"exists", 3, 3, true, &Expansion::Exists2},
    {"exists_one", 2, 2, true, &Expansion::ExistsOne},
    {"exists_one", 3, 3, true, &Expansion::ExistsOne2},
    {"existsOne", 3, 3, true, &Expansion::ExistsOne2},
    {"map", 2, 3, true, &Expansion::Map},
    {"filter", 2, 2, true, &Expansion::Filter},
    {"transformList", 3, 4, true, &Expansion::TransformList},
    {"transformMap", 3, 4, true, &Expansion::TransformMap},
    {"transformMapEntry", 3, 4, true, &Expansion::TransformMapEntry},
    {"optMap", 2, 2, true, &Expansion::OptMap},
    {"optFlatMap", 2, 2, true, &Expansion::OptFlatMap},
    {"sortBy", 2, 2, true, &Expansion::SortBy},
};

}  // namespace

Expr* ExpandMacro(AstBuilder& builder, int32_t offset, std::string_view function, Expr* target,
                  const std::vector<Expr*>& args) {
  for (const Macro& macro : kMacros) {
    if (macro.function == function && macro.member == (target != nullptr) && args.size() >= macro.fewest_args &&
        args.size() <= macro.most_args) {
      Expansion expansion(builder, offset, target, args);
      return (expansion.*macro.expand)();
    }
  }
  return nullptr;
}

}  // namespace keelson::apiserver::cel
