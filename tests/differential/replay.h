// Sends the requests of a script to a handler and gathers its answers, as the recorder did with a kube-apiserver's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "keelson/transport/handler.h"
#include "keelson/transport/in_process_transport.h"
#include "keelson/transport/watch_frames.h"
#include "tests/differential/masking.h"
#include "tests/differential/recording.h"

namespace keelson::differential {

// The token by which the handler shall know the administrator.
inline constexpr std::string_view kAdminToken = "of-the-admin";

// Of one script. Waits for watches by the seam: meant to run in a Simulation, where that takes no time.
class Replay {
 public:
  // `compact` makes the server forget its history.
  Replay(HttpHandler& handler, std::function<void()> compact);
  ~Replay();

  // One answer for each step, as ReadableAnswers gives the recorded ones.
  std::vector<Json> Run(const Script& script);
  // What to mask in them.
  const MaskOptions& mask() const& { return mask_; }

 private:
  struct Watch {
    std::string content_type;
    std::unique_ptr<BodyStream> body;
    std::unique_ptr<WatchFrameCutter> frames;
  };

  Json Answer(const Json& step);
  Json Send(const Json& step);
  Json TakeEvents(const Json& step);
  // What the recorder's `until` asks of an answer.
  bool IsAsWanted(const Json& answer, const Json& wanted) const;
  std::string Expanded(std::string text) const;
  void Capture(const Json& step, const Json& answer);

  std::map<std::string, InProcessTransport> transports_;  // by user
  const std::function<void()> compact_;
  std::map<std::string, std::string> variables_;
  std::map<std::string, Watch> watches_;
  MaskOptions mask_;
};

}  // namespace keelson::differential
