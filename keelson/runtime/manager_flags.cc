#include "keelson/runtime/manager_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "keelson/client/credentials.h"
#include "keelson/core/ascii.h"
#include "keelson/core/log_flags.h"
#include "keelson/runtime/bind_address.h"
#include "keelson/runtime/internal/flag_values.h"

namespace keelson {

namespace {

// Flags as they are read; what belongs together is put together at the end.
struct Draft {
  ManagerFlags flags;
  bool leader_elect = false;
  LeaderElectionOptions election;
  std::optional<std::string> namespaces;  // with commas
  std::string cert_path;
  std::string cert_name = "tls.crt";
  std::string cert_key = "tls.key";
};

using Set = std::function<Result<void>(Draft& draft, std::string_view value)>;

struct Flag {
  std::string_view name;
  std::string_view value;  // what stands behind it in the help; empty: true or false
  std::string_view help;
  Set set;
  std::function<std::string(const Draft& draft)> shown;  // its default
};

struct FlagGroup {
  std::string_view title;
  std::vector<Flag> flags;
};

std::vector<std::string> ParseNamespaces(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view name = Trim(text.substr(0, comma));
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return names;
}

// The forms that most flags have. `where` gives the place in the draft.
template <class Where>
Flag Text(std::string_view name, std::string_view value, std::string_view help, Where where) {
  return {name, value, help,
          [where](Draft& draft, std::string_view text) -> Result<void> {
            where(draft) = std::string(text);
            return {};
          },
          [where](const Draft& draft) { return std::string(where(const_cast<Draft&>(draft))); }};
}

template <class Where>
Flag Switch(std::string_view name, std::string_view help, Where where) {
  return {name, "", help,
          [where](Draft& draft, std::string_view text) -> Result<void> {
            KEELSON_TRY(on, internal::ParseBool(text));
            where(draft) = on;
            return {};
          },
          [where](const Draft& draft) { return std::string(where(const_cast<Draft&>(draft)) ? "true" : "false"); }};
}

template <class Where>
Flag Span(std::string_view name, std::string_view help, Where where) {
  return {name, "DURATION", help,
          [where](Draft& draft, std::string_view text) -> Result<void> {
            KEELSON_TRY(span, internal::ParseSpan(text));
            where(draft) = span;
            return {};
          },
          [where](const Draft& draft) { return FormatDuration(where(const_cast<Draft&>(draft))); }};
}

template <class T, class Where>
Flag Number(std::string_view name, std::string_view value, T least, std::string_view help, Where where) {
  return {name,
          value,
          help,
          [where, least](Draft& draft, std::string_view text) -> Result<void> {
            KEELSON_TRY(number, internal::ParseNumber<T>(text, least));
            where(draft) = number;
            return {};
          },
          {}};
}

// An address is checked here, so that the error names the flag and comes before anything starts.
template <class Where>
Flag Address(std::string_view name, std::string_view help, Where where) {
  Flag flag = Text(name, "ADDRESS", help, where);
  flag.set = [where, name](Draft& draft, std::string_view text) -> Result<void> {
    KEELSON_RETURN_IF_ERROR(ParseBindAddress(name, text));
    where(draft) = std::string(text);
    return {};
  };
  flag.shown = [where](const Draft& draft) {
    const std::string& address = where(const_cast<Draft&>(draft));
    return address.empty() ? std::string("0") : address;
  };
  return flag;
}

#define KEELSON_PLACE(member) [](Draft& draft) -> auto& { return draft.member; }

std::vector<FlagGroup> MakeFlags() {
  Flag workers = Number<int>("workers", "N", 1, "reconciles at a time, of each controller that says nothing else",
                             KEELSON_PLACE(flags.options.controllers.workers));
  workers.shown = [](const Draft& draft) { return std::to_string(draft.flags.options.controllers.workers); };
  Flag namespaces = {"namespaces", "LIST",
                     "namespaces to watch, with commas between them, instead of all; WATCH_NAMESPACE says the same",
                     [](Draft& draft, std::string_view text) -> Result<void> {
                       draft.namespaces = std::string(text);
                       return {};
                     },
                     [](const Draft& draft) {
                       return fmt::format("{}", fmt::join(draft.flags.options.cluster.cache.namespaces, ","));
                     }};
  return {
      {"How the cluster is reached",
       {
           Text("kubeconfig", "FILE", "file that says how to reach the cluster; not needed inside one",
                KEELSON_PLACE(flags.client.kubeconfig)),
           Text("master", "URL", "the API server, instead of the one in the kubeconfig",
                KEELSON_PLACE(flags.client.master)),
           Text("context", "NAME", "context of the kubeconfig, instead of its current one",
                KEELSON_PLACE(flags.client.context)),
           Number<double>("kube-api-qps", "N", 0, "requests a second that the program limits itself to; 0: no limit",
                          KEELSON_PLACE(flags.qps)),
           Number<int>("kube-api-burst", "N", 0, "requests that may be sent at once before that limit counts",
                       KEELSON_PLACE(flags.burst)),
       }},
      {"What controllers do",
       {
           std::move(namespaces),
           std::move(workers),
           Span("resync", "how often every object is reconciled although nothing changed; 0s: never",
                KEELSON_PLACE(flags.options.cluster.cache.resync)),
           Span("graceful-shutdown-timeout",
                "how long work under way may take to finish at the end; below zero: as long as it takes",
                KEELSON_PLACE(flags.options.grace_period)),
       }},
      {"Leader election (of several replicas one works)",
       {
           Switch("leader-elect", "take part in the election; without it every replica works",
                  KEELSON_PLACE(leader_elect)),
           Text("leader-election-id", "NAME", "name of the Lease, which no other program has; else the program's",
                KEELSON_PLACE(election.name)),
           Text("leader-election-namespace", "NAME", "where the Lease is; in a pod: the pod's own",
                KEELSON_PLACE(election.namespace_)),
           Span("leader-elect-lease-duration", "how long others wait before they take over from one who is silent",
                KEELSON_PLACE(election.lease_duration)),
           Span("leader-elect-renew-deadline", "how long a leader goes on without having renewed the Lease",
                KEELSON_PLACE(election.renew_deadline)),
           Span("leader-elect-retry-period", "how often the Lease is renewed or looked at",
                KEELSON_PLACE(election.retry_period)),
       }},
      {"Servers (an address is \":8080\", \"127.0.0.1:8080\", or \"0\" for no server)",
       {
           Address("health-probe-bind-address", "where /healthz and /readyz are served",
                   KEELSON_PLACE(flags.options.health.bind_address)),
           Address("metrics-bind-address", "where /metrics is served",
                   KEELSON_PLACE(flags.options.metrics.bind_address)),
           Switch("metrics-secure", "serve metrics over HTTPS, to those whom the API server allows it",
                  KEELSON_PLACE(flags.options.metrics.secure)),
           Text("metrics-cert-path", "DIRECTORY", "of the metrics server's certificate; none: one is made at start",
                KEELSON_PLACE(cert_path)),
           Text("metrics-cert-name", "FILE", "the certificate in that directory", KEELSON_PLACE(cert_name)),
           Text("metrics-cert-key", "FILE", "its key in that directory", KEELSON_PLACE(cert_key)),
       }},
  };
}

#undef KEELSON_PLACE

const std::vector<FlagGroup>& Flags() {
  static const std::vector<FlagGroup> flags = MakeFlags();
  return flags;
}

const Flag* FindFlag(std::string_view name) {
  for (const FlagGroup& group : Flags()) {
    for (const Flag& flag : group.flags) {
      if (flag.name == name) return &flag;
    }
  }
  return nullptr;
}

std::vector<std::string> KnownNames() {
  std::vector<std::string> names;
  for (const FlagGroup& group : Flags()) {
    for (const Flag& flag : group.flags) names.emplace_back(flag.name);
  }
  return names;
}

Draft DraftOf(ManagerOptions options) {
  Draft draft;
  draft.leader_elect = options.leader_election.has_value();
  if (options.leader_election) draft.election = *options.leader_election;
  draft.flags.options = std::move(options);
  return draft;
}

Result<void> Read(const std::vector<std::string>& arguments, Draft& draft) {
  size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--"; ++i) {
    const internal::FlagArgument argument = internal::ReadFlagArgument(arguments[i]);
    if (!argument.is_flag) {
      draft.flags.arguments.push_back(arguments[i]);
      continue;
    }
    if (argument.name == "h" || argument.name == "help") {
      draft.flags.help = true;
      continue;
    }
    const Flag* flag = FindFlag(argument.name);
    if (flag == nullptr) return internal::UnknownFlag(argument, KnownNames());
    std::string_view value = "true";
    if (argument.has_value) {
      value = argument.value;
    } else if (!flag->value.empty()) {
      if (i + 1 == arguments.size()) {
        return Error::InvalidArgument(fmt::format("flag {} needs a value and none follows", argument.written));
      }
      value = arguments[++i];
    }
    if (Result<void> set = flag->set(draft, value); !set) {
      return std::move(set).error().WithContext(
          fmt::format("invalid value \"{}\" for flag --{}", value, argument.name));
    }
  }
  if (i < arguments.size()) ++i;  // "--" itself
  for (; i < arguments.size(); ++i) draft.flags.arguments.push_back(arguments[i]);
  return {};
}

}  // namespace

