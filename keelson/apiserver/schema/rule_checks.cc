#include "keelson/apiserver/schema/rule_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "keelson/apiserver/cel/cost_estimate.h"
#include "keelson/apiserver/schema/rule_compile.h"
#include "keelson/apiserver/schema/rule_types.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr uint64_t kExpressionLimit = 10'000'000;
constexpr uint64_t kSchemaLimit = 100'000'000;
constexpr uint64_t kWorthMentioning = kSchemaLimit / 100;
constexpr size_t kMostExpensive = 4;

std::string TooExpensive(std::string_view what, uint64_t cost, uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  std::string shown;
  if (factor > 100) {
    shown = "more than 100x";
  } else if (factor < 1.5) {
    shown = fmt::format("{:f}x", factor);
  } else {
    shown = fmt::format("{:.1f}x", factor);
  }
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength "
      "where arrays, maps, and strings are declared)",
      what, shown);
}

// As Go's encoding/json writes text: what could be taken for HTML is escaped.
void AppendGoJson(std::string_view text, std::string& out) {
  for (const char c : ToJson(Json(text))) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += c;
    }
  }
}

// A rule as errors show it.
std::string Shown(const SchemaRule& rule) {
  std::string shown = "{";
  const auto member = [&](std::string_view name, std::string_view value) {
    shown.append(shown.size() > 1 ? ",\"" : "\"").append(name).append("\":");
    AppendGoJson(value, shown);
  };
  member("Rule", rule.rule);
  member("Message", rule.message);
  member("MessageExpression", rule.message_expression);
  if (rule.reason.empty()) {
    shown += ",\"Reason\":null";
  } else {
    member("Reason", rule.reason);
  }
  member("FieldPath", rule.field_path);
  shown += ",\"OptionalOldSelf\":";
  shown += !rule.optional_old_self ? "null" : *rule.optional_old_self ? "true" : "false";
  return shown + "}";
}

// Where in the schema a check is.
struct Place {
  const Schema& schema;
  bool resource_root = false;
  // How often there can be such data; nothing when it is only limited by the size of a request.
  std::optional<uint64_t> cardinality = 1;
  const Path* no_old_self_within = nullptr;  // the outermost part whose items cannot be told apart over time
};

class RuleChecker {
 public:
  RuleChecker(const RuleCheckOptions& options, FieldErrors& errors) : options_(options), errors_(errors) {}

  void Check(const Place& place, const Path& path) {
    const Schema& schema = place.schema;
    if (!schema.has_rules) return;
    const std::optional<uint64_t> below = CardinalityBelow(place);
    const auto check = [&](const Schema& inner, const Path* no_old_self_within, const Path& at) {
      Check({inner, inner.embedded_resource, below, no_old_self_within}, at);
    };
    if (schema.additional != nullptr)
      check(*schema.additional, place.no_old_self_within, path / "additionalProperties");
    const Path properties = path / "properties";
    for (const Schema::Property& property : schema.properties) {
      check(property.schema, place.no_old_self_within, properties.Key(property.name));
    }
    if (schema.items != nullptr) {
      const bool told_apart = schema.list_type == ListType::kMap;
      const bool outermost = place.no_old_self_within == nullptr && !told_apart;
      check(*schema.items, outermost ? &path : place.no_old_self_within, path / "items");
    }
    CheckRules(place, path / "x-kubernetes-validations");
  }

