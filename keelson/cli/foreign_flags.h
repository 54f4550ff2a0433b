// Flags of a program that this one stands in for: what is known is taken, what is not is passed over with a warning.
//
//   constexpr ForeignFlag kFlags[] = {{.name = "secure-port", .value = "port", .help = "…"}, {.name =
//   "allow-privileged"}}; KEELSON_TRY(flags, ForeignFlags::Parse(arguments, kFlags));
//   flags.Get("secure-port").value_or("6443");
//
// Read as Go's libraries read them: `--name=value` or `--name value`; a flag without a value name is a switch, which
// takes a value only behind `=`; one dash is as good as two, and -h is --help; the last of several wins; `--` ends
// them. Of an unknown flag without `=` the next argument is its value unless that begins with a dash, as pflag has it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/result.h"

namespace keelson::cli {

struct ForeignFlag {
  std::string_view name;
  std::string_view value = {};  // what the help calls its value; empty: a switch
  std::string_view help = {};   // empty: taken, and changes nothing here
};

class ForeignFlags {
 public:
  // Errors: a known flag without its value.
  static Result<ForeignFlags> Parse(const std::vector<std::string>& arguments, std::span<const ForeignFlag> known);

  // Nothing when it was not given. A switch without `=` is "true".
  std::optional<std::string> Get(std::string_view name) const;
  bool IsTrue(std::string_view name) const;

  // As they were given, without their values.
  const std::vector<std::string>& unknown() const { return unknown_; }
  // What is no flag.
  const std::vector<std::string>& arguments() const { return arguments_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> unknown_;
  std::vector<std::string> arguments_;
};

// A line for each flag, those that mean something first.
std::string DescribeFlags(std::span<const ForeignFlag> known);

}  // namespace keelson::cli
