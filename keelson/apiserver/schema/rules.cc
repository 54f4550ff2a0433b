#include "keelson/apiserver/schema/rules.h"

#include <fmt/format.h>

#include "keelson/apiserver/go_text.h"
#include "keelson/apiserver/schema/correlate.h"
#include "keelson/apiserver/schema/rule_compile.h"
#include "keelson/apiserver/schema/rule_shape.h"

namespace keelson::apiserver {

namespace {

constexpr uint64_t kCallLimit = 1'000'000;
constexpr int64_t kObjectBudget = 10'000'000;
constexpr size_t kMaxMessageBytes = 5 * 1024;
constexpr std::string_view kCallLimitExceeded = "operation cancelled: actual cost limit exceeded";
constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

std::string_view TypeText(SchemaType type) {
  switch (type) {
    case SchemaType::kObject: return "object";
    case SchemaType::kArray: return "array";
    case SchemaType::kString: return "string";
    case SchemaType::kInteger: return "integer";
    case SchemaType::kNumber: return "number";
    case SchemaType::kBoolean: return "boolean";
    case SchemaType::kAny: break;
  }
  return "";
}

// How messages name a rule.
std::string_view NameOf(const SchemaRule& rule) { return TrimSpace(rule.message.empty() ? rule.rule : rule.message); }

}  // namespace

// A place of the schema that has rules, or has such a place below.
struct SchemaRules::Node {
  const Schema* schema = nullptr;
  const SchemaShape* shape = nullptr;
  const std::vector<SchemaRule>* sources = nullptr;
  std::vector<CompiledRule> rules = {};  // in the order of `sources`
  std::string compile_error = {};        // of the place as a whole
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> properties = {};
  std::unique_ptr<Node> items = nullptr;
  std::unique_ptr<Node> values = nullptr;
  std::vector<std::unique_ptr<Node>> all_of = {};

  bool IsNeeded() const {
    return !rules.empty() || !compile_error.empty() || !properties.empty() || items != nullptr || values != nullptr ||
           !all_of.empty();
  }
};

class SchemaRules::Compiler {
 public:
  // `rules` is the schema that brings rules: `schema` itself, or one of its allOf.
  static std::unique_ptr<Node> Compile(const Schema& rules, const Schema& schema, const SchemaShape& shape,
                                       bool resource_root) {
    auto node = std::make_unique<Node>();
    node->schema = &schema;
    node->shape = &shape;
    node->sources = &rules.rules;
    if (!rules.rules.empty()) CompileRules(*node, resource_root);
    if (rules.items != nullptr && schema.items != nullptr) {
      node->items = Compile(*rules.items, *schema.items, *shape.items(), schema.items->embedded_resource);
    }
    for (const Schema::Property& property : rules.properties) CompileProperty(property, *node);
    if (rules.additional != nullptr && schema.additional != nullptr && shape.values() != nullptr) {
      node->values =
          Compile(*rules.additional, *schema.additional, *shape.values(), schema.additional->embedded_resource);
    }
    for (const Schema& part : rules.all_of) {
      std::unique_ptr<Node> below = Compile(part, schema, shape, resource_root);
      if (below != nullptr) node->all_of.push_back(std::move(below));
    }
    return node->IsNeeded() ? std::move(node) : nullptr;
  }

 private:
  static void CompileRules(Node& node, bool resource_root) {
    const std::unique_ptr<DeclaredType> declared = DeclareSelf(*node.schema, resource_root);
    if (declared == nullptr) {
      node.compile_error = "failed to convert to declType for CEL validation rules";
      return;
    }
    for (const SchemaRule& rule : *node.sources) {
      node.rules.push_back(CompileRule(*node.schema, rule, *declared, RuleUse::kRun));
    }
  }

  static void CompileProperty(const Schema::Property& rules, Node& node) {
    if (!rules.schema.has_rules) return;
    const Schema* schema = node.schema->FindProperty(rules.name);
    const SchemaShape* shape = node.shape->Property(rules.name);
    if (schema == nullptr || shape == nullptr) return;
    std::unique_ptr<Node> below = Compile(rules.schema, *schema, *shape, schema->embedded_resource);
    if (below != nullptr) node.properties.emplace_back(rules.name, std::move(below));
  }
};

// One object under evaluation.
class SchemaRules::Walk {
 public:
  Walk(const Document* old, FieldErrors& errors, std::vector<std::string>& warnings)
      : old_(old), errors_(errors), warnings_(warnings) {}

