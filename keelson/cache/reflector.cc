#include "keelson/cache/reflector.h"

#include <algorithm>
#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/core/clock.h"

namespace keelson {

namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
// A watch that was open for this long does no harm when it is opened again at once.
constexpr Duration kLasting = std::chrono::seconds(10);

}  // namespace

// Gathers a whole list. Nothing of it is told before its end is there: a list that breaks off says nothing about what
// it lacks.
class Reflector::ListSink final : public ItemSink {
 public:
  explicit ListSink(Reflector& reflector) : reflector_(reflector) {}

  void* NextItem() override { return reflector_.MakeObject(); }
  Result<void> Accept() override {
    objects_.push_back(reflector_.sink_.Admit(std::move(reflector_.reading_)));
    return {};
  }
  bool Restart() override {
    objects_.clear();
    return true;
  }

  std::vector<ObjectPtr> Take() { return std::move(objects_); }

 private:
  Reflector& reflector_;
  std::vector<ObjectPtr> objects_;
};

std::string ReflectorSource::ToString() const {
  return resource ? resource->group_resource().ToString() : kind.ToString();
}

Reflector::Reflector(Client client, ReflectorSource source, const ObjectModel& model, ReflectorOptions options,
                     ReflectorSink& sink)
    : client_(std::move(client)),
      source_(std::move(source)),
      model_(model),
      options_(options),
      sink_(sink),
      log_(Logger("reflector").WithValues("resource", source_.ToString())),
      random_(Random::FromEntropy()) {}

Target Reflector::target() const {
  return {.type = model_.type, .resource = source_.resource ? &*source_.resource : nullptr, .kind = source_.kind};
}

void* Reflector::MakeObject() {
  reading_ = model_.make();
  return reading_.get();
}

void Reflector::Expect(std::string_view namespace_, std::string_view name) { sink_.Expect(namespace_, name); }

KeptVersions::Version Reflector::Find(std::string_view namespace_, std::string_view name) {
  before_ = sink_.Known(namespace_, name);
  if (before_ == nullptr) return {};
  return {.object = before_.get(), .marks = &ObjectModel::marks(before_.get())};
}

void Reflector::Keep(SectionMarks marks) { ObjectModel::marks(reading_.get()) = std::move(marks); }

void Reflector::Run(const StopToken& stop) {
  ReflectorState state;
  ReflectorInput input = {.kind = ReflectorInput::Kind::kStarted};
  while (!stop.StopRequested()) {
    ReflectorStep step = Step(std::move(state), input, options_.policy);
    state = std::move(step.state);
    if (step.command.kind != ReflectorCommand::Kind::kGoOn) watch_.reset();
    switch (step.command.kind) {
      case ReflectorCommand::Kind::kList: input = List(step.command.version, stop); break;
      case ReflectorCommand::Kind::kStream:
      case ReflectorCommand::Kind::kWatch: input = OpenWatch(step.command, stop); break;
      case ReflectorCommand::Kind::kGoOn: input = ReadWatch(); break;
      case ReflectorCommand::Kind::kWait: input = Wait(step.command.wait, stop); break;
    }
  }
  watch_.reset();
  initial_.clear();
  before_.reset();
}

ReflectorInput Reflector::Failed(const Error& error, std::string_view doing) {
  ReflectorInput input = {
      .kind = ReflectorInput::Kind::kFailed, .failure = FailureOf(error), .retry_after = RetryAfter(error)};
  error_ = Error(error).WithContext("failed to " + std::string(doing) + " " + source_.ToString());
  return input;
}

ReflectorInput Reflector::List(const std::string& version, const StopToken& stop) {
  ListSink gathered(*this);
  const Result<metav1::ListMeta> listed = client_.ListObjects(
      target(),
      {.namespace_ = source_.namespace_,
       .labels = source_.labels,
       .fields = source_.fields,
       .resource_version = version,
       .version_match = version.empty() || version == "0" ? VersionMatch::kDefault : VersionMatch::kNotOlderThan,
       .page_size = options_.page_size,
       .versions = this,
       .scope = {.stop = stop}},
      gathered);
  if (!listed) return Failed(listed.error(), "list");
  sink_.Replace(gathered.Take(), listed->resourceVersion);
  version_ = listed->resourceVersion.str();
  return {.kind = ReflectorInput::Kind::kListed, .version = listed->resourceVersion.str()};
}

