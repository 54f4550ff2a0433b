#include "keelson/api/label_selector_struct.h"

#include <utility>
#include <vector>

#include "keelson/api/internal/quote.h"

namespace keelson::labels {
namespace {

Result<Operator> ReadOperator(std::string_view name) {
  if (name == "In") return Operator::kIn;
  if (name == "NotIn") return Operator::kNotIn;
  if (name == "Exists") return Operator::kExists;
  if (name == "DoesNotExist") return Operator::kDoesNotExist;
  return Error::InvalidArgument(keelson::internal::Quote(name) + " is not a valid label selector operator");
}

}  // namespace

Result<Selector> FromStruct(const metav1::LabelSelector& selector) {
  std::vector<Requirement> requirements;
  requirements.reserve(selector.matchLabels.size() + selector.matchExpressions.size());
  for (const auto& [key, value] : selector.matchLabels) {
    KEELSON_TRY(requirement, Requirement::Make(key.str(), Operator::kEquals, {value.str()}));
    requirements.push_back(std::move(requirement));
  }
  for (const metav1::LabelSelectorRequirement& expression : selector.matchExpressions) {
    KEELSON_TRY(op, ReadOperator(expression.operator_));
    std::vector<std::string> values;
    for (const String& value : expression.values) values.push_back(value.str());
    KEELSON_TRY(requirement, Requirement::Make(expression.key.str(), op, std::move(values)));
    requirements.push_back(std::move(requirement));
  }
  return Selector::Of(std::move(requirements));
}

Result<Selector> FromStruct(const Optional<metav1::LabelSelector>& selector) {
  if (!selector.has_value()) return Selector::Nothing();
  return FromStruct(*selector);
}

std::string Format(const metav1::LabelSelector& selector) {
  const Result<Selector> converted = FromStruct(selector);
  if (!converted) return "<error>";
  std::string text = converted->ToString();
  return text.empty() ? "<none>" : text;
}

}  // namespace keelson::labels
