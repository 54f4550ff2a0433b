#include "demo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "examples.h"
#include "keelson/api/apiextensions/v1.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/install_definitions.h"
#include "keelson/controlplane/private_directory.h"
#include "keelson/core/ascii.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/log_files.h"
#include "object_state.h"
#include "operators.h"
#include "world.h"

namespace demo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using keelson::Client;
using keelson::Clock;
using keelson::ControlPlane;
using keelson::Duration;
using keelson::Error;
using keelson::ErrorCode;
using keelson::Result;
using keelson::StopToken;
using keelson::TimePoint;
using keelson::Unstructured;
using Definition = keelson::apiextensionsv1::CustomResourceDefinition;

constexpr std::string_view kNamespace = "default";
constexpr std::string_view kFieldManager = "keelson-demo";
// Its operator is written to start before its definition is there, and is shown doing so.
constexpr std::string_view kEarlyExample = "count";
constexpr Duration kEarlyPatience = 2s;
constexpr Duration kLook = 100ms;  // how often operators are looked at when nothing changes
constexpr Duration kBreath = 600ms;
const std::vector<std::string> kNodes = {"node-1", "node-2", "node-3"};

double Seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

std::string Count(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// The child that has come in the place of a deleted one; null while there is none.
const Unstructured* FindSuccessor(const std::vector<ObjectState>& states, const Unstructured& deleted) {
  for (const ObjectState& state : states) {
    for (const Unstructured& child : state.children) {
      if (child.GetGvk() != deleted.GetGvk() || child.GetKey() != deleted.GetKey()) continue;
      return child.GetUid() != deleted.GetUid() ? &child : nullptr;
    }
  }
  return nullptr;
}

bool IsWhole(const Unstructured& child) {
  return !WhyNotConverged({.applied = {.kind = child.GetGvk(), .key = child.GetKey()}, .object = child});
}

// What a line of klog's format says, without time and place.
std::string MessageOf(const std::string& line) {
  const size_t place = line.find("] ");
  return place == std::string::npos ? line : line.substr(place + 2);
}

class Demo {
 public:
  Demo(const DemoOptions& options, Screen& screen, const StopToken& stop)
      : options_(options), screen_(screen), stop_(stop), start_(Clock::Now()) {}
  Demo(const Demo&) = delete;
  Demo& operator=(const Demo&) = delete;

  Result<void> Run() {
    KEELSON_RETURN_IF_ERROR(Prepare());
    KEELSON_RETURN_IF_ERROR(StartControlPlane());
    KEELSON_RETURN_IF_ERROR(StartOperators());
    KEELSON_RETURN_IF_ERROR(ApplySamples());
    KEELSON_RETURN_IF_ERROR(Await("they converge", [](const auto&) { return true; }));
    screen_.Say(fmt::format("converged: {} as wanted, {:.1f} s after the start", Count(world_->Look().size(), "object"),
                            Seconds(Clock::Now() - start_)));
    KEELSON_RETURN_IF_ERROR(BreakAndRepair());
    TellMore();
    KEELSON_RETURN_IF_ERROR(StayUp());
    return End();
  }

 private:
  using States = std::vector<ObjectState>;

  Result<void> Prepare() {
    if (options_.dir.empty()) {
      KEELSON_TRY(made, keelson::PrivateDirectory::Make());
      temporary_.emplace(std::move(made));
      dir_ = temporary_->path();
    } else {
      dir_ = fs::absolute(options_.dir).lexically_normal();
    }
    const std::string logs = dir_ + "/logs";
    std::error_code problem;
    fs::create_directories(logs, problem);
    if (problem) return Error(ErrorCode::kUnavailable, fmt::format("cannot make '{}': {}", logs, problem.message()));
    operators_.emplace(logs, dir_);
    // The table has the terminal to itself.
    KEELSON_TRY(log, keelson::FileLogSink::Open({.file = logs + "/control-plane.log", .stderr_threshold = {}}));
    keelson::SetLogSink(log);

    KEELSON_TRY(examples, FindExamples(options_.examples));
    for (const Example& example : examples) {
      const std::string program = ProgramOf(example);
      if (access(program.c_str(), X_OK) != 0) {
        return Error::NotFound(
            fmt::format("the program of {} is not at '{}'; `make demo` builds it, and --programs says "
                        "where else it is",
                        example.name, program));
      }
    }
    examples_ = std::move(examples);
    return {};
  }

  std::string ProgramOf(const Example& example) const {
    return (fs::absolute(options_.programs) / example.program).string();
  }

  Result<void> StartControlPlane() {
    KEELSON_TRY(control_plane,
                ControlPlane::Start({.listen = keelson::ListenOptions{}, .controllers = {"*"}, .nodes = kNodes}));
    control_plane_ = std::move(control_plane);
    client_.emplace(control_plane_->client({.field_manager = std::string(kFieldManager)}));
    kubeconfig_ = dir_ + "/kubeconfig";
    KEELSON_TRY(kubeconfig, control_plane_->kubeconfig());
    KEELSON_RETURN_IF_ERROR(keelson::WriteKubeconfig(kubeconfig, kubeconfig_));
    screen_.Say(fmt::format("control plane at {}, with {} nodes and the controllers of a cluster",
                            control_plane_->url(), kNodes.size()));
    return {};
  }

  Result<void> StartOperator(const Example& example) {
    std::vector<std::string> arguments = {"--kubeconfig", kubeconfig_};
    for (std::string& flag : example.FlagsIn(dir_)) arguments.push_back(std::move(flag));
    KEELSON_TRY(pid, operators_->Start(example.program, ProgramOf(example), arguments));
    screen_.Say(fmt::format("started {} (process {})", example.program, pid));
    return {};
  }

  // One of them first, then the definitions, then the others.
  Result<void> StartOperators() {
    std::vector<std::string> crds;
    for (const Example& example : examples_) {
      if (!example.crds.empty()) crds.push_back(example.crds);
      if (example.name != kEarlyExample) continue;
      KEELSON_RETURN_IF_ERROR(StartOperator(example));
      KEELSON_RETURN_IF_ERROR(ShowItWaiting(example));
    }
    if (!crds.empty()) KEELSON_RETURN_IF_ERROR(keelson::InstallDefinitions(*client_, crds));
    KEELSON_TRY(definitions, client_->List<Definition>());
    for (const Definition& definition : definitions.items) definitions_.push_back(definition);
    screen_.Say("installed " + Count(definitions_.size(), "CustomResourceDefinition"));
    for (const Example& example : examples_) {
      if (example.name != kEarlyExample) KEELSON_RETURN_IF_ERROR(StartOperator(example));
    }
    return {};
  }

  // Until its log has a warning.
  Result<void> ShowItWaiting(const Example& example) {
    const TimePoint deadline = Clock::Now() + kEarlyPatience;
    while (Clock::Now() < deadline && !stop_.StopRequested()) {
      if (std::optional<std::string> ended = operators_->FindEnded()) return Error::Internal(*ended);
      for (const std::string& line : operators_->LastLines(example.program, 100)) {
        if (!line.starts_with('W')) continue;
        screen_.Say(fmt::format("its definition is not there yet, so it waits and logs: {}", MessageOf(line)));
        return {};
      }
      (void)keelson::SleepFor(20ms, stop_);
    }
    return {};
  }

  Result<void> ApplySamples() {
    std::vector<Applied> applied;
    for (const Example& example : examples_) {
      KEELSON_TRY(samples, ReadSamples(example));
      for (const Unstructured& sample : samples) {
        const keelson::GroupVersionKind kind = sample.GetGvk();
        const Client client = sample.GetNamespace().empty() ? client_->Scope(std::string(kNamespace)) : *client_;
        const Result<Unstructured> written = client.Apply(sample);
        if (!written) {
          return Error(written.error())
              .WithContext(fmt::format("sample {}/{} of {}", kind.kind, sample.GetName(), example.name));
        }
        applied.push_back({.kind = kind, .key = written->GetKey(), .custom = DefinitionOf(kind) != nullptr});
      }
    }
    screen_.Say("applied " + Count(applied.size(), "sample"));
    world_.emplace(control_plane_->client(), std::move(applied));
    return world_->Start(stop_);
  }

  const Definition* DefinitionOf(const keelson::GroupVersionKind& kind) const {
    for (const Definition& definition : definitions_) {
      if (definition.spec.group == kind.group && definition.spec.names.kind == kind.kind) return &definition;
    }
    return nullptr;
  }

  // Shows the present state and gives it. An operator that has ended is an error.
  Result<States> Look(const std::string& doing) {
    States states = world_->Look();
    std::vector<Row> rows;
    size_t converged = 0;
    for (const ObjectState& state : states) {
      rows.push_back(RowOf(state));
      converged += WhyNotConverged(state) ? 0 : 1;
    }
    const std::vector<std::string> below = {
        "", fmt::format("{} · {} of {} have converged · {:.0f} s · {}", Count(operators_->size(), "operator"),
                        converged, Count(states.size(), "object"), Seconds(Clock::Now() - start_), doing)};
    screen_.Show(rows, below);
    if (std::optional<std::string> ended = operators_->FindEnded()) return Error::Internal(*ended);
    return states;
  }

  // All this is too fast for the eye.
  void Breathe() {
    if (screen_.live()) (void)keelson::SleepFor(kBreath, stop_);
  }

  // Until all have converged and `also` holds.
  Result<void> Await(const std::string& what, const std::function<bool(const States&)>& also) {
    const TimePoint deadline = Clock::Now() + options_.timeout;
    while (true) {
      KEELSON_TRY(states, Look("waiting until " + what));
      std::vector<std::string> missing;
      for (const ObjectState& state : states) {
        if (const auto why = WhyNotConverged(state)) missing.push_back(state.applied.ToString() + ": " + *why);
      }
      const bool holds = also(states);
      if (missing.empty() && holds) return {};
      if (stop_.StopRequested()) return Error::Cancelled("stopped before all had converged");
      if (Clock::Now() >= deadline) {
        if (missing.empty()) missing.push_back("still waiting until " + what);
        return Error(ErrorCode::kTimeout,
                     fmt::format("not converged after {}:\n  {}", keelson::FormatDuration(options_.timeout),
                                 fmt::join(missing, "\n  ")));
      }
      world_->WaitForChange(kLook, stop_);
    }
  }

  // Deletes a child of each object that has any, one after another: they come back.
  Result<void> BreakAndRepair() {
    const TimePoint begin = Clock::Now();
    int deleted = 0;
    for (const ObjectState& state : world_->Look()) {
      const Unstructured* child = ChildToDelete(state);
      if (child == nullptr) continue;
      Breathe();
      KEELSON_RETURN_IF_ERROR(DeleteAndAwait(state.applied, *child));
      ++deleted;
    }
    if (deleted == 0) return {};
    screen_.Say(fmt::format("converged again: what was deleted is back, {:.1f} s after the first was",
                            Seconds(Clock::Now() - begin)));
    return {};
  }

  Result<void> DeleteAndAwait(const Applied& owner, const Unstructured& child) {
    const std::string name = fmt::format("{} {} of {}", child.GetKind(), child.GetName(), owner.ToString());
    const TimePoint begin = Clock::Now();
    const Result<void> deleted = client_->Delete(child.GetGvk(), child.GetKey(), {.uid = child.GetUid()});
    if (!deleted) return Error(deleted.error()).WithContext("deleting " + name);
    Duration back = {};
    KEELSON_RETURN_IF_ERROR(Await(name + " is back", [&](const States& states) {
      const Unstructured* successor = FindSuccessor(states, child);
      if (successor != nullptr && back == Duration::zero()) back = Clock::Now() - begin;
      return successor != nullptr && IsWhole(*successor);
    }));
    screen_.Say(fmt::format("deleted {}: back after {:.0f} ms, all well after {:.0f} ms", name, Seconds(back) * 1e3,
                            Seconds(Clock::Now() - begin) * 1e3));
    return {};
  }

  // How to look at it oneself.
  void TellMore() {
    if (!options_.stay) return screen_.Print({"", "To look at it yourself, run this on a terminal, or with --keep."});
    std::vector<std::string> kinds;
    std::string described;
    std::string child_to_delete;
    for (const Definition& definition : definitions_) kinds.push_back(definition.spec.names.plural.str());
    for (const ObjectState& state : world_->Look()) {
      const Definition* definition = DefinitionOf(state.applied.kind);
      if (definition == nullptr || state.applied.key.namespace_ != kNamespace) continue;
      if (described.empty() && state.event) {
        described = fmt::format("{} {}", definition->spec.names.singular.view(), state.applied.key.name);
      }
      const Unstructured* child = ChildToDelete(state);
      if (child_to_delete.empty() && child != nullptr && child->GetNamespace() == kNamespace) {
        child_to_delete = fmt::format("{} {}", keelson::AsciiLower(child->GetKind()), child->GetName());
      }
    }
    screen_.Print({
        "",
        "In another terminal:",
        "  export KUBECONFIG=" + kubeconfig_,
        fmt::format("  kubectl get {} -A", kinds.empty() ? "pods" : fmt::format("{}", fmt::join(kinds, ","))),
        "  kubectl " + (described.empty() ? "get events" : "describe " + described),
        "  kubectl " + (child_to_delete.empty() ? "get nodes" : "delete " + child_to_delete),
    });
    screen_.Print({"", "Logs are in " + dir_ + "/logs. Ctrl-C ends it."});
  }

  // At least for one more look.
  Result<void> StayUp() {
    while (true) {
      KEELSON_TRY(states, Look(options_.stay ? "watching" : "done"));
      if (!options_.stay || stop_.StopRequested()) return {};
      world_->WaitForChange(kLook, stop_);
    }
  }

  // Operators first, so that they can say goodbye to a server that is there.
  Result<void> End() {
    KEELSON_RETURN_IF_ERROR(operators_->Stop());
    world_.reset();
    if (!control_plane_->Stop()) return Error::Internal("requests were under way that did not end");
    return {};
  }

  // Constant after construction.
  const DemoOptions& options_;
  Screen& screen_;
  const StopToken stop_;
  const TimePoint start_;

  // In the order in which they come; they go in the reverse one.
  std::optional<keelson::PrivateDirectory> temporary_;
  std::string dir_;
  std::string kubeconfig_;
  std::vector<Example> examples_;
  std::unique_ptr<ControlPlane> control_plane_;
  std::optional<Client> client_;
  std::vector<Definition> definitions_;
  std::optional<World> world_;
  std::optional<Operators> operators_;
};

}  // namespace

Result<void> RunDemo(const DemoOptions& options, Screen& screen, const StopToken& stop) {
  const Result<void> done = [&] {
    Demo demo(options, screen, stop);
    return demo.Run();
  }();
  keelson::SetLogSink(nullptr);
  return done;
}

}  // namespace demo
