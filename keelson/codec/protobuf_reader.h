// From protobuf to values, by their tables.
//
//   Result<corev1::Pod> pod = FromProtobuf<corev1::Pod>(message);   // without the envelope: see protobuf_envelope.h
//
// Fields may come in any order; of a repeated scalar the last one wins and repeated messages are merged, as protobuf
// says. An error names the path and the reason ("spec.containers[0].name: expected …, found …") and leaves nothing half
// filled. Stricter than Go's reader in one point: text must be UTF-8. Fields that the type does not have are kept with
// the object (ObjectMeta::unknownFields) and written back; a type without ObjectMeta drops them.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "keelson/api/type.h"
#include "keelson/codec/kept_versions.h"
#include "keelson/core/result.h"

namespace keelson {

struct ProtobufReadOptions {
  // Equal nodes are stored once (api/sharing.h), where looking for them pays: what a cache wants.
  bool share_nodes = false;
  // Sections that come in the same bytes as in the version before are taken over from it.
  KeptVersions* versions = nullptr;
  size_t max_bytes = size_t{64} << 20;
  int max_depth = 500;  // messages inside messages
};

// Reads messages one after another, keeping its buffers. Not thread-safe: one for each thread.
class ProtobufReader {
 public:
  explicit ProtobufReader(ProtobufReadOptions options = {});
  ~ProtobufReader();
  ProtobufReader(ProtobufReader&&) noexcept;
  ProtobufReader& operator=(ProtobufReader&&) noexcept;

  void set_options(const ProtobufReadOptions& options);

  // Fills `value`, which is a default one of that type and stays so on an error.
  Result<void> Read(const Type& type, void* value, std::string_view message);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// With buffers of the calling thread.
Result<void> DecodeProtobuf(const Type& type, void* value, std::string_view message,
                            const ProtobufReadOptions& options = {});

template <class T>
Result<T> FromProtobuf(std::string_view message, const ProtobufReadOptions& options = {}) {
  T value{};
  KEELSON_RETURN_IF_ERROR(DecodeProtobuf(TypeOf<T>(), &value, message, options));
  return value;
}

}  // namespace keelson
