// From values to protobuf, byte for byte as Go's Kubernetes types write themselves: fields by ascending number, values
// that are not pointers always, lists and maps when they are not empty, map entries by key.
//
//   std::string message = ToProtobuf(pod);                 // without the envelope that servers and clients exchange
//   AppendProtobufEnvelope(TypeOf<corev1::Pod>(), &pod, body);   // with it: protobuf_envelope.h
#pragma once

#include <string>

#include "keelson/api/type.h"

namespace keelson {

// Whether the type has a protobuf form. Custom resources have none.
inline bool HasProtobuf(const Type& type) { return type.message != nullptr; }

// Appends to `out`; nothing when the type has no protobuf form. What has none inside the value is left out.
void AppendProtobuf(const Type& type, const void* value, std::string& out);

template <class T>
std::string ToProtobuf(const T& value) {
  std::string out;
  AppendProtobuf(TypeOf<T>(), &value, out);
  return out;
}

}  // namespace keelson
