#include "keelson/runtime/program_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "keelson/client/client_flags.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/core/log_flags.h"
#include "keelson/runtime/internal/flag_values.h"

namespace keelson {

namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

constexpr std::string_view kClientFlags[] = {"kubeconfig", "master", "context"};

bool IsHelp(std::string_view argument) {
  const internal::FlagArgument flag = internal::ReadFlagArgument(argument);
  return flag.is_flag && (flag.name == "h" || flag.name == "help");
}

std::string_view ProgramName(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "program";
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

ProgramFlags& ProgramFlags::AddFlag(Flag flag) {
  flags_.push_back(std::move(flag));
  return *this;
}
ProgramFlags& ProgramFlags::Add(std::string name, std::string* value, std::string help) {
  return AddFlag({std::move(name), value, std::move(help)});
}
ProgramFlags& ProgramFlags::Add(std::string name, bool* value, std::string help) {
  return AddFlag({std::move(name), value, std::move(help)});
}
ProgramFlags& ProgramFlags::Add(std::string name, int* value, std::string help, int least) {
  return AddFlag({std::move(name), Int{value, least}, std::move(help)});
}
ProgramFlags& ProgramFlags::Add(std::string name, double* value, std::string help) {
  return AddFlag({std::move(name), value, std::move(help)});
}
ProgramFlags& ProgramFlags::Add(std::string name, Duration* value, std::string help) {
  return AddFlag({std::move(name), value, std::move(help)});
}

const ProgramFlags::Flag* ProgramFlags::Find(std::string_view name) const {
  const auto found = std::ranges::find(flags_, name, &Flag::name);
  return found == flags_.end() ? nullptr : &*found;
}

Result<void> ProgramFlags::Set(const Flag& flag, std::string_view text) {
  const auto put = [](auto parsed, auto* value) -> Result<void> {
    if (!parsed) return std::move(parsed).error();
    *value = *parsed;
    return {};
  };
  return std::visit(
      Overloaded{[&](std::string* value) { return put(Result<std::string>(std::string(text)), value); },
                 [&](bool* value) { return put(internal::ParseBool(text), value); },
                 [&](const Int& number) { return put(internal::ParseNumber<int>(text, number.least), number.value); },
                 [&](double* value) { return put(internal::ParseNumber<double>(text, 0), value); },
                 [&](Duration* value) { return put(internal::ParseSpan(text), value); }},
      flag.value);
}

Result<std::vector<size_t>> ProgramFlags::Read(const std::vector<std::string>& arguments) const {
  std::vector<size_t> rest;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--"; ++i) {
    const internal::FlagArgument argument = internal::ReadFlagArgument(arguments[i]);
    const Flag* flag = argument.is_flag ? Find(argument.name) : nullptr;
    if (flag == nullptr) {
      rest.push_back(i);
      continue;
    }
    std::string_view value = "true";
    if (argument.has_value) {
      value = argument.value;
    } else if (!std::holds_alternative<bool*>(flag->value)) {
      if (i + 1 == arguments.size()) {
        return Error::InvalidArgument(fmt::format("flag {} needs a value and none follows", argument.written));
      }
      value = arguments[++i];
    }
    if (Result<void> set = Set(*flag, value); !set) {
      return std::move(set).error().WithContext(fmt::format("invalid value \"{}\" for flag --{}", value, flag->name));
    }
  }
  for (; i < arguments.size(); ++i) rest.push_back(i);
  return rest;
}

Result<void> ProgramFlags::Take(int& argc, char** argv) const {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const auto end = std::ranges::find(arguments, "--");
  if (std::any_of(arguments.begin(), end, IsHelp)) fmt::print("{}\n", OwnUsage());
  KEELSON_TRY(kept, Read(arguments));
  int count = std::min(argc, 1);
  for (const size_t index : kept) argv[count++] = argv[index + 1];
  argv[count] = nullptr;
  argc = count;
  return {};
}

Result<ClientConfig> ProgramFlags::Parse(int argc, char** argv, const ClientEnvironment& environment) const {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (std::ranges::any_of(arguments, IsHelp)) {
    fmt::print("{}", Usage(ProgramName(argc, argv)));
    std::exit(0);
  }
  KEELSON_TRY(log, TakeLogFlags(arguments));
  KEELSON_TRY(client, TakeClientFlags(arguments));
  KEELSON_TRY(kept, Read(arguments));
  if (!kept.empty()) {
    const std::string& first = arguments[kept.front()];
    const internal::FlagArgument argument = internal::ReadFlagArgument(first);
    if (!argument.is_flag) {
      return Error::InvalidArgument(fmt::format("unexpected argument {}: --help lists what can be said", first));
    }
    std::vector<std::string> known(std::begin(kClientFlags), std::end(kClientFlags));
    for (const Flag& flag : flags_) known.push_back(flag.name);
    return internal::UnknownFlag(argument, std::move(known));
  }
  KEELSON_RETURN_IF_ERROR(StartLogging(log));
  return LoadClientConfig(client, environment);
}

std::string ProgramFlags::OwnUsage() const {
  std::string text;
  for (const Flag& flag : flags_) {
    const auto [value, shown] = std::visit(
        Overloaded{
            [](std::string* text) { return std::pair<std::string, std::string>("TEXT", *text); },
            [](bool* on) { return std::pair<std::string, std::string>("", *on ? "true" : "false"); },
            [](const Int& number) { return std::pair<std::string, std::string>("N", std::to_string(*number.value)); },
            [](double* number) { return std::pair<std::string, std::string>("N", fmt::format("{}", *number)); },
            [](Duration* span) { return std::pair<std::string, std::string>("DURATION", FormatDuration(*span)); }},
        flag.value);
    text += internal::FlagUsage(flag.name, value, flag.help, shown);
  }
  return text;
}

std::string ProgramFlags::Usage(std::string_view program) const {
  std::string text = fmt::format("Usage: {} [flags]\n", program);
  if (!about_.empty()) text += fmt::format("\n{}\n", about_);
  if (!flags_.empty()) text += fmt::format("\nWhat it does:\n{}", OwnUsage());
  text += fmt::format("\nHow the cluster is reached:\n{}", ClientFlagsUsage());
  text += fmt::format("\nLogging:\n{}", LogFlagsUsage());
  text += fmt::format("\n{:<40} {}\n", "  -h, --help", "this text");
  return text;
}

}  // namespace keelson
