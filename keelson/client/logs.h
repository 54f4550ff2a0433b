// What a pod's container wrote, as a stream.
//
//   KEELSON_TRY(log, OpenLog(client, {"default", "web-1"}, {.container = "app", .follow = true, .tail_lines = 100}));
//   while (true) {
//     KEELSON_TRY(line, log.NextLine());
//     if (!line) break;                       // the container ended
//     Print(*line);
//   }
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/api/time.h"
#include "keelson/client/client.h"

namespace keelson {

struct LogQuery {
  std::string container = {};  // empty: the only one
  bool follow = false;         // go on with what comes
  bool previous = false;       // of the container before it was restarted
  bool timestamps = false;     // in front of each line
  std::optional<std::chrono::seconds> since = {};
  std::optional<metav1::Time> since_time = {};
  std::optional<int64_t> tail_lines = {};
  std::optional<int64_t> limit_bytes = {};
  std::string stream = {};  // "Stdout", "Stderr"; empty: all
  CallScope scope = {};
};

// Used by one thread at a time. Destroying it ends the stream.
class LogStream {
 public:
  static constexpr size_t kMaxLineBytes = size_t{1} << 20;

  explicit LogStream(HttpResponse response) : response_(std::move(response)) {}

  // The next bytes as they come; empty at the end. Valid until the next call.
  Result<std::string_view> Next();
  // The next line without its end; nothing at the end. Valid until the next call. A line longer than kMaxLineBytes
  // comes in parts.
  Result<std::optional<std::string_view>> NextLine();

 private:
  HttpResponse response_;
  std::string held_;  // bytes that have come and were not given out, from `start_`
  size_t start_ = 0;
  bool ended_ = false;
};

Result<LogStream> OpenLog(const Client& client, const ObjectKey& pod, const LogQuery& query = {});

}  // namespace keelson
