// The format texts of "%d of %s".format([1, "x"]): reading them, and checking them against arguments whose types are
// known, before anything is evaluated.
//
//   Ast ast = Compile(source, environment);
//   if (ast.errors.empty()) CheckFormatCalls(ast);     // "error during formatting: decimal clause can only be used …"
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/apiserver/cel/ast.h"

namespace keelson::apiserver::cel {

struct FormatClause {
  char verb;  // one of s d f e b x X o
  std::optional<int> precision;
};

// What is wrong with a clause's argument; `where` is the argument that is to blame, if it is known.
struct FormatFailure {
  std::string message;
  const Expr* where = nullptr;
};

class FormatSink {
 public:
  virtual ~FormatSink() = default;
  virtual void Literal(char c) = 0;
  // Called before the clause of an argument is read; a message when there is no such argument.
  virtual std::optional<std::string> Request(size_t argument) = 0;
  virtual size_t ArgumentCount() const = 0;
  virtual std::optional<FormatFailure> Clause(const FormatClause& clause, size_t argument) = 0;
};

// Nothing when all went well.
std::optional<FormatFailure> ReadFormat(std::string_view format, FormatSink& sink);

// The message of a clause whose argument is of a wrong type.
std::string WrongFormatType(char verb, std::string_view type_name);

// Adds the errors of calls of format() whose text and arguments are literals.
void CheckFormatCalls(Ast& ast);

}  // namespace keelson::apiserver::cel
