#include "keelson/client/client_flags.h"

#include <array>
#include <optional>
#include <string_view>

namespace keelson {

namespace {

struct Flag {
  std::string_view name;
  std::string ClientFlags::* member;
  std::string_view help;
};

constexpr std::array<Flag, 3> kFlags = {{
    {"kubeconfig", &ClientFlags::kubeconfig, "file that says how to reach the cluster; not needed inside one"},
    {"master", &ClientFlags::master, "URL of the API server, instead of the one in the kubeconfig"},
    {"context", &ClientFlags::context, "context of the kubeconfig to use, instead of its current one"},
}};

const Flag* FindFlag(std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

// What is left of the arguments, as indexes of them.
Result<std::vector<size_t>> Take(const std::vector<std::string_view>& arguments, ClientFlags& flags) {
  std::vector<size_t> rest;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--"; ++i) {
    std::string_view argument = arguments[i];
    const size_t dashes = argument.starts_with("--") ? 2 : argument.starts_with("-") ? 1 : 0;
    argument.remove_prefix(dashes);
    const size_t equals = argument.find('=');
    const Flag* flag = dashes == 0 ? nullptr : FindFlag(argument.substr(0, equals));
    if (flag == nullptr) {
      rest.push_back(i);
    } else if (equals != std::string_view::npos) {
      flags.*flag->member = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      flags.*flag->member = arguments[++i];
    } else {
      return Error::InvalidArgument("flag " + std::string(arguments[i]) + " needs a value and none follows");
    }
  }
  for (; i < arguments.size(); ++i) rest.push_back(i);
  return rest;
}

}  // namespace

Result<ClientFlags> TakeClientFlags(std::vector<std::string>& arguments) {
  ClientFlags flags;
  KEELSON_TRY(kept, Take(std::vector<std::string_view>(arguments.begin(), arguments.end()), flags));
  std::vector<std::string> rest;
  for (const size_t index : kept) rest.push_back(std::move(arguments[index]));
  arguments = std::move(rest);
  return flags;
}

Result<ClientFlags> TakeClientFlags(int& argc, char** argv) {
  ClientFlags flags;
  if (argc < 2) return flags;
  KEELSON_TRY(kept, Take(std::vector<std::string_view>(argv + 1, argv + argc), flags));
  int count = 1;
  for (const size_t index : kept) argv[count++] = argv[index + 1];
  argv[count] = nullptr;
  argc = count;
  return flags;
}

std::string ClientFlagsUsage() {
  std::string usage;
  for (const Flag& flag : kFlags) {
    usage.append("  --").append(flag.name).append(" string\n        ").append(flag.help).append("\n");
  }
  return usage;
}

}  // namespace keelson
