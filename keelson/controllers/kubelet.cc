#include "keelson/controllers/kubelet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "keelson/api/names.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/kubelet_nodes.h"
#include "keelson/controllers/pod_addresses.h"
#include "keelson/controllers/pod_script.h"
#include "keelson/controllers/selection.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/runtime/builder.h"
#include "keelson/runtime/timer_source.h"

namespace keelson::controllers {
namespace {

constexpr const char* kFieldManager = "kubelet";
constexpr size_t kMaxNodes = 60'000;

// Leads the pods of all simulated nodes through their lives: a reconcile is a step, and the next is asked for by its
// time.
class PodReconciler {
 public:
  PodReconciler(Manager& manager, KubeletOptions options)
      : options_(std::move(options)), client_(manager.client()), nodes_(manager, options_) {
    for (size_t i = 0; i < options_.names.size(); ++i) {
      const std::string& name = options_.names[i];
      hosts_.emplace(name, Host{.index = i, .events = manager.RecorderFor("kubelet", {.instance = name})});
    }
  }

  Result<Outcome> Reconcile(Context& context, const Request& request);
  bool IsHere(const corev1::Pod& pod) const { return hosts_.contains(pod.spec.nodeName.str()); }
  // On the watch's thread, so that what is taken is known before anything is given.
  void OnPod(const ObjectEvent& event, RequestSink<Request>& sink);

  const KubeletOptions& options() const { return options_; }
  NodeReconciler& nodes() { return nodes_; }

 private:
  struct Host {
    size_t index;
    EventRecorder events;
    std::set<std::string> images = {};  // guarded by mutex_
  };
  struct Remembered {
    std::string uid;
    PodMemory memory;
  };
  PodStep Advance(const corev1::Pod& pod, const corev1::Node& node, Host& host, PodMemory& memory);
  void Keep(const Request& request, const corev1::Pod& pod, PodMemory memory);
  void Forget(const Request& request);

  const KubeletOptions options_;
  const ObjectClient& client_;
  NodeReconciler nodes_;
  std::map<std::string, Host, std::less<>> hosts_;  // constant but for images