  int64_t budget() const { return budget_; }

  // False once the budget is used up.
  bool Root(const SchemaRules& rules, const Document& document) {
    static const Json kNothing = Json::Object();
    const auto content_of = [](const Document& d) -> const Json& {
      return d.content.is_object() ? d.content : kNothing;
    };
    const Node& node = *rules.root_;
    const ResourceView view(*rules.shape_, rules.api_version_, rules.kind_, document.metadata, content_of(document));
    std::optional<ResourceView> old_view;
    if (old_ != nullptr) {
      old_view.emplace(*rules.shape_, rules.api_version_, rules.kind_, old_->metadata, content_of(*old_));
    }
    const Path path("");
    // The root as a whole counts as changed: its metadata is nothing that a schema specifies in full.
    const Past past{node.schema, &view.content(), nullptr};
    const cel::Value self = view.AsValue();
    const cel::Value old_self = old_view ? old_view->AsValue() : cel::Value();
    if (!RunRules(node, path, view.content(), self, old_view ? &old_self : nullptr, nullptr)) return false;
    for (const std::unique_ptr<Node>& part : node.all_of) {
      if (!RunRules(*part, path, view.content(), self, old_view ? &old_self : nullptr, nullptr)) return false;
      if (!RootMembers(*part, path, view, old_view, nullptr)) return false;
    }
    return RootMembers(node, path, view, old_view, old_view ? &past : nullptr);
  }

 private:
  // A part of the object and what it was; what of an object has not changed is forgiven.
  struct Past {
    const Schema* schema;
    const Json* value;
    const Json* old;

    bool IsUnchanged() const { return old != nullptr && apiserver::IsUnchanged(*schema, *value, *old); }
  };

  // False once the budget is used up.
  bool RootMembers(const Node& node, const Path& path, const ResourceView& view,
                   const std::optional<ResourceView>& old_view, const Past* past) {
    for (const auto& [name, below] : node.properties) {
      const bool is_metadata = name == "metadata";
      const Json* value = is_metadata ? &view.metadata() : view.content().find(name);
      const Json* old = nullptr;
      if (old_view) old = is_metadata ? &old_view->metadata() : old_view->content().find(name);
      if (value != nullptr && !Visit(*below, path / name, *value, old, past, nullptr)) return false;
    }
    return true;
  }

  // `past` is that of the part that this is a member of; null where there is none. `nearest` is that of the nearest
  // part above which has one.
  bool Visit(const Node& node, const Path& path, const Json& value, const Json* old, const Past* parent,
             const Past* nearest) {
    if (value.is_null()) return true;
    const Past mine{node.schema, &value, old};
    const bool correlated = parent != nullptr && old != nullptr;
    const Past* above = parent != nullptr ? parent : nearest;
    return Apply(node, path, value, old, correlated ? &mine : nullptr, above);
  }

  bool Apply(const Node& node, const Path& path, const Json& value, const Json* old, const Past* current,
             const Past* nearest) {
    if (old != nullptr && old->is_null()) old = nullptr;
    if (!node.rules.empty() || !node.compile_error.empty()) {
      const cel::Value self = node.shape->Wrap(value, self_arena_);
      const cel::Value old_self = old != nullptr ? node.shape->Wrap(*old, self_arena_) : cel::Value();
      if (!RunRules(node, path, value, self, old != nullptr ? &old_self : nullptr,
                    current != nullptr ? current : nearest)) {
        return false;
      }
    }
    for (const std::unique_ptr<Node>& part : node.all_of) {
      if (!Apply(*part, path, value, old, nullptr, nearest)) return false;
    }
    if (value.is_list()) return Items(node, path, value, old, current, nearest);
    if (value.is_object()) return Members(node, path, value, old, current, nearest);
    return true;
  }

