#include "tests/differential/recording.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "keelson/api/meta/v1.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/internal/base64.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/scheme.h"
#include "keelson/codec/yaml_reader.h"

namespace keelson::differential {
namespace {

// A function: tests ask for topics before constants of this file need exist.
std::filesystem::path Folder() { return std::filesystem::path(KEELSON_TEST_DATA) / "differential"; }

Json Unreadable(std::string_view how, std::string_view content, const Error& error) {
  std::string base64;
  internal::AppendBase64(content, base64);
  return Json::Object({{"unreadable " + std::string(how), base64}, {"error", error.message()}});
}

Json FromEnvelope(std::string_view content) {
  static const Scheme scheme = [] {
    Scheme all = Scheme::Builtin();
    const Result<void> added =
        all.Add({"meta.k8s.io", "v1", "PartialObjectMetadata"}, TypeOf<metav1::PartialObjectMetadata>());
    (void)added;  // a recording that cannot be read for want of it says so
    return all;
  }();
  Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(content);
  if (!envelope) return Unreadable("protobuf", content, envelope.error());
  Result<GroupVersionKind> kind = GroupVersionKind::FromApiVersion(envelope->api_version, envelope->kind);
  if (!kind) return Unreadable("protobuf", content, kind.error());
  // Of what belongs to no group of its own there is one type.
  const Type* type = scheme.Find(*kind);
  if (type == nullptr) type = scheme.Find({"meta.k8s.io", "v1", kind->kind});
  if (type == nullptr) type = scheme.Find({"", "v1", kind->kind});
  if (type == nullptr) return Unreadable("protobuf", content, Error(ErrorCode::kInvalid, "no such type"));
  AnyValue value(*type);
  if (Result<void> read = DecodeProtobuf(*type, value.data(), envelope->raw); !read) {
    return Unreadable("protobuf", content, read.error());
  }
  Json tree = ToJsonValue(*type, value.data());
  tree.object().Set("apiVersion", Json(envelope->api_version));
  tree.object().Set("kind", Json(envelope->kind));
  return tree;
}

// A watch's frame.
Json FromFrame(std::string_view content) {
  Result<metav1::WatchEvent> event = FromProtobuf<metav1::WatchEvent>(content);
  if (!event) return Unreadable("frame", content, event.error());
  return Json::Object({{"type", Json(event->type)}, {"object", FromEnvelope(event->object.raw().view())}});
}

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string Decoded(std::string_view base64) {
  std::string bytes;
  if (!internal::DecodeBase64(base64, bytes)) return "";
  return bytes;
}

}  // namespace

std::vector<std::string> Topics() {
  std::vector<std::string> topics;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    if (entry.path().extension() == ".json") topics.push_back(entry.path().stem());
  }
  std::sort(topics.begin(), topics.end());
  return topics;
}

Result<std::vector<Script>> ReadTopic(std::string_view topic) {
  std::ifstream file(Folder() / (std::string(topic) + ".json"));
  std::stringstream text;
  text << file.rdbuf();
  KEELSON_TRY(document, ParseJson(text.str(), {.max_depth = 10'000}));
  std::vector<Script> scripts;
  const Json* list = document.find("scripts");
  if (list == nullptr) return Error(ErrorCode::kInvalid, "the recording has no scripts");
  const bool managed_fields = document.find("managedFields") != nullptr;
  for (const Json& one : list->list()) {
    Script script{.topic = std::string(topic),
                  .name = Text(one, "name"),
                  .namespace_ = Text(one, "namespace"),
                  .steps = {},
                  .answers = {},
                  .managed_fields = managed_fields};
    for (const Json& step : one.find("steps")->list()) {
      script.answers.push_back(*step.find("answer"));
      Json request = step;
      request.object().erase("answer");
      script.steps.push_back(std::move(request));
    }
    scripts.push_back(std::move(script));
  }
  return scripts;
}

std::string Text(const Json& object, std::string_view member) {
  const Json* value = object.find(member);
  return value != nullptr && value->is_string() ? std::string(value->string()) : "";
}

Json Readable(std::string_view content_type, std::string_view content) {
  if (Has(content_type, "protobuf"))
    return Has(content_type, "stream=watch") ? FromFrame(content) : FromEnvelope(content);
  if (Has(content_type, "json")) {
    Result<Json> body = ParseJson(content);
    return body ? *std::move(body) : Unreadable("JSON", content, body.error());
  }
  if (Has(content_type, "yaml")) {
    Result<Json> body = ParseYaml(content);
    return body ? *std::move(body) : Unreadable("YAML", content, body.error());
  }
  return Json(content);
}

std::vector<Json> ReadableAnswers(const Script& script) {
  std::vector<Json> answers;
  for (const Json& answer : script.answers) {
    Json readable = answer;
    const Json* headers = answer.find("headers");
    const std::string content_type = headers == nullptr ? "" : Text(*headers, "Content-Type");
    if (answer.find("base64") != nullptr) {
      readable.object().Set("body", Readable(content_type, Decoded(Text(answer, "base64"))));
      readable.object().erase("base64");
    } else if (answer.find("text") != nullptr) {
      readable.object().Set("body", Readable(content_type, Text(answer, "text")));
      readable.object().erase("text");
    } else if (const Json* events = answer.find("events")) {
      JsonList frames;
      for (const Json& event : events->list()) {
        const bool binary = event.find("base64") != nullptr;
        frames.push_back(binary ? FromFrame(Decoded(Text(event, "base64"))) : event);
      }
      readable.object().Set("events", Json(std::move(frames)));
    }
    answers.push_back(std::move(readable));
  }
  return answers;
}

}  // namespace keelson::differential
