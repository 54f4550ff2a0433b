// An expression and, behind the first zero byte, the document that it is evaluated over. Twice the same comes out, at
// the same cost, which never exceeds the limit by more than the last step.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/cel/check.h"
#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/program.h"
#include "keelson/codec/json_reader.h"

namespace {

using keelson::Json;
using keelson::apiserver::cel::Arena;
using keelson::apiserver::cel::Ast;
using keelson::apiserver::cel::Compile;
using keelson::apiserver::cel::DebugText;
using keelson::apiserver::cel::Environment;
using keelson::apiserver::cel::EvalContext;
using keelson::apiserver::cel::KubernetesFunctions;
using keelson::apiserver::cel::KubernetesTypes;
using keelson::apiserver::cel::Program;
using keelson::apiserver::cel::Type;
using keelson::apiserver::cel::UntypedShape;
using keelson::apiserver::cel::Value;

constexpr uint64_t kCostLimit = 20'000;

void Require(bool holds) {
  if (!holds) std::abort();
}

Json SampleDocument() {
  return Json::Object({{"name", "web"},
                       {"n", 3},
                       {"f", 0.5},
                       {"ok", true},
                       {"none", nullptr},
                       {"list", Json::Array({3, 1, 2})},
                       {"names", Json::Array({"a", "bb", "c\xc3\xa9"})},
                       {"items", Json::Array({Json::Object({{"name", "x"}, {"port", 80}})})},
                       {"labels", Json::Object({{"app", "web"}})}});
}

const Environment& RuleEnvironment() {
  static const Environment* const environment =
      new Environment{.functions = &KubernetesFunctions(),
                      .variables = {{"self", Type::Dyn()},
                                    {"s", Type::String()},
                                    {"i", Type::Int()},
                                    {"li", Type::List(Type::Int())},
                                    {"ms", Type::Map(Type::String(), Type::String())}},
                      .types = KubernetesTypes()};
  return *environment;
}

struct Outcome {
  std::string text;
  uint64_t cost;
  bool operator==(const Outcome&) const = default;
};

Outcome Run(const Program& program, const Json& document) {
  static const Json* const numbers = new Json(Json::Array({3, 1, 2}));
  static const Json* const texts = new Json(Json::Object({{"a", "1"}, {"b", "2"}}));
  Arena arena;
  EvalContext context(arena, kCostLimit);
  const std::vector<Value> variables = {UntypedShape().Wrap(document, arena), Value::OfString("hello"), Value::OfInt(7),
                                        UntypedShape().Wrap(*numbers, arena), UntypedShape().Wrap(*texts, arena)};
  const Value result = program.Evaluate(context, variables);
  Require(context.cancelled() || context.cost() <= kCostLimit);
  Require(!context.cancelled() || result.is_error());
  return {.text = DebugText(result, arena), .cost = context.cost()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t zero = input.find('\0');
  Json document = SampleDocument();
  if (zero != std::string_view::npos) {
    if (auto parsed = keelson::ParseJson(input.substr(zero + 1), {.max_depth = 100})) document = *std::move(parsed);
  }
  const Ast ast = Compile(input.substr(0, zero), RuleEnvironment());
  if (!ast.errors.empty()) return 0;
  const Program program(ast);
  if (!program.error().empty()) return 0;
  Require(Run(program, document) == Run(program, document));
  return 0;
}
