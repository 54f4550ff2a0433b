// A server that replays prepared bytes, to measure clients against: a list of Pods, then a watch with updates of them.
//
//   bench-replay --pods N --updates M [--port P]
//
// Makes everything first, prints "replaying at http://…" and serves until it is killed. Answers:
//   GET /api/v1/pods                 the list, JSON or protobuf as the Accept header asks
//   GET /api/v1/pods?watch=…         a watch that shows nothing
//   GET /replay/updates              lets the M updates go to every watch that is open
// A list by a watch (sendInitialEvents) is refused, as by a server that cannot do it: all clients list alike. Nothing
// is computed and nothing is compressed while it serves.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/pods.h"
#include "keelson/api/meta/v1.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_writer.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/random.h"
#include "keelson/core/thread.h"
#include "keelson/transport/http_server.h"

namespace keelson {
namespace {

using bench::MakePod;

constexpr size_t kChunk = size_t{256} << 10;
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// Bytes in parts of a good size to write.
class Parts {
 public:
  void Append(std::string_view bytes) {
    open_ += bytes;
    if (open_.size() >= kChunk) Close();
  }
  void Close() {
    if (!open_.empty()) parts_.emplace_back(open_);
    open_.clear();
  }
  const std::vector<String>& parts() const { return parts_; }

 private:
  std::string open_;
  std::vector<String> parts_;
};

void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Of a list: without kind and apiVersion, as servers write items.
std::string JsonItem(const corev1::Pod& pod) {
  std::string text = ToJson(pod);
  constexpr std::string_view kStart = R"({"kind":"Pod","apiVersion":"v1",)";
  if (text.starts_with(kStart)) text.replace(0, kStart.size(), "{");
  return text;
}

// The Pod after its kubelet reported a restart.
corev1::Pod Updated(size_t number, size_t version) {
  corev1::Pod pod = MakePod(number);
  pod.metadata.resourceVersion = std::to_string(version);
  if (!pod.status.containerStatuses.empty()) {
    pod.status.containerStatuses[0].restartCount += static_cast<int32_t>(version % 100) + 1;
  }
  for (corev1::PodCondition& condition : pod.status.conditions.Mutable()) {
    if (condition.type == "Ready")
      condition.lastTransitionTime = metav1::Time::FromUnix(1767225600 + static_cast<int64_t>(version % 100000));
  }
  return pod;
}

struct Prepared {
  Parts json_list, protobuf_list, json_events, protobuf_events;
};

void Prepare(size_t pods, size_t updates, Prepared& prepared) {
  constexpr size_t kListVersion = 1'000'000'000;
  prepared.json_list.Append(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1000000000"},"items":[)");
  std::string list_metadata = ToProtobuf(metav1::ListMeta{.resourceVersion = "1000000000"});
  // A list's message: metadata is field 1, each item field 2. The envelope says its whole length first.
  std::string message = "\x0a";
  AppendVarint(list_metadata.size(), message);
  message += list_metadata;
  for (size_t i = 0; i < pods; ++i) {
    const corev1::Pod pod = MakePod(i);
    if (i > 0) prepared.json_list.Append(",");
    prepared.json_list.Append(JsonItem(pod));
    const std::string item = ToProtobuf(pod);
    message += '\x12';
    AppendVarint(item.size(), message);
    message += item;
  }
  prepared.json_list.Append("]}");
  prepared.json_list.Close();
  std::string whole;
  AppendProtobufEnvelope({.api_version = "v1", .kind = "PodList", .raw = message}, whole);
  message = std::string();
  for (size_t at = 0; at < whole.size(); at += kChunk) {
    prepared.protobuf_list.Append(std::string_view(whole).substr(at, kChunk));
  }
  prepared.protobuf_list.Close();
  whole = std::string();

  Random random(7);
  for (size_t i = 0; i < updates; ++i) {
    // A large step through the numbers: neighbours are of different Deployments, and all Pods come in turn.
    const size_t number = (i * 7919) % pods;
    const corev1::Pod pod = Updated(number, kListVersion + 1 + i);
    prepared.json_events.Append(R"({"type":"MODIFIED","object":)" + ToJson(pod) + "}\n");
    std::string frame;
    AppendFrame(ToProtobuf(metav1::WatchEvent{.type = "MODIFIED",
                                              .object = RawExtension(std::string_view(ToProtobufEnvelope(pod)))}),
                frame);
    prepared.protobuf_events.Append(frame);
  }
  prepared.json_events.Close();
  prepared.protobuf_events.Close();
}

// Writes parts one after another, as fast as the client takes them.
class Pump : public std::enable_shared_from_this<Pump> {
 public:
  Pump(std::shared_ptr<ResponseWriter> response, bool finish) : response_(std::move(response)), finish_(finish) {}

