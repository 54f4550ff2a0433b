#include "keelson/apiserver/watch_session.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/options.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_writer.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/random.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

enum class Change : uint8_t { kAdded, kModified, kDeleted };

std::string_view NameOf(Change change) {
  switch (change) {
    case Change::kAdded: return "ADDED";
    case Change::kModified: return "MODIFIED";
    case Change::kDeleted: return "DELETED";
  }
  return {};
}

Event::Frame FrameOf(Change change, Format format) {
  const int first = format == Format::kProtobuf ? static_cast<int>(Event::Frame::kProtobufAdded)
                                                : static_cast<int>(Event::Frame::kJsonAdded);
  return static_cast<Event::Frame>(first + static_cast<int>(change));
}

std::string JsonFrame(std::string_view type, std::string_view object) {
  std::string frame;
  frame.reserve(object.size() + 40);
  frame.append("{\"type\":\"").append(type).append("\",\"object\":").append(object).append("}\n");
  return frame;
}

std::string ProtobufFrame(std::string_view type, std::string_view envelope) {
  metav1::WatchEvent event;
  event.type = type;
  event.object = RawExtension(envelope);
  std::string frame;
  AppendFrame(ToProtobuf(event), frame);
  return frame;
}

std::string FrameOf(Format format, std::string_view type, std::string_view object) {
  return format == Format::kProtobuf ? ProtobufFrame(type, object) : JsonFrame(type, object);
}

class WatchSession final : public WatchSink, public std::enable_shared_from_this<WatchSession> {
 public:
  WatchSession(Exchange exchange, ListOptions options, Representation representation, const WatchLimits& limits)
      : exchange_(std::move(exchange)),
        options_(std::move(options)),
        representation_(std::move(representation)),
        limits_(limits),
        started_(Clock::Now()),
        last_bookmark_(started_) {
    const Duration timeout = options_.timeout_seconds ? Duration(std::chrono::seconds(*options_.timeout_seconds))
                                                      : Random::FromEntropy().Jitter(limits_.min_timeout, 1.0);
    deadline_ = SaturatingAdd(started_, timeout);
  }

  void Start(Objects& objects) {
    Store& store = objects.store();
    exchange_.response->OnEvents({}, [weak = weak_from_this()] {
      if (const auto session = weak.lock()) session->End();
    });
    exchange_.response->Start(200, HeadersOf(exchange_, ContentType(representation_.format, Answer::kWatch)));

    const bool from_state = options_.send_initial_events.value_or(options_.revision == 0);
    Revision since = options_.revision;
    if (from_state) {
      Result<ListPage> page = store.List(exchange_.resource->collection,
                                         {.namespace_ = Namespace(), .matches = [this](const StoredObject& object) {
                                            return Selects(*exchange_.resource, options_, object);
                                          }});
      if (!page) return Fail(page.error());
      for (const ObjectPtr& object : page->items) SendObject("ADDED", *object, object);
      since = page->revision;
      if (options_.allow_bookmarks) SendBookmark(since, true);
    } else if (options_.send_initial_events && options_.revision == 0) {
      since = store.revision();
    }
    since_ = since;
    Result<std::unique_ptr<Subscription>> subscription =
        store.Watch(exchange_.resource->collection, since, shared_from_this());
    if (!subscription) {
      return Fail(apierrors::Expired(fmt::format("too old resource version: {} ({})", since,
                                                 store.oldest_watchable(exchange_.resource->collection))));
    }
    std::unique_ptr<Subscription> late;
    {
      MutexLock lock(mutex_);
      if (closed_) {
        late = std::move(*subscription);
      } else {
        subscription_ = std::move(*subscription);
      }
    }
  }

  void OnEvents(std::span<const EventPtr> events, Revision) override {
    for (const EventPtr& event : events) {
      if (event->revision() > since_) Deliver(*event);
    }
    if (exchange_.response->pending() > limits_.max_pending_bytes || exchange_.resource->removed) End();
  }

  TimePoint OnTick(TimePoint now, Revision seen) override {
    if (now >= deadline_ || exchange_.resource->removed) {
      End();
      return TimePoint::max();
    }
    if (!options_.allow_bookmarks) return deadline_;
    if (now - last_bookmark_ >= limits_.bookmark_interval) {
      last_bookmark_ = now;
      SendBookmark(std::max(seen, since_), false);
    }
    return std::min(deadline_, SaturatingAdd(last_bookmark_, limits_.bookmark_interval));
  }

  void End() {
    exchange_.response->Finish();
    Close();
  }

 private:
  // No more events. The destructor of the subscription may run on the hub's own thread.
  void Close() {
    std::unique_ptr<Subscription> subscription;
    MutexLock lock(mutex_);
    closed_ = true;
    subscription = std::move(subscription_);
    lock.Unlock();
  }

  std::string Namespace() const { return exchange_.resource->namespaced ? exchange_.info.namespace_ : std::string(); }
  bool Matches(const StoredObject& object) const {
    if (exchange_.resource->namespaced && !exchange_.info.namespace_.empty() &&
        object.namespace_() != exchange_.info.namespace_) {
      return false;
    }
    return Selects(*exchange_.resource, options_, object);
  }

