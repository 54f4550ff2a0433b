// The changes of a resource, as the server sends them.
//
//   KEELSON_TRY(watch, client.Watch<corev1::Pod>({.resource_version = list.metadata.resourceVersion.str()}));
//   while (true) {
//     KEELSON_TRY(event, watch.Next());
//     if (!event) break;                       // the server ended the watch: go on from the last resource version
//     Handle(event->type, event->object);
//   }
//
// An ERROR event of the server is an Error of Next: IsExpired(error) asks for a new list.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "keelson/api/type.h"
#include "keelson/codec/kept_versions.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/transport/http_message.h"
#include "keelson/transport/watch_frames.h"

namespace keelson {

enum class WatchEventType : uint8_t {
  kAdded,
  kModified,
  kDeleted,   // the object as it was last
  kBookmark,  // only metadata.resourceVersion counts: everything up to there has been sent
};
std::string_view ToString(WatchEventType type);  // "ADDED"

template <class T>
struct WatchEvent {
  WatchEventType type = WatchEventType::kAdded;
  T object = {};
};

// The core below WatchStream<T>. Next is called by one thread at a time; Stop by any.
class RawWatch {
 public:
  // `make_response` gets the token that ends the watch. With `versions`, which then outlive it, objects are read for a
  // cache (WatchOptions).
  static Result<std::unique_ptr<RawWatch>> Open(
      const Type& type, KeptVersions* versions, const StopToken& stop,
      const std::function<Result<HttpResponse>(const StopToken& stop)>& make_response);

  // Fills `object`, a default value of the type, and says what happened to it; nothing when the server ended the watch.
  // After an error or the end every call gives the same again.
  Result<std::optional<WatchEventType>> Next(void* object);
  // Next, also one that waits now, ends with kCancelled.
  void Stop() { stop_.RequestStop(); }

 private:
  RawWatch(const Type& type, KeptVersions* versions, const StopToken& stop)
      : type_(type), versions_(versions), chain_(stop, [source = stop_] { source.RequestStop(); }) {}
  Result<std::optional<WatchEventType>> Advance(void* object);
  // Tells `versions_` which object the next frame has, if that is there.
  void LookAhead() const;
  Result<WatchEventType> DecodeJsonFrame(std::string_view frame, void* object) const;
  Result<WatchEventType> DecodeProtobufFrame(std::string_view frame, void* object) const;

  const Type& type_;
  KeptVersions* const versions_;
  StopSource stop_;
  StopCallback<std::function<void()>> chain_;
  HttpResponse response_;
  bool protobuf_ = false;
  std::unique_ptr<WatchFrameCutter> frames_;
  bool ended_ = false;
  std::optional<Error> failure_;
};

// Movable. Destroying it ends the watch.
template <class T>
class [[nodiscard]] WatchStream {
 public:
  explicit WatchStream(std::unique_ptr<RawWatch> core) : core_(std::move(core)) {}

  // Waits for the next event; nothing when the server ended the watch.
  Result<std::optional<WatchEvent<T>>> Next() {
    WatchEvent<T> event;
    KEELSON_TRY(type, core_->Next(&event.object));
    if (!type) return std::optional<WatchEvent<T>>();
    event.type = *type;
    return std::optional<WatchEvent<T>>(std::move(event));
  }
  // From any thread: Next ends with kCancelled.
  void Stop() { core_->Stop(); }

 private:
  std::unique_ptr<RawWatch> core_;
};

}  // namespace keelson