  bool Members(const Node& node, const Path& path, const Json& value, const Json* old, const Past* current,
               const Past* nearest) {
    const auto before = [&](std::string_view name) { return old != nullptr ? old->find(name) : nullptr; };
    if (node.values != nullptr) {
      for (const auto& [key, member] : value.object()) {
        if (!Visit(*node.values, path.Key(key), member, before(key), current, nearest)) return false;
      }
    }
    for (const auto& [name, below] : node.properties) {
      const Json* member = value.find(name);
      if (member != nullptr && !Visit(*below, path / name, *member, before(name), current, nearest)) return false;
    }
    return true;
  }

  bool Items(const Node& node, const Path& path, const Json& value, const Json* old, const Past* current,
             const Past* nearest) {
    if (node.items == nullptr) return true;
    static const Json kNull;
    const OldElements elements(*node.schema, old != nullptr ? *old : kNull);
    for (size_t i = 0; i < value.list().size(); ++i) {
      const Json& item = value.list()[i];
      if (!Visit(*node.items, path[i], item, elements.Find(item), current, nearest)) return false;
    }
    return true;
  }

  void Invalid(const Node& node, const Path& path, std::string_view detail) {
    errors_.Invalid(path, Json(TypeText(node.schema->type)), detail);
  }

  // False once the budget is used up. `past` decides whether what is wrong is forgiven.
  bool RunRules(const Node& node, const Path& path, const Json& value, const cel::Value& self,
                const cel::Value* old_self, const Past* past) {
    if (!node.compile_error.empty()) {
      Invalid(node, path, "rule compiler initialization error: " + node.compile_error);
      return true;
    }
    if (node.rules.empty()) return true;
    if (budget_ <= 0) {
      Invalid(node, path, kOutOfBudget);
      return false;
    }
    for (size_t i = 0; i < node.rules.size(); ++i) {
      if (!RunRule(node, i, path, value, self, old_self, past)) return false;
    }
    return true;
  }

  bool RunRule(const Node& node, size_t index, const Path& path, const Json& value, const cel::Value& self,
               const cel::Value* old_self, const Past* past) {
    const CompiledRule& rule = node.rules[index];
    const SchemaRule& source = (*node.sources)[index];
    if (!rule.error.empty()) {
      Invalid(node, path, "rule compile error: " + rule.error);
      return true;
    }
    if (!rule.program || (rule.uses_old_self && old_self == nullptr && !rule.optional_old_self)) return true;
    cel::Value variables[2] = {self, old_self != nullptr ? *old_self : cel::Value()};
    if (rule.optional_old_self) {
      variables[kOldSelf] = old_self != nullptr ? cel::Value::OfOptional(old_self) : cel::Value::None();
    }
    arena_.Clear();
    cel::EvalContext context(arena_, kCallLimit);
    const cel::Value result = rule.program->Evaluate(context, variables);
    if (!Spend(context.cost())) {
      Invalid(node, path, kOutOfBudget);
      return false;
    }
    if (result.is_error()) return ReportError(node, source, path, result.text());
    if (result.is_true()) return true;
    return ReportFailure(node, rule, source, path, value, variables, past);
  }

  bool Spend(uint64_t cost) {
    if (cost > static_cast<uint64_t>(budget_)) return false;
    budget_ -= static_cast<int64_t>(cost);
    return true;
  }

  bool ReportError(const Node& node, const SchemaRule& source, const Path& path, std::string_view error) {
    if (error.starts_with("no such overload")) {
      Invalid(node, path,
              fmt::format("'{}': call arguments did not match a supported operator, function or macro signature for "
                          "rule: {}",
                          error, NameOf(source)));
    } else if (error.starts_with(kCallLimitExceeded)) {
      Invalid(node, path,
              fmt::format("'{}': no further validation rules will be run due to call cost exceeds limit for rule: {}",
                          error, NameOf(source)));
      return false;
    } else {
      Invalid(node, path, fmt::format("{} evaluating rule: {}", error, NameOf(source)));
    }
    return true;
  }

  // What a message expression comes to. `stop`: no further rules, and `text` is why.
  struct Message {
    std::string text = {};  // empty: none of use
    bool stop = false;
  };

