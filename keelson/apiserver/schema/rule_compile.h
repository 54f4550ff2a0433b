// One rule of a schema made ready: to run on objects, or to be checked when its definition is written.
//
//   CompiledRule rule = CompileRule(schema, schema.rules[0], declared, RuleUse::kRun);
//   if (!rule.error.empty()) …              // "compilation failed: ERROR: <input>:1:1: …"
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "keelson/apiserver/cel/program.h"
#include "keelson/apiserver/schema/rule_types.h"
#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

// The places of the variables of a rule.
inline constexpr int kSelf = 0;
inline constexpr int kOldSelf = 1;

struct CompiledRule {
  std::optional<cel::Program> program = {};  // none when there is an error, or nothing to run
  std::string error = {};
  bool uses_old_self = false;
  bool optional_old_self = false;
  std::optional<cel::Program> message = {};
  std::string message_error = {};
  std::string field_path = {};  // ".spec['a.b']" as "spec[a.b]"; empty when there is none
  // With RuleUse::kCheck: what they are estimated to cost at most.
  uint64_t max_cost = 0;
  uint64_t message_max_cost = 0;
};

enum class RuleUse : uint8_t { kRun, kCheck };

// `schema` is where the rule stands, `declared` its type.
CompiledRule CompileRule(const Schema& schema, const SchemaRule& rule, const DeclaredType& declared, RuleUse use);

}  // namespace keelson::apiserver
