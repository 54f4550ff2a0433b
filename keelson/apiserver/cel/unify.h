// Finds out types: which type a free variable stands for, and whether one type can be used where another is wanted.
//
//   Unifier unifier;
//   Type element = unifier.NewVariable();                                     // of an empty list
//   unifier.IsAssignable(Type::List(element), Type::List(Type::Int()));       // true: from now on element is int
//   unifier.Substitute(element, false);                                       // int
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "keelson/apiserver/cel/type.h"

namespace keelson::apiserver::cel {

class Unifier {
 public:
  // What an expression may take before it is given up, so that none can keep the server busy.
  static constexpr int kMostSteps = 5'000'000;
  static constexpr uint32_t kLargestType = 1000;

  Type NewVariable();

  // Whether a value of type `from` can be used as `to`. When so, what that says of free variables is kept.
  bool IsAssignable(const Type& from, const Type& to);
  bool IsAssignable(std::span<const Type> from, std::span<const Type> to);

  // With free variables replaced by what they stand for; those that stand for nothing by dyn if `rest_is_dyn`.
  Type Substitute(const Type& type, bool rest_is_dyn);

  // The more general of two types one of which is assignable to the other.
  static const Type& MostGeneral(const Type& a, const Type& b);

  // A limit was exceeded: answers are not to be trusted any more.
  bool exhausted() const { return exhausted_; }

 private:
  enum class Fit { kYes, kNo, kUnbound };

  bool Assignable(const Type& from, const Type& to);
  bool AssignableAll(std::span<const Type> from, std::span<const Type> to);
  Fit FitVariable(const Type& type, const Type& variable);
  bool Occurs(const Type& variable, const Type& in);
  const Type* Find(const Type& type) const;
  void Bind(const Type& variable, const Type& type);
  void Undo(size_t to);
  bool Step();

  std::vector<std::optional<Type>> bindings_;  // by number of the variable
  struct Change {
    int variable;
    std::optional<Type> before;
  };
  std::vector<Change> changes_;
  int steps_ = 0;
  bool exhausted_ = false;
};

}  // namespace keelson::apiserver::cel
