// What tests/recorder_apiserver recorded: scripts of requests, and what a kube-apiserver answered to each.
//
//   for (const Script& script : ReadTopic("create")) Replay(script);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/core/result.h"

namespace keelson::differential {

struct Script {
  std::string topic;
  std::string name;
  std::string namespace_;   // that it had when it was recorded
  std::vector<Json> steps;  // as the recorder wrote them, without the answers
  std::vector<Json> answers;
  bool managed_fields = false;  // whether they were recorded

  std::string title() const { return topic + "/" + name; }
};

// "create", "read" …: one for each file.
std::vector<std::string> Topics();
Result<std::vector<Script>> ReadTopic(std::string_view topic);

// A string member, or "" when there is none.
std::string Text(const Json& object, std::string_view member);

// An answer in the form that is compared: bodies in YAML and protobuf are turned into JSON, so that masks and
// differences are told in one language. `content` is the body, or one frame of a watch.
Json Readable(std::string_view content_type, std::string_view content);
// The answers of a script as they were recorded, in that form.
std::vector<Json> ReadableAnswers(const Script& script);

}  // namespace keelson::differential
