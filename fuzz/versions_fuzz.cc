// One object after another by a reader that knows the versions before: each reads as it would without them. The input
// is versions of a Pod behind each other, in JSON or, where it begins with a byte of 1, in protobuf; a zero byte ends
// one.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "keelson/api/access.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/kept_versions.h"
#include "keelson/codec/protobuf_reader.h"

namespace {

using namespace keelson;

// All objects are taken for versions of one, whatever their names.
class LastOne final : public KeptVersions {
 public:
  Version Find(std::string_view, std::string_view) override { return {.object = &object, .marks = &marks}; }
  void Keep(SectionMarks next) override { next_ = std::move(next); }
  void Store(corev1::Pod pod) {
    object = std::move(pod);
    marks = std::exchange(next_, {});
  }

  corev1::Pod object = {};
  SectionMarks marks = {};

 private:
  SectionMarks next_;
};

Result<void> Read(bool protobuf, std::string_view bytes, KeptVersions* versions, corev1::Pod* pod) {
  const Type& type = TypeOf<corev1::Pod>();
  const bool share = versions != nullptr;
  return protobuf ? ProtobufReader({.share_nodes = share, .versions = versions}).Read(type, pod, bytes)
                  : JsonReader({.share_nodes = share, .versions = versions}).Read(type, pod, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  LastOne cache;
  while (!input.empty()) {
    const bool protobuf = input.front() == 1;
    const std::string_view bytes = input.substr(protobuf, input.find('\0') - protobuf);
    input.remove_prefix(std::min(input.size(), bytes.size() + protobuf + 1));
    corev1::Pod plain, next;
    const bool reads = Read(protobuf, bytes, nullptr, &plain).has_value();
    if (Read(protobuf, bytes, &cache, &next).has_value() != reads) std::abort();
    if (!reads) continue;
    if (!Equal(TypeOf<corev1::Pod>(), &plain, &next)) std::abort();
    cache.Store(std::move(next));
  }
  return 0;
}
