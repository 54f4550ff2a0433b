// Writes events to the API server, in order: folded with others like them, and again while the server cannot be
// reached. Used by one thread, the broadcaster's.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/core/log.h"
#include "keelson/core/random.h"
#include "keelson/core/result.h"
#include "keelson/core/time.h"
#include "keelson/runtime/event_correlator.h"
#include "keelson/runtime/event_record.h"
#include "keelson/runtime/event_series.h"
#include "keelson/runtime/internal/event_tally.h"

namespace keelson::internal {

struct EventWriterOptions {
  EventCorrelatorOptions correlator = {};
  EventSeriesOptions series = {};
  int max_tries = 12;
  // Between tries; the first pause is a random part of it, so that clients of a server that was gone do not come at
  // one moment.
  Duration retry_delay = std::chrono::seconds(10);
  Duration request_timeout = std::chrono::seconds(10);
};

class EventWriter {
 public:
  EventWriter(Client client, const EventWriterOptions& options, EventTally& tally);

  // What waits to be written: at most one write for each event, however often it occurs meanwhile.
  size_t waiting() const { return writes_.size(); }
  void Add(const EventRecord& record);
  // Nothing new comes: all counts are to be written, and pauses are short.
  void BeginDrain();

  // When Work has something to do; TimePoint::max() when nothing is foreseen.
  TimePoint next_due() const;
  // Sends at most one event. A stop request ends the call.
  void Work(TimePoint now, const StopToken& stop);

 private:
  using Object = std::variant<corev1::Event, eventsv1::Event>;
  struct Write {
    std::string key;
    Object object;
    bool exists = false;  // patch what the server has
    int tries = 0;
  };

  void Enqueue(std::string key, Object object, bool exists);
  void Enqueue(std::vector<SeriesEvent> events);
  Result<void> Send(Write& write, const CallScope& scope);
  void Finish();
  // False when another try would end the same way.
  static bool IsPassing(const Error& error);
  Duration PauseAfter(const Error& error, int tries);

  const Client client_;
  const EventWriterOptions options_;
  const Logger log_{"events"};
  EventTally& tally_;

  EventCorrelator correlator_;
  EventSeriesTable series_;
  Random random_;
  bool draining_ = false;
  std::list<Write> writes_;
  std::unordered_map<std::string, std::list<Write>::iterator> by_key_;  // the last write of each
  TimePoint next_try_{};                                                // of the first write
};

}  // namespace keelson::internal
