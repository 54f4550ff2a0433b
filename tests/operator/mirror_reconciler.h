// A small operator, whole: children, a finalizer, status with a condition, events. Its tests run it through thousands
// of schedules on the embedded server, and against a real one.
#pragma once

#include <string>

#include "api/v1/generated.h"
#include "keelson/client/object_client.h"
#include "keelson/runtime/builder.h"

namespace mirror {

inline constexpr std::string_view kFinalizer = "tests.example.com/copies";
inline constexpr std::string_view kLabel = "tests.example.com/mirror";

// Keeps `<name>-0` to `<name>-<copies - 1>`.
class MirrorReconciler {
 public:
  // Both clients outlive it: one that reads from caches, and one that asks the server. Events go to the recorder.
  MirrorReconciler(const keelson::ObjectClient& client, const keelson::Reader& live, keelson::EventRecorder events)
      : client_(client), live_(live), events_(std::move(events)) {}

  keelson::Result<keelson::Outcome> Reconcile(keelson::Context& context, const keelson::Request& request);

 private:
  keelson::Result<void> EnsureCopy(const v1::Mirror& mirror, int32_t index, bool& changed);
  // Of those that the reader knows. The first `keep` stay.
  keelson::Result<void> DeleteCopies(const keelson::Reader& reader, const v1::Mirror& mirror, int32_t keep,
                                     bool& changed);
  keelson::Result<void> Report(v1::Mirror mirror);

  const keelson::ObjectClient& client_;
  const keelson::Reader& live_;
  const keelson::EventRecorder events_;
};

keelson::Result<void> AddMirrorController(keelson::Manager& manager, MirrorReconciler& reconciler, int workers);

}  // namespace mirror