  void Start(const std::vector<String>& parts) {
    {
      MutexLock lock(mutex_);
      parts_ = &parts;
    }
    response_->OnEvents(
        [weak = weak_from_this()] {
          if (const auto self = weak.lock()) self->Fill();
        },
        [] {});
    Fill();
  }

 private:
  void Fill() {
    constexpr size_t kAhead = size_t{4} << 20;
    MutexLock lock(mutex_);
    while (next_ < parts_->size() && response_->pending() < kAhead) {
      if (!response_->Write((*parts_)[next_++])) return;
    }
    if (next_ == parts_->size() && finish_) {
      finish_ = false;
      response_->Finish();
    }
  }

  const std::shared_ptr<ResponseWriter> response_;
  Mutex mutex_;
  // Guarded by mutex_.
  const std::vector<String>* parts_ = nullptr;
  size_t next_ = 0;
  bool finish_;
};

class Replay final : public HttpHandler {
 public:
  explicit Replay(const Prepared& prepared) : prepared_(prepared) {}

  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    const std::string_view* accept = request.headers.Find("Accept");
    const bool protobuf = accept != nullptr && accept->starts_with(kProtobuf);
    if (request.path == "/replay/updates") {
      MutexLock lock(mutex_);
      updates_due_ = watches_.empty();
      for (const Watch& watch : watches_) Update(watch);
      watches_.clear();
      return Respond(*response, 200, "text/plain", "ok\n");
    }
    if (request.path != "/api/v1/pods") return Respond(*response, 404, "text/plain", "404 page not found\n");
    if (request.query.find("sendInitialEvents=true") != std::string::npos) {
      return Respond(
          *response, 422, "application/json",
          R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,)"
          R"("message":"sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"})");
    }
    const bool watch = request.query.find("watch=") != std::string::npos;
    std::string type = protobuf ? std::string(kProtobuf) : "application/json";
    if (watch && protobuf) type += ";stream=watch";
    response->Start(200, {{"Content-Type", type}});
    auto pump = std::make_shared<Pump>(response, !watch);
    MutexLock lock(mutex_);
    if (watch) {
      response->Write(String());
      if (std::exchange(updates_due_, false)) return Update({pump, protobuf});
      watches_.push_back({pump, protobuf});
    } else {
      pumps_.push_back(pump);
      pump->Start((protobuf ? prepared_.protobuf_list : prepared_.json_list).parts());
    }
  }

 private:
  struct Watch {
    std::shared_ptr<Pump> pump;
    bool protobuf;
  };
  // Under mutex_.
  void Update(const Watch& watch) {
    watch.pump->Start((watch.protobuf ? prepared_.protobuf_events : prepared_.json_events).parts());
    pumps_.push_back(watch.pump);
  }

  const Prepared& prepared_;
  Mutex mutex_;
  // Guarded by mutex_.
  bool updates_due_ = false;  // they were asked for before the watch came
  std::vector<Watch> watches_;
  std::vector<std::shared_ptr<Pump>> pumps_;
};

int Run(int argc, char** argv) {
  size_t pods = 100'000, updates = 100'000;
  uint16_t port = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const size_t value = std::strtoul(argv[i + 1], nullptr, 10);
    if (name == "--pods") pods = value;
    if (name == "--updates") updates = value;
    if (name == "--port") port = static_cast<uint16_t>(value);
  }
  auto prepared = std::make_unique<Prepared>();
  Prepare(pods, updates, *prepared);
  Replay replay(*prepared);
  const auto server = HttpServer::Start(replay, {.port = port}).OrExit();
  std::printf("replaying at %s\n", server->url().c_str());
  std::fflush(stdout);
  StopSource never;
  (void)SleepFor(Duration::max(), never.token());
  return 0;
}

}  // namespace
}  // namespace keelson

int main(int argc, char** argv) { return keelson::Run(argc, argv); }
