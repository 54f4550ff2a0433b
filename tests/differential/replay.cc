#include "tests/differential/replay.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "keelson/codec/internal/base64.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/clock.h"

namespace keelson::differential {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxAnswer = size_t{64} << 20;
// Of a step that waits for something; 50 ms of the simulation between two.
constexpr int kMaxRepeats = 100;
constexpr std::array<std::string_view, 8> kHeaders = {
    "Content-Type",  "Warning",          "Retry-After", "Allow",
    "Cache-Control", "Www-Authenticate", "Location",    "X-Content-Type-Options"};

void ReplaceAll(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string QueryEscaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_' || c == '.' || c == '~') {
      escaped += c;
    } else {
      escaped += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return escaped;
}

// "metadata/labels", "items/0/metadata"; null when there is nothing.
const Json* FindPlace(const Json& document, std::string_view place) {
  const Json* value = &document;
  while (value != nullptr && !place.empty()) {
    const size_t slash = std::min(place.find('/'), place.size());
    const std::string_view part = place.substr(0, slash);
    place.remove_prefix(std::min(slash + 1, place.size()));
    if (value->is_list()) {
      size_t index = 0;
      std::from_chars(part.data(), part.data() + part.size(), index);
      value = index < value->list().size() ? &value->list()[index] : nullptr;
    } else {
      value = value->find(part);
    }
  }
  return value;
}

Json HeadersOf(const HttpResponse& response) {
  JsonObject headers;
  for (const std::string_view name : kHeaders) {
    const std::vector<std::string_view> values = response.headers.All(name);
    if (values.empty()) continue;
    if (name == "Warning") {
      JsonList all;
      for (const std::string_view value : values) all.push_back(Json(value));
      headers.Set(String(name), Json(std::move(all)));
    } else {
      headers.Set(String(name), Json(values.front()));
    }
  }
  return Json(std::move(headers));
}

bool HasTrueCondition(const Json* body, std::string_view type) {
  const Json* status = body == nullptr ? nullptr : body->find("status");
  const Json* conditions = status == nullptr ? nullptr : status->find("conditions");
  if (conditions == nullptr || !conditions->is_list()) return false;
  return std::any_of(conditions->list().begin(), conditions->list().end(), [&](const Json& condition) {
    return Text(condition, "type") == type && Text(condition, "status") == "True";
  });
}

}  // namespace

Replay::Replay(HttpHandler& handler, std::function<void()> compact) : compact_(std::move(compact)) {
  const Peer anonymous{.address = "in-process", .tls = true};
  Peer bob = anonymous;
  bob.common_name = "bob";
  bob.organizations = {"dev"};
  transports_.try_emplace("admin", handler, anonymous);
  transports_.try_emplace("bob", handler, bob);
  transports_.try_emplace("anonymous", handler, anonymous);
  transports_.try_emplace("stranger", handler, anonymous);
}

Replay::~Replay() = default;

std::vector<Json> Replay::Run(const Script& script) {
  // As long as those of the recorder: lengths of names show in answers.
  variables_ = {{"ns", "diff-replayed"}};
  mask_ = {.namespace_ = variables_["ns"], .names = {}};
  const Json made = Send(
      Json::Object({{"method", "POST"}, {"path", "/api/v1/namespaces"}, {"body", R"({"metadata":{"name":"${ns}"}})"}}));
  (void)made;  // the script's own steps show when it is missing
  std::vector<Json> answers;
  for (const Json& step : script.steps) answers.push_back(Answer(step));
  watches_.clear();
  return answers;
}

Json Replay::Answer(const Json& step) {
  if (step.find("compact") != nullptr) {
    compact_();
    return Json::Object();
  }
  if (step.find("events") != nullptr) return TakeEvents(step);
  Json answer = Send(step);
  const Json* wanted = step.find("until");
  for (int i = 0; wanted != nullptr && !IsAsWanted(answer, *wanted) && i < kMaxRepeats; ++i) {
    SleepFor(50ms, {});
    answer = Send(step);
  }
  if (Text(step, "compare") == "status" && answer.is_object()) answer.object().erase("body");
  return answer;
}

bool Replay::IsAsWanted(const Json& answer, const Json& wanted) const {
  const Json* body = answer.find("body");
  const Json* status = wanted.find("status");
  if (status != nullptr && (answer.find("status") == nullptr || !(*answer.find("status") == *status))) return false;
  const std::string text = body == nullptr ? "" : ToJson(*body);
  if (wanted.find("text") && text.find(Expanded(Text(wanted, "text"))) == std::string::npos) return false;
  if (wanted.find("without") && text.find(Expanded(Text(wanted, "without"))) != std::string::npos) return false;
  return wanted.find("condition") == nullptr || HasTrueCondition(body, Text(wanted, "condition"));
}