ReflectorInput Reflector::OpenWatch(const ReflectorCommand& command, const StopToken& stop) {
  const bool streams = command.kind == ReflectorCommand::Kind::kStream;
  const auto timeout = std::chrono::ceil<std::chrono::seconds>(random_.Jitter(options_.watch_timeout, 1));
  opened_ = Clock::Now();
  Result<std::unique_ptr<RawWatch>> watch =
      client_.WatchObjects(target(), {.namespace_ = source_.namespace_,
                                      .labels = source_.labels,
                                      .fields = source_.fields,
                                      .resource_version = command.version,
                                      .version_match = streams ? VersionMatch::kNotOlderThan : VersionMatch::kDefault,
                                      .initial_events = streams,
                                      .server_timeout = timeout,
                                      .versions = this,
                                      .scope = {.stop = stop, .deadline = opened_ + timeout + options_.grace}});
  initial_.clear();
  in_initial_events_ = streams;
  if (!watch) return Failed(watch.error(), streams ? "list by a watch" : "watch");
  watch_ = *std::move(watch);
  return ReadWatch();
}

bool Reflector::IsOldNews(std::string_view version) const {
  const std::optional<std::strong_ordering> order = CompareResourceVersions(version, version_);
  return order && *order <= 0;
}

// Changes may come among the initial events; a later state of an object replaces the earlier when they are stored.
void Reflector::AddInitial(WatchEventType type, ObjectPtr object) {
  if (type != WatchEventType::kDeleted) {
    initial_.push_back(std::move(object));
    return;
  }
  const ObjectIdentity gone = model_.identify(object.get());
  std::erase_if(initial_, [&](const ObjectPtr& listed) {
    const ObjectIdentity identity = model_.identify(listed.get());
    return identity.name == gone.name && identity.namespace_ == gone.namespace_;
  });
}

// The next that the machine has to hear of.
ReflectorInput Reflector::ReadWatch() {
  while (true) {
    Result<std::optional<WatchEventType>> event = watch_->Next(MakeObject());
    std::shared_ptr<void> object = std::move(reading_);
    const bool lasted = Clock::Now() - opened_ >= kLasting;
    if (!event && IsTimeout(event.error())) {
      log_.Info("The watch neither ended nor showed anything in time; watching again");
      return {.kind = ReflectorInput::Kind::kEnded, .lasted = true};
    }
    if (!event) {
      ReflectorInput input = Failed(event.error(), in_initial_events_ ? "list by a watch" : "watch");
      input.lasted = lasted;
      return input;
    }
    if (!*event) {
      error_ = Error(ErrorCode::kUnavailable, "the watch of " + source_.ToString() + " ended without showing anything");
      return {.kind = ReflectorInput::Kind::kEnded, .lasted = lasted};
    }
    std::string version(model_.identify(object.get()).resource_version);
    // Everything up to there is known: a server that tells it again must not take the sink back in time.
    if (!in_initial_events_ && IsOldNews(version)) {
      if (**event == WatchEventType::kBookmark) return {.kind = ReflectorInput::Kind::kSaw, .version = version_};
      continue;
    }
    if (**event != WatchEventType::kBookmark) {
      ObjectPtr admitted = sink_.Admit(std::move(object));
      if (in_initial_events_) {
        AddInitial(**event, std::move(admitted));
        continue;
      }
      sink_.Apply(**event, std::move(admitted), version);
    } else if (in_initial_events_) {
      if (!model_.annotation(object.get(), kInitialEventsEnd)) continue;
      in_initial_events_ = false;
      sink_.Replace(std::move(initial_), version);
      initial_.clear();
      version_ = version;
      return {.kind = ReflectorInput::Kind::kListed, .version = std::move(version)};
    } else {
      sink_.Advance(version);
    }
    version_ = version;
    return {.kind = ReflectorInput::Kind::kSaw, .version = std::move(version)};
  }
}

ReflectorInput Reflector::Wait(Duration base, const StopToken& stop) {
  const Duration wait =
      options_.policy.backoff.jitter > 0 ? random_.Jitter(base, options_.policy.backoff.jitter) : base;
  if (error_ && !stop.StopRequested()) {
    log_.Warning("Will try again", "after", wait, "reason", error_->message());
    sink_.Failed(*error_, wait);
  }
  error_.reset();
  (void)SleepFor(wait, stop);
  return {.kind = ReflectorInput::Kind::kWaited};
}

}  // namespace keelson
