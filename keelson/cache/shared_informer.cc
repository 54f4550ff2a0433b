#include "keelson/cache/shared_informer.h"

#include <algorithm>
#include <utility>

#include "keelson/api/sharing.h"
#include "keelson/cache/internal/listener.h"
#include "keelson/codec/field_path.h"
#include "keelson/core/clock.h"

namespace keelson {

using internal::Listener;

HandlerRegistration::HandlerRegistration(std::shared_ptr<SharedInformer> informer, std::shared_ptr<Listener> listener)
    : informer_(std::move(informer)), listener_(std::move(listener)) {}

HandlerRegistration& HandlerRegistration::operator=(HandlerRegistration&& other) noexcept {
  if (this != &other) {
    Remove();
    informer_ = std::move(other.informer_);
    listener_ = std::move(other.listener_);
  }
  return *this;
}

bool HandlerRegistration::HasSynced() const { return listener_ != nullptr && listener_->HasSynced(); }

Wake HandlerRegistration::WaitForSync(const StopToken& stop, TimePoint deadline) const {
  return listener_ == nullptr ? Wake::kReady : listener_->WaitForSync(stop, deadline);
}

std::string HandlerRegistration::description() const {
  return listener_ == nullptr ? "a removed handler" : listener_->name() + " of " + informer_->source().ToString();
}

void HandlerRegistration::Remove() {
  if (listener_ == nullptr) return;
  informer_->Remove(listener_);
  listener_.reset();
  informer_.reset();
}

SharedInformer::SharedInformer(Client client, ReflectorSource source, const ObjectModel& model, InformerOptions options)
    : source_(std::move(source)),
      model_(model),
      options_(std::move(options)),
      store_(model),
      reflector_(std::move(client), source_, model, options_.reflector, *this) {}

SharedInformer::~SharedInformer() {
  stop_.RequestStop();
  thread_.Join();
  chain_.reset();
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    MutexLock lock(mutex_);
    listeners = std::move(listeners_);
    for (std::shared_ptr<Listener>& listener : retired_) listeners.push_back(std::move(listener));
    listeners_.clear();
    retired_.clear();
  }
  for (const std::shared_ptr<Listener>& listener : listeners) listener->Stop();
}

void SharedInformer::Start(const StopToken& stop) {
  MutexLock lock(mutex_);
  if (started_) return;
  started_ = true;
  chain_ = std::make_unique<StopCallback<std::function<void()>>>(stop, [source = stop_] { source.RequestStop(); });
  thread_ = Thread("informer " + source_.ToString(), [this, end = stop_.token()] { reflector_.Run(end); });
}

bool SharedInformer::started() const {
  MutexLock lock(mutex_);
  return started_;
}

void SharedInformer::Run(const StopToken& stop) {
  Start(stop);
  MutexLock lock(mutex_);
  (void)changed_.Wait(lock, stop, [] { return false; });
}

Wake SharedInformer::WaitForSync(const StopToken& stop, TimePoint deadline) const {
  MutexLock lock(mutex_);
  return changed_.WaitUntil(lock, deadline, stop, [&] { return synced_.load(); });
}

std::optional<Error> SharedInformer::last_error() const {
  MutexLock lock(mutex_);
  return last_error_;
}

HandlerRegistration SharedInformer::AddHandler(Handler handler, HandlerOptions options) {
  auto listener = std::make_shared<Listener>(*this, std::move(handler), std::move(options.name),
                                             options.resync.value_or(options_.resync), options.brief);
  MutexLock lock(mutex_);
  if (synced_) listener->PushInitial(store_.List());
  listeners_.push_back(listener);
  return HandlerRegistration(shared_from_this(), std::move(listener));
}

void SharedInformer::Remove(const std::shared_ptr<Listener>& listener) {
  {
    MutexLock lock(mutex_);
    std::erase(listeners_, listener);
    if (listener->IsCurrentThread()) retired_.push_back(listener);
  }
  listener->Stop();
}

void SharedInformer::Resync(Listener& listener) {
  MutexLock lock(mutex_);
  if (listener.started()) listener.PushSync(store_.List());
}

Result<void> SharedInformer::AddFieldIndex(std::string_view path) {
  KEELSON_TRY(parsed, FieldPath::Parse(path));
  // Whether the type has such a field can be told without an object.
  const std::shared_ptr<void> sample = model_.make();
  KEELSON_RETURN_IF_ERROR(ReadFieldText(*model_.type, sample.get(), parsed));
  return AddIndex(std::string(path), [type = model_.type, parsed](const void* object) -> std::vector<std::string> {
    Result<std::optional<std::string>> text = ReadFieldText(*type, object, parsed);
    if (!text || !*text) return {};
    return {std::move(**text)};
  });
}

std::string SharedInformer::version() const {
  MutexLock lock(mutex_);
  return version_;
}

bool SharedInformer::HasSeen(std::string_view version) const {
  MutexLock lock(mutex_);
  return HasReached(version);
}

bool SharedInformer::HasReached(std::string_view version) const {
  return synced_ && !IsOlderVersion(version_, version);
}

Wake SharedInformer::WaitUntilVersion(std::string_view version, TimePoint deadline, const StopToken& stop) const {
  MutexLock lock(mutex_);
  if (HasReached(version)) return Wake::kReady;
  VersionWait wait{version};
  version_waits_.push_back(&wait);
  const Wake wake = wait.reached.WaitUntil(lock, deadline, stop, [&] { return HasReached(version); });
  std::erase(version_waits_, &wait);
  return wake;
}

void SharedInformer::SetVersion(std::string_view version) {
  version_ = version;
  last_error_.reset();
  for (VersionWait* wait : version_waits_) {
    if (HasReached(wait->version)) wait->reached.NotifyOne();
  }
}

