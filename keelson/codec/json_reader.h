// From JSON text to values: typed ones by their tables, dynamic ones as Json.
//
//   Result<corev1::Pod> pod = FromJson<corev1::Pod>(text);
//   Result<Json> document = ParseJson(text);
//
// simdjson finds the structure of the text with the fastest kernel of the machine at hand; one walk over it fills the
// value by its table. An error names the path and the reason ("spec.containers[0].ports: expected array, found string")
// and leaves nothing half filled. Fields that the type does not have are kept in ObjectMeta::unknownFields unless
// `strict` is asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/codec/kept_versions.h"
#include "keelson/core/result.h"

namespace keelson {

struct JsonReadOptions {
  // Unknown and duplicate fields are an error that lists every one of them with its path.
  bool strict = false;
  // Equal nodes are stored once (api/sharing.h), where looking for them pays: what a cache wants.
  bool share_nodes = false;
  // Sections that come in the same text as in the version before are taken over from it.
  KeptVersions* versions = nullptr;
  size_t max_bytes = size_t{64} << 20;
  int max_depth = 500;
};

// Reads documents one after another, keeping its buffers. Not thread-safe: one for each thread.
class JsonReader {
 public:
  explicit JsonReader(JsonReadOptions options = {});
  ~JsonReader();
  JsonReader(JsonReader&&) noexcept;
  JsonReader& operator=(JsonReader&&) noexcept;

  void set_options(const JsonReadOptions& options);

  // Fills `value`, which is a default one of that type and stays so on an error.
  Result<void> Read(const Type& type, void* value, std::string_view text);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// With a reader of the calling thread.
Result<void> DecodeJson(const Type& type, void* value, std::string_view text, const JsonReadOptions& options = {});

template <class T>
Result<T> FromJson(std::string_view text, const JsonReadOptions& options = {}) {
  T value{};
  KEELSON_RETURN_IF_ERROR(DecodeJson(TypeOf<T>(), &value, text, options));
  return value;
}

inline Result<Json> ParseJson(std::string_view text, const JsonReadOptions& options = {}) {
  return FromJson<Json>(text, options);
}

}  // namespace keelson
