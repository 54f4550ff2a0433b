// Measures rules of custom resources: how long one takes to evaluate over a document, and to compile.
//
//   bench-cel [--benchmark_filter=Evaluate]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "keelson/apiserver/cel/check.h"
#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/cel/program.h"

namespace keelson::apiserver::cel {
namespace {

Json Document() {
  Json ten = Json::Array();
  for (int i = 0; i < 10; ++i) ten.list().push_back("item-" + std::to_string(i));
  Json ports = Json::Array();
  for (int i = 0; i < 10; ++i)
    ports.list().push_back(Json::Object({{"name", "p" + std::to_string(i)}, {"port", 8000 + i}}));
  return Json::Object({{"minReplicas", 1},
                       {"replicas", 3},
                       {"maxReplicas", 5},
                       {"name", "web-frontend"},
                       {"list", ten},
                       {"ports", ports},
                       {"labels", Json::Object({{"app", "web"}, {"tier", "front"}})}});
}

Environment RuleEnvironment() {
  return {.functions = &KubernetesFunctions(),
          .variables = {{"self", Type::Map(Type::String(), Type::Dyn())}},
          .types = KubernetesTypes()};
}

Ast CompileOrExit(const char* rule) {
  Ast ast = Compile(rule, RuleEnvironment());
  if (ast.errors.empty()) return ast;
  std::fprintf(stderr, "%s\n", ast.ErrorText().c_str());
  std::exit(1);
}

void Evaluate(benchmark::State& state, const char* rule) {
  const Program program(CompileOrExit(rule));
  const Json document = Document();
  Arena arena;
  uint64_t cost = 0;
  for (auto _ : state) {
    arena.Clear();
    const Value self = UntypedShape().Wrap(document, arena);
    EvalContext context(arena, 1'000'000);
    const Value result = program.Evaluate(context, {&self, 1});
    if (!result.is_true()) state.SkipWithError("the rule does not hold");
    cost = context.cost();
  }
  state.counters["cost"] = static_cast<double>(cost);
}

void CompileRule(benchmark::State& state, const char* rule) {
  for (auto _ : state) benchmark::DoNotOptimize(Program(CompileOrExit(rule)));
}

constexpr const char* kBounds = "self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas";
constexpr const char* kAll = "self.list.all(x, x.size() < 10)";
constexpr const char* kNested = "self.ports.all(p, self.ports.exists_one(q, q.port == p.port))";

BENCHMARK_CAPTURE(Evaluate, bounds, kBounds);
BENCHMARK_CAPTURE(Evaluate, all_of_ten, kAll);
BENCHMARK_CAPTURE(Evaluate, unique_of_ten, kNested);
BENCHMARK_CAPTURE(Evaluate, pattern, "self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')");
BENCHMARK_CAPTURE(Evaluate, has, "!has(self.suspend) || self.suspend == false");
BENCHMARK_CAPTURE(Evaluate, member, "self.labels['tier'] in ['front', 'back', 'data']");
BENCHMARK_CAPTURE(Evaluate, map_filter, "self.ports.filter(p, p.port > 8004).map(p, p.name).size() == 5");
BENCHMARK_CAPTURE(Evaluate, quantity, "quantity('1.5Gi').isGreaterThan(quantity('1G'))");
BENCHMARK_CAPTURE(CompileRule, bounds, kBounds);
BENCHMARK_CAPTURE(CompileRule, unique_of_ten, kNested);

}  // namespace
}  // namespace keelson::apiserver::cel

BENCHMARK_MAIN();