std::string Replay::Expanded(std::string text) const {
  for (const auto& [name, value] : variables_) {
    ReplaceAll(text, "${" + name + "}", value);
    ReplaceAll(text, "${" + name + "|query}", QueryEscaped(value));
  }
  return text;
}

Json Replay::Send(const Json& step) {
  HttpRequest request{.method = Text(step, "method"), .target = Expanded(Text(step, "path"))};
  if (const std::string query = Expanded(Text(step, "query")); !query.empty()) request.target += "?" + query;
  std::string user = Text(step, "as");
  if (user.empty()) user = "admin";
  if (user == "admin") request.headers.Set("Authorization", "Bearer " + std::string(kAdminToken));
  if (user == "stranger") request.headers.Set("Authorization", "Bearer of-nobody");
  if (const Json* headers = step.find("headers")) {
    for (const auto& [name, value] : headers->object()) {
      request.headers.Set(name.view(), Expanded(std::string(value.string())));
    }
  }
  request.body = Expanded(Text(step, "body"));
  if (const Json* fill = step.find("fill")) {
    ReplaceAll(request.body, "${fill}", std::string(static_cast<size_t>(fill->integer()), 'x'));
  }
  if (const Json* repeat = step.find("repeat")) {
    std::string repeated;
    for (int64_t i = 0; i < repeat->find("times")->integer(); ++i) repeated += Text(*repeat, "text");
    ReplaceAll(request.body, "${repeat}", repeated);
  }
  if (step.find("base64") != nullptr && !internal::DecodeBase64(Text(step, "base64"), request.body)) return Json();
  const bool has_body = step.find("body") != nullptr || step.find("base64") != nullptr;
  if (has_body && request.headers.Find("Content-Type") == nullptr) {
    request.headers.Set("Content-Type", "application/json");
  }
  const std::string watch = Text(step, "watch");
  request.streaming = !watch.empty();

  Result<HttpResponse> response = transports_.at(user).Send(std::move(request), {.deadline = Clock::Now() + 20s});
  if (!response) return Json::Object({{"failed", response.error().message()}});
  Json answer = Json::Object({{"status", response->status}, {"headers", HeadersOf(*response)}});
  const std::string_view* type = response->headers.Find("Content-Type");
  const std::string content_type(type == nullptr ? "" : *type);
  if (!watch.empty() && response->status == 200) {
    const bool binary = content_type.find("protobuf") != std::string::npos;
    watches_[watch] = {.content_type = content_type,
                       .body = std::move(response->body),
                       .frames = binary ? NewProtobufWatchFrames() : NewJsonWatchFrames()};
    return answer;
  }
  Result<std::string> body = ReadAll(*response->body, kMaxAnswer);
  if (!body) return Json::Object({{"failed", body.error().message()}});
  if (!body->empty()) answer.object().Set("body", Readable(content_type, *body));
  Capture(step, answer);
  return answer;
}

void Replay::Capture(const Json& step, const Json& answer) {
  for (const std::string_view kind : {"capture", "mask"}) {
    const Json* places = step.find(kind);
    if (places == nullptr) continue;
    for (const auto& [name, place] : places->object()) {
      const Json* body = answer.find("body");
      const Json* value = body == nullptr ? nullptr : FindPlace(*body, place.string());
      if (value == nullptr || !value->is_string()) continue;
      variables_[std::string(name)] = std::string(value->string());
      if (kind == "mask") mask_.names.push_back(std::string(value->string()));
    }
  }
}

Json Replay::TakeEvents(const Json& step) {
  const auto found = watches_.find(Text(step, "events"));
  if (found == watches_.end()) return Json::Object({{"failed", "no such watch is open"}});
  Watch& watch = found->second;
  const Json* count = step.find("count");
  JsonList events;
  const auto answer = [&](bool ended) {
    return Json::Object({{"events", Json(std::move(events))}, {"ended", Json(ended)}});
  };
  while (count == nullptr || events.size() < static_cast<size_t>(count->integer())) {
    Result<std::optional<std::string_view>> frame = watch.frames->Next();
    if (!frame) return Json::Object({{"failed", frame.error().message()}});
    if (frame->has_value()) {
      events.push_back(Readable(watch.content_type, **frame));
      continue;
    }
    Result<std::string_view> bytes = watch.body->Next();
    if (!bytes) return answer(false);
    if (bytes->empty()) return answer(true);
    watch.frames->Append(*bytes);
  }
  return answer(false);
}

}  // namespace keelson::differential