Wake SharedInformer::WaitUntilGone(const ObjectKey& key, std::string_view uid, TimePoint deadline,
                                   const StopToken& stop) const {
  MutexLock lock(mutex_);
  return changed_.WaitUntil(lock, deadline, stop, [&] {
    if (!synced_) return false;
    const ObjectPtr object = store_.Get(key.namespace_, key.name);
    return object == nullptr || model_.identify(object.get()).uid != uid || model_.deleting(object.get());
  });
}

void SharedInformer::Expect(std::string_view namespace_, std::string_view name) { store_.Expect(namespace_, name); }

ObjectPtr SharedInformer::Known(std::string_view namespace_, std::string_view name) {
  if (options_.transform) return nullptr;
  const ObjectPtr& known = FindKnown(namespace_, name);
  store_.FetchExpected();
  return known;
}

const ObjectPtr& SharedInformer::FindKnown(std::string_view namespace_, std::string_view name) {
  if (known_ == nullptr || !model_.is_named(known_.get(), namespace_, name)) known_ = store_.Get(namespace_, name);
  return known_;
}

ObjectPtr SharedInformer::Admit(std::shared_ptr<void> object) {
  store_.FetchExpected();
  if (options_.transform) {
    if (Result<void> done = options_.transform(object.get()); !done) {
      const std::string key = model_.identify(object.get()).key().ToString();
      Report(std::move(done).error().WithContext("transform of " + source_.ToString() + " \"" + key + "\""));
    }
    ShareNodes(*model_.type, object.get());
  }
  const ObjectIdentity identity = model_.identify(object.get());
  const ObjectPtr& known = FindKnown(identity.namespace_, identity.name);
  if (known == nullptr) return object;
  const ObjectIdentity now = model_.identify(known.get());
  const bool same = now.uid == identity.uid && now.resource_version == identity.resource_version;
  if (same && !identity.resource_version.empty()) return known;
  return object;
}

void SharedInformer::Replace(std::vector<ObjectPtr> objects, std::string_view version) {
  {
    MutexLock lock(mutex_);
    std::vector<Delta> changes;
    const bool first = !synced_;
    known_.reset();
    store_.Replace(objects, first ? nullptr : &changes);
    synced_ = true;
    SetVersion(version);
    if (first) {
      for (const std::shared_ptr<Listener>& listener : listeners_) listener->PushInitial(store_.List());
    } else {
      Distribute(changes);
    }
  }
  changed_.NotifyAll();
}

void SharedInformer::Apply(WatchEventType type, ObjectPtr object, std::string_view version) {
  std::optional<Delta> change;  // the old object goes behind the lock
  {
    MutexLock lock(mutex_);
    change = Change(type, std::move(object));
    SetVersion(version);
    if (change) Distribute({&*change, 1});
  }
  store_.FetchExpected();
  changed_.NotifyAll();
}

std::optional<Delta> SharedInformer::Change(WatchEventType type, ObjectPtr object) {
  const ObjectIdentity identity = model_.identify(object.get());
  ObjectPtr old = FindKnown(identity.namespace_, identity.name);
  if (old != nullptr) {
    const ObjectIdentity known = model_.identify(old.get());
    const bool repeated = known.uid == identity.uid && known.resource_version == identity.resource_version;
    // A server that tells old news must not take the cache back in time.
    if (IsOlderVersion(identity.resource_version, known.resource_version)) return std::nullopt;
    if (repeated && type != WatchEventType::kDeleted) return std::nullopt;
  }
  if (type == WatchEventType::kDeleted) {
    if (old == nullptr) return std::nullopt;
    known_.reset();
    store_.Remove(identity.namespace_, identity.name);
    return Delta{.type = DeltaType::kDeleted, .object = std::move(object), .old = std::move(old)};
  }
  known_ = object;
  store_.Put(object);
  const DeltaType what = old == nullptr ? DeltaType::kAdded : DeltaType::kUpdated;
  return Delta{.type = what, .object = std::move(object), .old = std::move(old)};
}

// An object of the same name and another uid is another object.
void SharedInformer::Distribute(std::span<Delta> deltas) {
  const auto recreated = [&](const Delta& delta) {
    return delta.old != nullptr && delta.type != DeltaType::kDeleted &&
           model_.identify(delta.old.get()).uid != model_.identify(delta.object.get()).uid;
  };
  std::vector<Delta> told;
  if (std::any_of(deltas.begin(), deltas.end(), recreated)) {
    for (Delta& delta : deltas) {
      if (recreated(delta)) {
        told.push_back(
            {.type = DeltaType::kDeleted, .object = delta.old, .old = delta.old, .final_state_unknown = true});
        told.push_back({.type = DeltaType::kAdded, .object = std::move(delta.object)});
      } else {
        told.push_back(std::move(delta));
      }
    }
    deltas = told;
  }
  for (const std::shared_ptr<Listener>& listener : listeners_) listener->Push(deltas);
}

void SharedInformer::Advance(std::string_view version) {
  {
    MutexLock lock(mutex_);
    SetVersion(version);
  }
  changed_.NotifyAll();
}

void SharedInformer::Failed(const Error& error, Duration) {
  {
    MutexLock lock(mutex_);
    last_error_ = error;
  }
  if (options_.on_error) options_.on_error(error);  // the reflector has logged it
}

void SharedInformer::Report(const Error& error) const {
  if (options_.on_error) {
    options_.on_error(error);
  } else {
    Logger("informer").Error(error, "Failed", "resource", source_.ToString());
  }
}

}  // namespace keelson
