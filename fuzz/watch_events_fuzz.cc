// Any bytes as the events of a watch, of JSON or protobuf by the first byte, in chunks whose size the second gives:
// what is cut without being parsed is what a parser makes of it, and looking ahead tells of names that are there.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/meta/v1.h"
#include "keelson/client/watch.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/transport/watch_frames.h"

namespace {

using namespace keelson;

constexpr size_t kMaxStream = 8192;  // not enough for what is nested too deep

void Expect(bool condition) {
  if (!condition) std::abort();
}

struct Told {
  std::vector<std::pair<std::string, corev1::ConfigMap>> events;
  bool failed = false;
};

class Chunks final : public BodyStream {
 public:
  Chunks(std::string_view stream, size_t size) : rest_(stream), size_(size) {}
  Result<std::string_view> Next() override {
    chunk_ = rest_.substr(0, size_);  // a copy of its own, so that reading beyond it is noticed
    rest_.remove_prefix(chunk_.size());
    return std::string_view(chunk_);
  }

 private:
  std::string_view rest_;
  const size_t size_;
  std::string chunk_;
};

// Knows no object, and looks at each name that it is told.
class Reader final : public KeptVersions {
 public:
  explicit Reader(std::string_view stream) : stream_(stream) {}
  void Expect(std::string_view namespace_, std::string_view name) override {
    ::Expect(stream_.find(namespace_) != stream_.npos && stream_.find(name) != stream_.npos);
  }
  Version Find(std::string_view, std::string_view) override { return {}; }
  void Keep(SectionMarks) override {}

 private:
  const std::string_view stream_;
};

Told Watch(std::string_view stream, bool protobuf, size_t chunk, KeptVersions* versions) {
  const char* const type = protobuf ? "application/vnd.kubernetes.protobuf;stream=watch" : "application/json";
  const auto watch = RawWatch::Open(TypeOf<corev1::ConfigMap>(), versions, {}, [&](const StopToken&) {
                       HttpResponse response{.status = 200, .headers = {{"Content-Type", type}}};
                       response.body = std::make_unique<Chunks>(stream, chunk);
                       return Result<HttpResponse>(std::move(response));
                     }).value();
  Told told;
  while (true) {
    corev1::ConfigMap object;
    const Result<std::optional<WatchEventType>> event = watch->Next(&object);
    told.failed = !event;
    if (!event || !*event) return told;
    told.events.emplace_back(ToString(**event), std::move(object));
  }
}

Result<corev1::ConfigMap> Parse(std::string_view frame, bool protobuf, std::string& type) {
  if (!protobuf) {
    KEELSON_TRY(event, FromJson<metav1::WatchEvent>(frame));
    type = event.type.str();
    return FromJson<corev1::ConfigMap>(event.object.raw());
  }
  KEELSON_TRY(event, FromProtobuf<metav1::WatchEvent>(frame));
  type = event.type.str();
  const std::string_view body = event.object.raw();
  KEELSON_TRY(envelope, OpenProtobufEnvelope(body));
  return FromProtobuf<corev1::ConfigMap>(envelope.raw);
}

// Every event by the parser.
Told Parsed(std::string_view stream, bool protobuf) {
  const std::unique_ptr<WatchFrameCutter> frames = protobuf ? NewProtobufWatchFrames() : NewJsonWatchFrames();
  frames->Append(stream);
  Told told;
  while (true) {
    const Result<std::optional<std::string_view>> frame = frames->Next();
    told.failed = !frame || (!*frame && !frames->at_boundary());
    if (!frame || !*frame) return told;
    std::string type;
    Result<corev1::ConfigMap> object = Parse(**frame, protobuf, type);
    told.failed = !object || (type != "ADDED" && type != "MODIFIED" && type != "DELETED" && type != "BOOKMARK");
    if (told.failed) return told;
    told.events.emplace_back(type, *std::move(object));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > kMaxStream) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 2, size - 2);
  const bool protobuf = data[0] % 2 != 0;
  const Told parsed = Parsed(stream, protobuf);
  Reader reader(stream);
  for (const Told& told :
       {Watch(stream, protobuf, stream.size() + 1, &reader), Watch(stream, protobuf, data[1] + size_t{1}, &reader),
        Watch(stream, protobuf, stream.size() + 1, nullptr)}) {
    // How many come before bytes that are no JSON depends on the chunks (watch_frames.h).
    Expect(told.failed == parsed.failed && (told.failed || told.events.size() == parsed.events.size()));
    for (size_t i = 0; i < std::min(told.events.size(), parsed.events.size()); ++i) {
      Expect(told.events[i].first == parsed.events[i].first);
      Expect(Equal(told.events[i].second, parsed.events[i].second));
    }
  }
  return 0;
}
