// Text compiled as a CEL expression. What compiles is complete: every name resolved, every type known, every local
// variable in its frame; what does not has errors that can be shown. The same text gives the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "keelson/apiserver/cel/check.h"
#include "keelson/apiserver/cel/library.h"

namespace {

using namespace keelson::apiserver::cel;

void Require(bool holds) {
  if (!holds) std::abort();
}

class Fields final : public ObjectFields {
 public:
  const Type* Find(std::string_view name) const override {
    static const std::map<std::string_view, Type> types = {{"name", Type::String()},
                                                           {"replicas", Type::Int()},
                                                           {"tags", Type::List(Type::String())},
                                                           {"any", Type::Dyn()},
                                                           {"labels", Type::Map(Type::String(), Type::String())},
                                                           {"created", Type::Timestamp()}};
    const auto found = types.find(name);
    return found == types.end() ? nullptr : &found->second;
  }
};

const Environment& SampleEnvironment() {
  static const Environment& environment = *[] {
    const Type self = Type::Object("Self", std::make_shared<Fields>());
    auto* made = new Environment{.functions = &KubernetesFunctions(), .types = KubernetesTypes()};
    made->variables = {{"self", self},
                       {"oldSelf", Type::Optional(self)},
                       {"a.b", Type::Int()},
                       {"d", Type::Dyn()},
                       {"items", Type::List(self)}};
    made->types.push_back(self);
    return made;
  }();
  return environment;
}

class TreeCheck {
 public:
  explicit TreeCheck(const Ast& ast) : ast_(ast) {}

  void Visit(const Expr& expr) {
    Require(!expr.type.has_type_params() && !expr.type.Is(TypeKind::kError));
    Require(expr.offset >= 0 && static_cast<size_t>(expr.offset) <= ast_.source.size());
    switch (expr.kind) {
      case ExprKind::kError: std::abort();
      case ExprKind::kIdent:
        Require(expr.meaning != IdentMeaning::kUnresolved);
        if (expr.meaning == IdentMeaning::kLocal) RequireSlot(expr.slot);
        if (expr.meaning == IdentMeaning::kVariable) {
          Require(expr.slot >= 0 && static_cast<size_t>(expr.slot) < SampleEnvironment().variables.size());
        }
        break;
      case ExprKind::kCall:
        if (expr.name != operators::kOptionalSelect) Require(expr.function != nullptr && !expr.overloads.empty());
        break;
      case ExprKind::kComprehension:
        RequireSlot(expr.comprehension->accumulator_slot);
        RequireSlot(expr.comprehension->variable_slot);
        if (!expr.comprehension->variable2.empty()) RequireSlot(expr.comprehension->variable2_slot);
        break;
      default: break;
    }
    VisitParts(expr);
  }

 private:
  void RequireSlot(int slot) const { Require(slot >= 0 && slot < ast_.local_count); }

  void VisitParts(const Expr& expr) {
    if (expr.operand != nullptr) Visit(*expr.operand);
    for (const Expr* arg : expr.args) Visit(*arg);
    for (const Entry& entry : expr.entries) {
      if (entry.key != nullptr) Visit(*entry.key);
      Visit(*entry.value);
    }
    if (expr.comprehension == nullptr) return;
    const Comprehension& loop = *expr.comprehension;
    for (const Expr* part : {loop.range, loop.init, loop.condition, loop.step, loop.result}) Visit(*part);
  }

  const Ast& ast_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Ast ast = Compile(text, SampleEnvironment());
  Require(ast.errors.empty() == ast.ErrorText().empty());
  if (ast.errors.empty()) TreeCheck(ast).Visit(*ast.root);
  const Ast again = Compile(text, SampleEnvironment());
  Require(ast.ErrorText() == again.ErrorText());
  return 0;
}