  // What a write means to somebody who sees only what the selectors let through.
  void Deliver(const Event& event) {
    const bool before = event.previous() != nullptr && Matches(*event.previous());
    const bool after = event.kind() != Event::Kind::kDeleted && Matches(*event.object());
    if (!before && !after) return;
    if (!after && event.kind() != Event::Kind::kDeleted) {
      // It is there still, but out of sight: shown as it was, at the revision of the change.
      const auto vanished = std::make_shared<StoredObject>(*event.previous(), event.revision());
      return SendObject("DELETED", *vanished, vanished);
    }
    const Change change = !after ? Change::kDeleted : before ? Change::kModified : Change::kAdded;
    if (representation_.view != View::kWhole || !exchange_.resource->ServedAsStored(*event.object())) {
      return SendObject(NameOf(change), *event.object(), event.object());
    }
    Write(event.Encoded(FrameOf(change, representation_.format), [&] {
      if (representation_.format != Format::kProtobuf) return JsonFrame(NameOf(change), event.object()->json());
      const String envelope = ServedProtobuf(*exchange_.resource, *event.object());
      return ProtobufFrame(NameOf(change), envelope);
    }));
  }

  void SendObject(std::string_view type, const StoredObject& object, const ObjectPtr& shared) {
    Write(String(FrameOf(representation_.format, type, EncodeObject(object, shared))));
  }

  std::string EncodeObject(const StoredObject& object, const ObjectPtr& shared) {
    const Resource& resource = *exchange_.resource;
    switch (representation_.view) {
      case View::kTable: {
        metav1::ListMeta meta;
        meta.resourceVersion = String(std::to_string(object.revision()));
        const metav1::Table table = TableOf(exchange_, {shared}, std::move(meta), representation_.meta_version,
                                            std::exchange(first_table_, false));
        // Columns that were sent before are null.
        std::string text;
        AppendJson(TypeOf<metav1::Table>(), &table, text, {.null_when_empty = true});
        return text;
      }
      case View::kMetadata: {
        const metav1::PartialObjectMetadata partial = PartialOf(resource, object, representation_.meta_version);
        return Encode(TypeOf<metav1::PartialObjectMetadata>(), &partial, representation_.format, false);
      }
      case View::kWhole: break;
    }
    return representation_.format == Format::kProtobuf ? ServedProtobuf(resource, object).str()
                                                       : ServedJson(resource, object).str();
  }

  void SendBookmark(Revision revision, bool end_of_initial) {
    const Resource& resource = *exchange_.resource;
    AnyValue object(representation_.view == View::kMetadata ? TypeOf<metav1::PartialObjectMetadata>() : *resource.type);
    metav1::ObjectMeta& meta = MetaOf(object);
    meta.resourceVersion = String(std::to_string(revision));
    if (end_of_initial) meta.annotations.Set(String(kInitialEventsEnd), "true");
    if (representation_.view == View::kMetadata) {
      auto& partial = *static_cast<metav1::PartialObjectMetadata*>(object.data());
      partial.kind = "PartialObjectMetadata";
      partial.apiVersion = fmt::format("meta.k8s.io/{}", representation_.meta_version);
    }
    if (representation_.view == View::kTable) {
      metav1::Table table;
      table.metadata.resourceVersion = meta.resourceVersion;
      metav1::TableRow row;
      metav1::PartialObjectMetadata partial;
      partial.kind = "PartialObjectMetadata";
      partial.apiVersion = "meta.k8s.io/v1";
      partial.metadata = meta;
      row.object = RawExtension(String(ToJson(partial)));
      table.rows.push_back(std::move(row));
      Write(String(FrameOf(representation_.format, "BOOKMARK",
                           Encode(TypeOf<metav1::Table>(), &table, representation_.format, false))));
      return;
    }
    Write(String(FrameOf(representation_.format, "BOOKMARK", Encode(object, representation_.format, false))));
  }

  // Once the answer has begun, an error is an event.
  void Fail(const Error& error) {
    const metav1::Status status = ToStatus(error);
    Write(String(FrameOf(representation_.format, "ERROR",
                         Encode(TypeOf<metav1::Status>(), &status, representation_.format, false))));
    End();
  }

  void Write(String frame) {
    if (!exchange_.response->Write(std::move(frame))) Close();
  }

  Exchange exchange_;
  const ListOptions options_;
  const Representation representation_;
  const WatchLimits limits_;
  const TimePoint started_;
  TimePoint deadline_;
  // Touched by Start, then by the hub's thread alone.
  Revision since_ = 0;
  TimePoint last_bookmark_;
  bool first_table_ = true;

  Mutex mutex_{"watch-session"};
  // Guarded by mutex_.
  bool closed_ = false;
  std::unique_ptr<Subscription> subscription_;
};

}  // namespace

void StartWatch(Exchange exchange, Objects& objects, const WatchLimits& limits) {
  Result<Representation> representation =
      Negotiate(exchange.request.headers, Answer::kWatch, false, exchange.resource->custom != nullptr);
  if (!representation) return SendError(exchange, representation.error());
  Result<ListOptions> options = ReadListOptions(exchange, true);
  if (!options) return SendError(exchange, options.error());
  representation->pretty = false;
  auto session =
      std::make_shared<WatchSession>(std::move(exchange), std::move(*options), std::move(*representation), limits);
  session->Start(objects);
}

}  // namespace keelson::apiserver
