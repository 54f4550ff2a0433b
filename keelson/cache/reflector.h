// Keeps somebody told of all objects of a resource: lists them, then watches, for ever.
//
//   Reflector reflector(client, {.resource = *KnownResource<corev1::Pod>()}, ModelOf<corev1::Pod>(), {}, sink);
//   reflector.Run(stop);
//
// What it does after what is decided in reflector_machine.h; this is its hands: it asks the server, decodes as bytes
// arrive, and tells the sink. Most programs use a SharedInformer, which is such a sink.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/cache/object.h"
#include "keelson/cache/reflector_machine.h"
#include "keelson/client/client.h"
#include "keelson/core/log.h"

namespace keelson {

// Called on the thread of Run, one call at a time.
class ReflectorSink {
 public:
  virtual ~ReflectorSink() = default;

  // The object of that name that Admit gave back last, as it was read; null when there is none, or it was changed
  // since. Its next version is read quicker with it.
  virtual ObjectPtr Known(std::string_view namespace_, std::string_view name) {
    (void)namespace_, (void)name;
    return nullptr;
  }
  // The object of that name probably comes behind the one that is read next.
  virtual void Expect(std::string_view namespace_, std::string_view name) { (void)namespace_, (void)name; }
  // An object has come. What is given back is what Replace and Apply get for it: it, or an equal one that is known
  // already, so that a repeated list is not held twice.
  virtual ObjectPtr Admit(std::shared_ptr<void> object) { return object; }
  // These are all objects as of that version.
  virtual void Replace(std::vector<ObjectPtr> objects, std::string_view version) = 0;
  // Never a bookmark. With it everything up to that version was told.
  virtual void Apply(WatchEventType type, ObjectPtr object, std::string_view version) = 0;
  // Everything up to that version was told before.
  virtual void Advance(std::string_view version) = 0;
  // Something failed and is tried again after that time.
  virtual void Failed(const Error& error, Duration wait) = 0;
};

// Which objects.
struct ReflectorSource {
  std::optional<Resource> resource = {};  // without: that of `kind`, which discovery finds each time it is needed
  GroupVersionKind kind = {};
  std::string namespace_ = {};  // empty: the client's, or all
  labels::Selector labels = {};
  fields::Selector fields = {};

  std::string ToString() const;  // "counts.demo.mark8s.io"
};

struct ReflectorOptions {
  ReflectorPolicy policy = {};
  int64_t page_size = 500;
  // A watch is ended by the server after this time up to its double; one that neither ends nor shows anything is taken
  // for dead `grace` later.
  std::chrono::seconds watch_timeout = std::chrono::minutes(5);
  std::chrono::seconds grace{30};
};

class Reflector final : private KeptVersions {
 public:
  // The model and the sink outlive it.
  Reflector(Client client, ReflectorSource source, const ObjectModel& model, ReflectorOptions options,
            ReflectorSink& sink);

  // Returns when stop is requested, and not before.
  void Run(const StopToken& stop);

 private:
  class ListSink;
  // KeptVersions
  void Expect(std::string_view namespace_, std::string_view name) override;
  Version Find(std::string_view namespace_, std::string_view name) override;
  void Keep(SectionMarks marks) override;
  // A new `reading_`.
  void* MakeObject();
  // Each carries the command out and says what came of it.
  ReflectorInput List(const std::string& version, const StopToken& stop);
  ReflectorInput OpenWatch(const ReflectorCommand& command, const StopToken& stop);
  ReflectorInput ReadWatch();
  void AddInitial(WatchEventType type, ObjectPtr object);
  bool IsOldNews(std::string_view version) const;
  ReflectorInput Wait(Duration wait, const StopToken& stop);
  ReflectorInput Failed(const Error& error, std::string_view doing);
  Target target() const;

  // Constant after construction.
  const Client client_;
  const ReflectorSource source_;
  const ObjectModel& model_;
  const ReflectorOptions options_;
  ReflectorSink& sink_;
  const Logger log_;

  // Of the thread of Run.
  Random random_;
  std::unique_ptr<RawWatch> watch_;
  std::shared_ptr<void> reading_;  // the object that is being filled
  ObjectPtr before_;               // the version of it that was found, held until the next is asked for
  TimePoint opened_{};
  std::string version_;  // up to which the sink was told
  bool in_initial_events_ = false;
  std::vector<ObjectPtr> initial_;  // what a stream has shown before the end of its initial events
  std::optional<Error> error_;      // of the failure that is waited for
};

}  // namespace keelson