Result<ManagerFlags> ParseManagerFlags(const std::vector<std::string>& arguments, ManagerOptions options,
                                       const ClientEnvironment& environment) {
  Draft draft = DraftOf(std::move(options));
  KEELSON_RETURN_IF_ERROR(Read(arguments, draft));
  ManagerOptions& result = draft.flags.options;
  result.leader_election.reset();
  if (draft.leader_elect) result.leader_election = std::move(draft.election);
  if (!draft.namespaces) {
    if (std::string watched = environment.Variable("WATCH_NAMESPACE"); !watched.empty()) draft.namespaces = watched;
  }
  if (draft.namespaces) result.cluster.cache.namespaces = ParseNamespaces(*draft.namespaces);
  if (!draft.cert_path.empty()) {
    result.metrics.tls = TlsServerOptions{.certificate = {.file = draft.cert_path + "/" + draft.cert_name},
                                          .key = {.file = draft.cert_path + "/" + draft.cert_key}};
  }
  return std::move(draft.flags);
}

std::string ManagerFlagsUsage(std::string_view program, const ManagerOptions& options) {
  const Draft draft = DraftOf(options);
  std::string text = fmt::format(
      "Usage: {0} [flags] [arguments]\n"
      "\n"
      "Examples:\n"
      "  {0}                                   in a pod, or with the cluster of $KUBECONFIG or ~/.kube/config\n"
      "  {0} --context=staging -v=2            another context, and more in the log\n"
      "  {0} --leader-elect --health-probe-bind-address=:8081 --metrics-bind-address=:8443 --metrics-secure\n",
      program);
  for (const FlagGroup& group : Flags()) {
    text += fmt::format("\n{}:\n", group.title);
    for (const Flag& flag : group.flags) {
      text += internal::FlagUsage(flag.name, flag.value, flag.help, flag.shown ? flag.shown(draft) : "");
    }
  }
  text += fmt::format("\nLogging:\n{}", LogFlagsUsage());
  text += fmt::format("\n{:<40} {}\n", "  -h, --help", "this text");
  return text;
}

std::optional<std::string> PodNamespace(const ClientEnvironment& environment) {
  if (std::string name = environment.Variable("POD_NAMESPACE"); !name.empty()) return name;
  if (const Result<std::string> text = ReadSmallFile(environment.service_account_directory + "/namespace")) {
    if (const std::string_view name = Trim(*text); !name.empty()) return std::string(name);
  }
  return std::nullopt;
}

}  // namespace keelson
