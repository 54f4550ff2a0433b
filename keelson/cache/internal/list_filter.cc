#include "keelson/cache/internal/list_filter.h"

#include <utility>

namespace keelson::internal {

namespace {

std::string KeyText(const ObjectModel& model, const void* object) {
  const ObjectIdentity identity = model.identify(object);
  return std::string(identity.namespace_).append("/").append(identity.name);
}

bool IsByIndex(const Store& store, const fields::Requirement& requirement) {
  return !requirement.value.empty() && store.HasIndex(requirement.field);
}

}  // namespace

Result<ListFilter> ListFilter::Make(const SharedInformer& informer, const ListOptions& options,
                                    std::string_view namespace_) {
  const Store& store = informer.store();
  const ObjectModel& model = informer.model();
  ListFilter filter(model, options.labels, namespace_);
  if (options.fields.matches_nothing()) return filter;

  const auto requirements = options.fields.Requirements();
  const fields::Requirement* narrowest = nullptr;
  for (const fields::Requirement& one : requirements) {
    if (one.op != fields::Operator::kEquals || !IsByIndex(store, one)) continue;
    Snapshot found = store.ByIndex(one.field, one.value).value();
    if (narrowest != nullptr && found.size() >= filter.candidates_.size()) continue;
    narrowest = &one;
    filter.candidates_ = std::move(found);
  }
  if (narrowest == nullptr) {
    filter.candidates_ = namespace_.empty() ? store.List() : store.ByIndex(Store::kNamespaceIndex, namespace_).value();
    filter.namespace_ = {};
  }

  for (const fields::Requirement& one : requirements) {
    if (&one == narrowest) continue;
    Condition condition{.requirement = &one, .path = {}, .by_index = IsByIndex(store, one)};
    if (condition.by_index) {
      const Snapshot found = store.ByIndex(one.field, one.value).value();
      for (const ObjectPtr& object : found) condition.indexed.insert(KeyText(model, object.get()));
    } else {
      KEELSON_TRY(path, FieldPath::Parse(one.field));
      // Whether the type has such a field can be told without an object.
      KEELSON_RETURN_IF_ERROR(ReadFieldText(*model.type, model.make().get(), path));
      condition.path = std::move(path);
    }
    filter.conditions_.push_back(std::move(condition));
  }
  return filter;
}

Result<bool> ListFilter::Matches(const void* object) const {
  if (!namespace_.empty() && model_.identify(object).namespace_ != namespace_) return false;
  if (!labels_.empty() && !model_.labels_match(object, labels_)) return false;
  for (const Condition& condition : conditions_) {
    bool equal;
    if (condition.by_index) {
      equal = condition.indexed.contains(KeyText(model_, object));
    } else {
      KEELSON_TRY(text, ReadFieldText(*model_.type, object, condition.path));
      equal = text.value_or("") == condition.requirement->value;
    }
    if (equal != (condition.requirement->op == fields::Operator::kEquals)) return false;
  }
  return true;
}

}  // namespace keelson::internal