  Message MakeMessage(const CompiledRule& rule, const SchemaRule& source, std::span<const cel::Value> variables) {
    if (!rule.message) return {};
    cel::Arena arena;
    cel::EvalContext context(arena, kCallLimit);
    const cel::Value result = rule.message->Evaluate(context, variables);
    if (!Spend(context.cost())) {
      return {
          "messageExpression evaluation failed due to running out of cost budget, no further validation rules will "
          "be run",
          true};
    }
    if (result.is_error()) {
      if (!result.text().starts_with(kCallLimitExceeded)) return {};
      return {"no further validation rules will be run due to call cost exceeds limit for messageExpression: " +
                  Quoted(source.message_expression),
              true};
    }
    if (!result.is_string()) return {};
    const std::string_view text = TrimSpace(result.text());
    if (text.size() > kMaxMessageBytes || text.find('\n') != std::string_view::npos) return {};
    return {std::string(text)};
  }

  bool ReportFailure(const Node& node, const CompiledRule& rule, const SchemaRule& source, const Path& path,
                     const Json& value, std::span<const cel::Value> variables, const Past* past) {
    const Path below = path / rule.field_path;
    const Path& field = rule.field_path.empty() ? path : below;
    Message message = MakeMessage(rule, source, variables);
    FieldErrors found;
    if (message.stop) {
      found.Invalid(field, Json(TypeText(node.schema->type)), message.text);
    } else {
      if (message.text.empty()) {
        message.text =
            source.message.empty() ? fmt::format("failed rule: {}", NameOf(source)) : std::string(NameOf(source));
      }
      AddFailure(node, source, field, value, message.text, found);
    }
    // A transition rule tells of the change itself.
    if (!rule.uses_old_self && past != nullptr && past->IsUnchanged()) {
      for (const metav1::StatusCause& cause : found.causes()) {
        warnings_.push_back(fmt::format("{}: {}", cause.field.view(), cause.message.view()));
      }
    } else if (message.stop) {
      errors_.Invalid(field, Json(TypeText(node.schema->type)), message.text);
    } else {
      AddFailure(node, source, field, value, message.text, errors_);
    }
    return !message.stop;
  }

  static void AddFailure(const Node& node, const SchemaRule& source, const Path& field, const Json& value,
                         std::string_view detail, FieldErrors& errors) {
    const bool hidden = node.schema->type == SchemaType::kObject || node.schema->type == SchemaType::kArray;
    if (source.reason == "FieldValueForbidden") {
      errors.Forbidden(field, detail);
    } else if (source.reason == "FieldValueRequired") {
      errors.Required(field, detail);
    } else if (source.reason == "FieldValueDuplicate") {
      errors.Duplicate(field, value);
    } else if (hidden) {
      errors.InvalidHidden(field, detail);
    } else {
      errors.Invalid(field, value, detail);
    }
  }

  const Document* old_;
  FieldErrors& errors_;
  std::vector<std::string>& warnings_;
  int64_t budget_ = kObjectBudget;
  cel::Arena arena_;       // of one evaluation
  cel::Arena self_arena_;  // of the values that rules start from
};

SchemaRules::~SchemaRules() = default;

std::shared_ptr<const SchemaRules> SchemaRules::Compile(SchemaPtr schema, std::string api_version, std::string kind) {
  std::shared_ptr<SchemaRules> rules(new SchemaRules());
  rules->schema_ = std::move(schema);
  rules->api_version_ = std::move(api_version);
  rules->kind_ = std::move(kind);
  if (rules->schema_ == nullptr || !rules->schema_->has_rules) return rules;
  const Schema& root = *rules->schema_;
  auto shape = std::make_unique<SchemaShape>(root, true);
  rules->root_ = Compiler::Compile(root, root, *shape, true);
  rules->shape_ = std::move(shape);
  return rules;
}

int64_t SchemaRules::Validate(const Document& document, const Document* old, FieldErrors& errors,
                              std::vector<std::string>& warnings) const {
  if (root_ == nullptr) return kObjectBudget;
  Walk walk(old, errors, warnings);
  return walk.Root(*this, document) ? walk.budget() : -1;
}

}  // namespace keelson::apiserver
