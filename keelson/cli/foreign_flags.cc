#include "keelson/cli/foreign_flags.h"

#include <fmt/format.h>

namespace keelson::cli {
namespace {

const ForeignFlag* Find(std::span<const ForeignFlag> known, std::string_view name) {
  for (const ForeignFlag& flag : known) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

std::string Line(const ForeignFlag& flag) {
  const std::string head =
      flag.value.empty() ? fmt::format("      --{}", flag.name) : fmt::format("      --{} {}", flag.name, flag.value);
  return flag.help.empty() ? head + "\n" : fmt::format("{:<44} {}\n", head, flag.help);
}

}  // namespace

Result<ForeignFlags> ForeignFlags::Parse(const std::vector<std::string>& arguments,
                                         std::span<const ForeignFlag> known) {
  ForeignFlags flags;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--") {
      flags.arguments_.insert(flags.arguments_.end(), arguments.begin() + static_cast<ptrdiff_t>(i) + 1,
                              arguments.end());
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      flags.arguments_.emplace_back(argument);
      continue;
    }
    std::string_view name = argument.substr(argument.starts_with("--") ? 2 : 1);
    std::optional<std::string> value;
    if (const size_t equals = name.find('='); equals != std::string_view::npos) {
      value = std::string(name.substr(equals + 1));
      name = name.substr(0, equals);
    }
    if (name == "h") name = "help";
    const ForeignFlag* flag = Find(known, name);
    if (flag == nullptr) {
      flags.unknown_.emplace_back(argument.substr(0, argument.find('=')));
      if (!value && i + 1 < arguments.size() && !arguments[i + 1].starts_with('-')) ++i;
      continue;
    }
    if (!value && flag->value.empty()) value = "true";
    if (!value) {
      if (i + 1 == arguments.size()) {
        return Error::InvalidArgument(fmt::format("flag needs an argument: --{}", name));
      }
      value = arguments[++i];
    }
    flags.values_.insert_or_assign(std::string(name), std::move(*value));
  }
  return flags;
}

std::optional<std::string> ForeignFlags::Get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

bool ForeignFlags::IsTrue(std::string_view name) const {
  const std::optional<std::string> value = Get(name);
  return value == "true" || value == "1" || value == "t" || value == "T" || value == "TRUE" || value == "True";
}

std::string DescribeFlags(std::span<const ForeignFlag> known) {
  std::string used;
  std::string taken;
  for (const ForeignFlag& flag : known) (flag.help.empty() ? taken : used) += Line(flag);
  return fmt::format(
      "Flags:\n{}\nTaken, and without a meaning here:\n{}\n"
      "Any other flag is passed over with a warning.\n",
      used, taken);
}

}  // namespace keelson::cli
