#include "keelson/apiserver/schema/rule_compile.h"

#include "keelson/apiserver/cel/check.h"
#include "keelson/apiserver/cel/library.h"
#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver {

namespace {

bool UsesOldSelf(const cel::Ast& ast) {
  std::vector<const cel::Expr*> pending = {ast.root};
  while (!pending.empty()) {
    const cel::Expr* expr = pending.back();
    pending.pop_back();
    if (expr == nullptr) continue;
    if (expr->kind == cel::ExprKind::kIdent && expr->meaning == cel::IdentMeaning::kVariable &&
        expr->slot == kOldSelf) {
      return true;
    }
    pending.push_back(expr->operand);
    pending.insert(pending.end(), expr->args.begin(), expr->args.end());
    for (const cel::Entry& entry : expr->entries) {
      pending.push_back(entry.key);
      pending.push_back(entry.value);
    }
    if (const cel::Comprehension* loop = expr->comprehension.get()) {
      pending.insert(pending.end(), {loop->range, loop->init, loop->condition, loop->step, loop->result});
    }
  }
  return false;
}

// A quoted name of a path without its quotes; nothing when it is not well-formed.
std::optional<std::string> Unquoted(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.front() != '\'' || quoted.back() != '\'') return std::nullopt;
  quoted = quoted.substr(1, quoted.size() - 2);
  std::string name;
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 == quoted.size()) {
      name += quoted[i];
      continue;
    }
    constexpr std::string_view kLetters = "abfnrtv'\\";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v'\\";
    const size_t letter = kLetters.find(quoted[++i]);
    if (letter == std::string_view::npos) return std::nullopt;
    name += kMeanings[letter];
  }
  return name;
}

// The field that a rule names, from where it stands, as errors show it. Empty when there is no such field.
std::string NormalizedPath(std::string_view text, const Schema& root) {
  const Schema* schema = &root;
  std::string path;
  while (!text.empty()) {
    std::string name;
    if (text[0] == '.') {
      const size_t end = text.find_first_of(".[]", 1);
      name = text.substr(1, end == std::string_view::npos ? end : end - 1);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end);
    } else if (text[0] == '[') {
      size_t close = text.size() > 1 && text[1] == '\'' ? text.find('\'', 2) : std::string_view::npos;
      while (close != std::string_view::npos && text[close - 1] == '\\') close = text.find('\'', close + 1);
      if (close == std::string_view::npos || text.substr(close + 1, 1) != "]") return {};
      const std::optional<std::string> unquoted = Unquoted(text.substr(1, close));
      if (!unquoted) return {};
      name = *unquoted;
      text = text.substr(close + 2);
    } else {
      return {};
    }
    if (schema == nullptr) return {};
    if (!schema->properties.empty()) {
      schema = schema->FindProperty(name);
      if (schema == nullptr) return {};
      path += (path.empty() ? "" : ".") + name;
    } else if (schema->additional_allowed || schema->additional != nullptr) {
      schema = schema->additional.get();
      path += "[" + name + "]";
    } else {
      return {};
    }
  }
  return path;
}

}  // namespace

CompiledRule CompileRule(const Schema& schema, const SchemaRule& rule, const DeclaredType& declared, RuleUse use) {
  CompiledRule compiled;
  if (TrimSpace(rule.rule).empty()) return compiled;
  compiled.optional_old_self = rule.optional_old_self.value_or(false);
  cel::Type old_type = compiled.optional_old_self ? cel::Type::Optional(declared.type) : declared.type;
  const cel::Environment environment{.functions = &cel::KubernetesFunctions(),
                                     .variables = {{"self", declared.type}, {"oldSelf", std::move(old_type)}},
                                     .types = cel::KubernetesTypes()};
  const cel::Ast ast = cel::Compile(rule.rule, environment);
  if (!ast.errors.empty()) {
    compiled.error = "compilation failed: " + ast.ErrorText();
    return compiled;
  }
  if (!ast.type().Is(cel::TypeKind::kBool)) {
    compiled.error = "cel expression must evaluate to a bool";
    return compiled;
  }
  compiled.uses_old_self = UsesOldSelf(ast);
  cel::Program program(ast);
  if (!program.error().empty()) {
    compiled.error = "program instantiation failed: " + program.error();
    return compiled;
  }
  const DeclaredSizes sizes(declared);
  if (use == RuleUse::kCheck) compiled.max_cost = cel::EstimateCost(ast, sizes).max;
  compiled.program = std::move(program);
  if (!rule.message_expression.empty()) {
    const cel::Ast message = cel::Compile(rule.message_expression, environment);
    if (!message.errors.empty()) {
      compiled.message_error = "messageExpression compilation failed: " + message.ErrorText();
      return compiled;
    }
    if (!message.type().Is(cel::TypeKind::kString)) {
      compiled.message_error = "messageExpression must evaluate to a string";
      return compiled;
    }
    cel::Program message_program(message);
    if (!message_program.error().empty()) {
      compiled.message_error = "messageExpression instantiation failed: " + message_program.error();
      return compiled;
    }
    if (use == RuleUse::kCheck) compiled.message_max_cost = cel::EstimateCost(message, sizes).max;
    compiled.message = std::move(message_program);
  }
  compiled.field_path = NormalizedPath(rule.field_path, schema);
  return compiled;
}

}  // namespace keelson::apiserver