  // What all rules together cost.
  void CheckTotal(const Path& path) {
    if (total_ <= kSchemaLimit) return;
    for (const auto& [cost, rule_path] : most_expensive_) {
      errors_.Forbidden(Path(rule_path),
                        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema");
    }
    errors_.Forbidden(
        path, TooExpensive("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", total_,
                           kSchemaLimit));
  }

 private:
  static std::optional<uint64_t> CardinalityBelow(const Place& place) {
    if (!place.cardinality) return std::nullopt;
    const Schema& schema = place.schema;
    const bool map = schema.type == SchemaType::kObject && (schema.additional_allowed || schema.additional != nullptr);
    const bool list = schema.type == SchemaType::kArray;
    if (!map && !list) return place.cardinality;
    const std::optional<int64_t>& most = map ? schema.max_properties : schema.max_items;
    if (!most) return std::nullopt;
    return cel::MultiplySaturated(*place.cardinality, static_cast<uint64_t>(std::max<int64_t>(*most, 0)));
  }

  void CheckRules(const Place& place, const Path& path) {
    const std::vector<SchemaRule>& rules = place.schema.rules;
    if (rules.empty()) return;
    const std::unique_ptr<DeclaredType> declared = DeclareSelf(place.schema, place.resource_root);
    if (declared == nullptr) {
      errors_.Internal(
          path,
          "internal error: failed to construct type information for x-kubernetes-validations rules: unable "
          "to convert structural schema to CEL declarations");
      return;
    }
    const uint64_t times = place.cardinality.value_or(MaxCardinality(declared->min_serialized_size));
    for (size_t i = 0; i < rules.size(); ++i) CheckRule(place, *declared, rules[i], times, path[i]);
  }

  void CheckRule(const Place& place, const DeclaredType& declared, const SchemaRule& rule, uint64_t times,
                 const Path& path) {
    const CompiledRule compiled = CompileRule(place.schema, rule, declared, RuleUse::kCheck);
    const Path rule_path = path / "rule";
    const Path message_path = path / "messageExpression";
    const uint64_t cost = cel::MultiplySaturated(compiled.max_cost, times);
    if (!options_.any_cost && cost > kExpressionLimit) {
      errors_.Forbidden(rule_path, TooExpensive("estimated rule cost", cost, kExpressionLimit));
    }
    Observe(rule_path, cost);
    if (!compiled.error.empty()) errors_.InvalidShown(rule_path, Shown(rule), compiled.error);
    if (!compiled.message_error.empty()) {
      errors_.InvalidShown(message_path, Shown(rule), compiled.message_error);
    } else if (compiled.message) {
      if (!options_.any_cost && compiled.message_max_cost > kExpressionLimit) {
        errors_.Forbidden(message_path, TooExpensive("estimated messageExpression cost", compiled.message_max_cost,
                                                     kExpressionLimit));
      }
      Observe(message_path, compiled.message_max_cost);
    }
    if (compiled.uses_old_self) {
      if (place.no_old_self_within != nullptr) {
        errors_.Invalid(rule_path, Json(rule.rule),
                        fmt::format("oldSelf cannot be used on the uncorrelatable portion of the schema within {}",
                                    place.no_old_self_within->ToString()));
      }
    } else if (rule.optional_old_self) {
      errors_.Invalid(path / "optionalOldSelf", Json(*rule.optional_old_self),
                      "may not be set if oldSelf is not used in rule");
    }
  }

  void Observe(const Path& path, uint64_t cost) {
    total_ = cel::AddSaturated(total_, cost);
    if (cost < kWorthMentioning) return;
    const auto place = std::upper_bound(most_expensive_.begin(), most_expensive_.end(), cost,
                                        [](uint64_t wanted, const auto& entry) { return wanted > entry.first; });
    most_expensive_.emplace(place, cost, path.ToString());
    if (most_expensive_.size() > kMostExpensive) most_expensive_.resize(kMostExpensive);
  }

  const RuleCheckOptions& options_;
  FieldErrors& errors_;
  uint64_t total_ = 0;
  std::vector<std::pair<uint64_t, std::string>> most_expensive_;
};

}  // namespace

void CheckSchemaRules(const Schema& root, const RuleCheckOptions& options, const Path& path, FieldErrors& errors) {
  if (!root.has_rules) return;
  RuleChecker checker(options, errors);
  checker.Check({.schema = root, .resource_root = true}, path);
  checker.CheckTotal(path);
}

}  // namespace keelson::apiserver