  Mutex mutex_{"kubelet"};
  // Guarded by mutex_.
  std::unordered_map<Request, Remembered> memories_;
  PodAddresses addresses_;
};

void PodReconciler::OnPod(const ObjectEvent& event, RequestSink<Request>& sink) {
  const corev1::Pod* pod = event.As<corev1::Pod>();
  if (pod == nullptr || !IsHere(*pod)) return;
  const Request request = KeyOf(*pod);
  {
    MutexLock lock(mutex_);
    if (event.type() == ObjectEventType::kDeleted) {
      addresses_.Release(pod->metadata.uid);
    } else if (HasEnded(pod->status)) {
      addresses_.Release(pod->metadata.uid);
    } else if (!pod->status.podIP.empty() && !pod->spec.hostNetwork) {
      addresses_.Take(hosts_.find(pod->spec.nodeName.view())->second.index, pod->metadata.uid, pod->status.podIP);
    }
  }
  sink.Add(request);
}

std::set<std::string, std::less<>> MissingImages(const corev1::Node& node) {
  std::set<std::string, std::less<>> images;
  const String* named = node.metadata.annotations.find(kMissingImages);
  for (std::string_view rest = named != nullptr ? named->view() : std::string_view(); !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    images.emplace(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return images;
}

PodStep PodReconciler::Advance(const corev1::Pod& pod, const corev1::Node& node, Host& host, PodMemory& memory) {
  MutexLock lock(mutex_);
  const auto found = memories_.find(KeyOf(pod));
  if (found != memories_.end() && found->second.uid == pod.metadata.uid) memory = found->second.memory;
  PodPlace place{.host_ip = NodeAddressOf(host.index), .images = &host.images, .missing_images = MissingImages(node)};
  if (!HasEnded(pod.status) && !pod.spec.hostNetwork && pod.status.podIP.empty()) {
    place.pod_ip = addresses_.Give(host.index, pod.metadata.uid);
  }
  return AdvancePod(pod, place, memory, Clock::WallNow(), options_.pace);
}

void PodReconciler::Keep(const Request& request, const corev1::Pod& pod, PodMemory memory) {
  MutexLock lock(mutex_);
  Remembered& remembered = memories_[request];
  if (!remembered.uid.empty() && remembered.uid != pod.metadata.uid) addresses_.Release(remembered.uid);
  remembered = {.uid = pod.metadata.uid.str(), .memory = std::move(memory)};
}

void PodReconciler::Forget(const Request& request) {
  MutexLock lock(mutex_);
  const auto found = memories_.find(request);
  if (found == memories_.end()) return;
  addresses_.Release(found->second.uid);
  memories_.erase(found);
}

Result<Outcome> PodReconciler::Reconcile(Context&, const Request& request) {
  KEELSON_TRY(pod, IgnoreNotFound(client_.Get<corev1::Pod>(request)));
  if (!pod || !IsHere(*pod)) {
    Forget(request);
    return Outcome::Done();
  }
  Host& host = hosts_.find(pod->spec.nodeName.view())->second;
  // Without its Node, which somebody has deleted, a kubelet goes on.
  KEELSON_TRY(node, IgnoreNotFound(client_.Get<corev1::Node>({"", pod->spec.nodeName.str()})));
  PodMemory memory;
  PodStep step = Advance(*pod, node.value_or(corev1::Node()), host, memory);
  if (step.changed) {
    corev1::Pod changed = *pod;
    changed.status = step.status;
    const Result<corev1::Pod> written = client_.Status().Update(changed, {.field_manager = kFieldManager});
    if (!written && IsNotFound(written.error())) {
      Keep(request, *pod, {});
      Forget(request);
      return Outcome::Done();
    }
    if (!written && IsConflict(written.error())) return Outcome::Retry();
    if (!written) return written.error();
  }
  Keep(request, *pod, std::move(memory));
  if (options_.events) {
    for (const PodEvent& event : step.events) {
      host.events.Event(ReferenceTo(*pod, event.field_path), event.warning ? EventType::kWarning : EventType::kNormal,
                        event.reason, event.message);
    }
  }
  if (step.remove) {
    const Result<void> deleted =
        client_.Delete(*pod, {.grace_period = std::chrono::seconds(0), .uid = pod->metadata.uid.str()});
    if (!deleted && !IsNotFound(deleted.error()) && !IsConflict(deleted.error())) return deleted.error();
    return Outcome::Done();
  }
  return step.next ? Outcome::After(*step.next) : Outcome::Done();
}

Result<void> NameNodes(KubeletOptions& options) {
  if (options.names.empty()) {
    for (int i = 1; i <= options.nodes; ++i) options.names.push_back(fmt::format("node-{}", i));
  }
  if (options.names.size() > kMaxNodes) {
    return Error::InvalidArgument(
        fmt::format("{} nodes were asked for; there are addresses for {}", options.names.size(), kMaxNodes));
  }
  const std::set<std::string> names(options.names.begin(), options.names.end());
  if (names.size() != options.names.size()) return Error::InvalidArgument("two nodes have one name");
  if (names.contains("")) return Error::InvalidArgument("a node has no name");
  return {};
}

}  // namespace

Result<void> AddKubelet(Manager& manager, KubeletOptions options) {
  KEELSON_RETURN_IF_ERROR(NameNodes(options));
  auto kubelet = std::make_shared<PodReconciler>(manager, std::move(options));
  ControllerOptions controller = manager.options().controllers;
  controller.workers = kubelet->options().workers;
  KEELSON_RETURN_IF_ERROR(NewController(manager, fmt::format("{}-nodes", kKubelet))
                              .Watches<corev1::Node>(EnqueueSelf())
                              .WatchesRaw(TimerSource<Request>::Make("leases", kLeasePeriod,
                                                                     [kubelet] {
                                                                       std::vector<Request> nodes;
                                                                       for (const std::string& name :
                                                                            kubelet->options().names)
                                                                         nodes.push_back({"", name});
                                                                       return nodes;
                                                                     },
                                                                     {.run_at_start = true}))
                              .WithOptions(controller)
                              .Complete([kubelet](Context& context, const Request& request) {
                                return kubelet->nodes().Reconcile(context, request);
                              }));
  KEELSON_RETURN_IF_ERROR(NewController(manager, std::string(kKubelet))
                              .Watches<corev1::Pod>([kubelet](const ObjectEvent& event, RequestSink<Request>& sink) {
                                kubelet->OnPod(event, sink);
                              })
                              .WithOptions(controller)
                              .Complete([kubelet](Context& context, const Request& request) {
                                return kubelet->Reconcile(context, request);
                              }));
  return {};
}

}  // namespace keelson::controllers
