#include "keelson/apiserver/cel/unify.h"

namespace keelson::apiserver::cel {
namespace {

bool IsDynOrError(const Type& type) { return type.is_dyn() || type.Is(TypeKind::kError); }

bool IsEqualOrLessSpecific(const Type& a, const Type& b) {
  if (a.is_dyn() || a.Is(TypeKind::kTypeParam)) return true;
  if (b.is_dyn() || b.Is(TypeKind::kTypeParam)) return false;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      if (a.runtime_name() != b.runtime_name() || a.parameters().size() != b.parameters().size()) return false;
      for (size_t i = 0; i < a.parameters().size(); ++i) {
        if (!IsEqualOrLessSpecific(a.parameter(i), b.parameter(i))) return false;
      }
      return true;
    case TypeKind::kType: return true;
    default: return a == b;
  }
}

bool TakesNull(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kNull:
    case TypeKind::kOpaque:
    case TypeKind::kObject:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration: return true;
    default: return type.is_wrapper();
  }
}

}  // namespace

Type Unifier::NewVariable() {
  bindings_.emplace_back();
  return Type::FreeVariable(static_cast<int>(bindings_.size()) - 1);
}

bool Unifier::IsAssignable(const Type& from, const Type& to) {
  return IsAssignable(std::span<const Type>(&from, 1), std::span<const Type>(&to, 1));
}

bool Unifier::IsAssignable(std::span<const Type> from, std::span<const Type> to) {
  const size_t before = changes_.size();
  if (AssignableAll(from, to)) {
    changes_.clear();  // decisions are final once made: nothing goes back beyond them
    return true;
  }
  Undo(before);
  return false;
}

const Type& Unifier::MostGeneral(const Type& a, const Type& b) { return IsEqualOrLessSpecific(a, b) ? a : b; }

bool Unifier::AssignableAll(std::span<const Type> from, std::span<const Type> to) {
  if (from.size() != to.size()) return false;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!Assignable(from[i], to[i])) return false;
  }
  return true;
}

bool Unifier::Assignable(const Type& from, const Type& to) {
  if (!Step()) return false;
  if (to.Is(TypeKind::kTypeParam)) {
    const Fit fit = FitVariable(from, to);
    if (fit != Fit::kUnbound) return fit == Fit::kYes;
  }
  if (from.Is(TypeKind::kTypeParam)) return FitVariable(to, from) == Fit::kYes;
  if (IsDynOrError(from) || IsDynOrError(to)) return true;
  if (from.Is(TypeKind::kNull)) return TakesNull(to);
  if (to.Is(TypeKind::kNull)) return TakesNull(from);
  if (from.kind() != to.kind()) return false;
  switch (from.kind()) {
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return from.runtime_name() == to.runtime_name() && AssignableAll(from.parameters(), to.parameters());
    case TypeKind::kObject: return from.runtime_name() == to.runtime_name();
    default: return true;
  }
}

// Whether the variable can stand for the type; kUnbound: it stands for nothing, and cannot.
Unifier::Fit Unifier::FitVariable(const Type& type, const Type& variable) {
  if (type == variable) return Fit::kYes;
  if (const Type* found = Find(variable); found != nullptr) {
    const Type bound = *found;
    if (type == bound) return Fit::kYes;
    if (!Assignable(type, bound)) return Fit::kNo;
    const Type& general = MostGeneral(type, bound);
    if (!Occurs(variable, general)) Bind(variable, general);
    return Fit::kYes;
  }
  if (Occurs(variable, type)) return Fit::kUnbound;
  Bind(variable, type);
  return Fit::kYes;
}

bool Unifier::Occurs(const Type& variable, const Type& in) {
  if (!in.has_type_params()) return false;
  if (!Step()) return true;
  if (variable == in) return true;
  if (in.Is(TypeKind::kTypeParam)) {
    const Type* bound = Find(in);
    return bound != nullptr && Occurs(variable, *bound);
  }
  for (const Type& parameter : in.parameters()) {
    if (Occurs(variable, parameter)) return true;
  }
  return false;
}

Type Unifier::Substitute(const Type& type, bool rest_is_dyn) {
  if (!type.has_type_params()) return type;
  if (!Step()) return Type::Error();
  if (type.Is(TypeKind::kTypeParam)) {
    if (const Type* bound = Find(type); bound != nullptr) return Substitute(*bound, rest_is_dyn);
    return rest_is_dyn ? Type::Dyn() : type;
  }
  std::vector<Type> parameters;
  parameters.reserve(type.parameters().size());
  uint32_t size = 0;
  for (const Type& parameter : type.parameters()) {
    parameters.push_back(Substitute(parameter, rest_is_dyn));
    size += parameters.back().size();
    if (size > kLargestType) {
      exhausted_ = true;
      return Type::Error();
    }
  }
  switch (type.kind()) {
    case TypeKind::kList: return Type::List(std::move(parameters[0]));
    case TypeKind::kMap: return Type::Map(std::move(parameters[0]), std::move(parameters[1]));
    case TypeKind::kType: return Type::OfType(std::move(parameters[0]));
    default: return Type::Opaque(std::string(type.runtime_name()), std::move(parameters));
  }
}

const Type* Unifier::Find(const Type& type) const {
  const int number = type.variable_number();
  if (number < 0) return nullptr;
  const std::optional<Type>& bound = bindings_[static_cast<size_t>(number)];
  return bound ? &*bound : nullptr;
}

void Unifier::Bind(const Type& variable, const Type& type) {
  if (variable.variable_number() < 0) return;  // a parameter that stands for itself: A in the name of all lists
  std::optional<Type>& binding = bindings_[static_cast<size_t>(variable.variable_number())];
  changes_.push_back({variable.variable_number(), std::move(binding)});
  binding = type;
}

void Unifier::Undo(size_t to) {
  while (changes_.size() > to) {
    bindings_[static_cast<size_t>(changes_.back().variable)] = std::move(changes_.back().before);
    changes_.pop_back();
  }
}

bool Unifier::Step() {
  if (++steps_ > kMostSteps) exhausted_ = true;
  return !exhausted_;
}

}  // namespace keelson::apiserver::cel
