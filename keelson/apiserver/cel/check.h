// Gives types to the tree of a CEL expression and resolves its names.
//
//   Environment environment{.functions = &functions, .variables = {{"self", self_type}, {"oldSelf", self_type}}};
//   Ast ast = Compile("self.replicas >= oldSelf.replicas", environment);
//   if (!ast.errors.empty()) return Invalid(ast.ErrorText());
//   ast.type() == Type::Bool();  ast.root->overloads;
//
// Compile asks for more than the language: that literals of lists and maps are homogeneous, and that constants which
// are read at compile time can be read. So does Kubernetes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/cel/ast.h"
#include "keelson/apiserver/cel/parse.h"
#include "keelson/apiserver/cel/type.h"

namespace keelson::apiserver::cel {

class FunctionTable;  // function.h

struct Variable {
  std::string name;  // may have dots: "a.b"
  Type type;
};

// What an expression can refer to. `functions` outlives every Ast checked with it.
struct Environment {
  const FunctionTable* functions = nullptr;
  std::vector<Variable> variables = {};
  // Types that expressions can name besides those of the language: "kubernetes.URL". Objects can be made of the object
  // types among them.
  std::vector<Type> types = {};
};

// Adds errors to ast.errors when there are any; then the tree is of no use. `ast` must have been parsed without errors.
void Check(Ast& ast, const Environment& environment);

// Parse, Check, then what is asked of literals (literal_checks.h, string_format.h).
Ast Compile(std::string_view source, const Environment& environment);

}  // namespace keelson::apiserver::cel
