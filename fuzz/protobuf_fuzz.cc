// Reads the input as several API types. What can be read must be the same after it was written and read again, with
// nodes shared or not.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/api/access.h"
#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/authentication/v1.h"
#include "keelson/api/autoscaling/v2.h"
#include "keelson/api/batch/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/coordination/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/resource/v1.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/protobuf_writer.h"

namespace {

using namespace keelson;

void Require(bool condition, const Type& type, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(type.name.size()), type.name.data(), what);
  std::abort();
}

std::string Write(const Type& type, const AnyValue& value) {
  std::string out;
  AppendProtobuf(type, value.data(), out);
  return out;
}

// The readers keep what they have seen from one type to the next.
void Try(ProtobufReader& plain, ProtobufReader& sharing, const Type& type, std::string_view message) {
  AnyValue value(type);
  AnyValue shared(type);
  const Result<void> read = plain.Read(type, value.data(), message);
  const Result<void> read_sharing = sharing.Read(type, shared.data(), message);
  Require(read.has_value() == read_sharing.has_value(), type, "sharing nodes changes what can be read");
  if (!read) {
    Require(IsZero(type, value.data()) && IsZero(type, shared.data()), type, "an error left something behind");
    return;
  }
  const std::string written = Write(type, value);
  Require(written == Write(type, shared), type, "sharing nodes changes the value");
  AnyValue again(type);
  AnyValue once_more(type);
  Require(plain.Read(type, again.data(), written).has_value(), type, "what was written cannot be read");
  Require(sharing.Read(type, once_more.data(), written).has_value(), type, "what was written cannot be read twice");
  Require(Write(type, again) == written, type, "what was written changes when it is read and written");
  const bool has_nan = !Equal(type, again.data(), once_more.data());  // nothing else differs from itself
  Require(has_nan || Equal(type, value.data(), again.data()), type, "the value changes when it is written and read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  ProtobufReader plain;
  ProtobufReader sharing({.share_nodes = true});
  for (const Type* type :
       {&TypeOf<corev1::Pod>(), &TypeOf<corev1::PodList>(), &TypeOf<corev1::ConfigMap>(), &TypeOf<corev1::Service>(),
        &TypeOf<corev1::Node>(), &TypeOf<appsv1::StatefulSet>(), &TypeOf<apiextensionsv1::CustomResourceDefinition>(),
        &TypeOf<autoscalingv2::HorizontalPodAutoscaler>(), &TypeOf<batchv1::Job>(), &TypeOf<coordinationv1::Lease>(),
        &TypeOf<authenticationv1::TokenReview>(), &TypeOf<resourcev1::ResourceSlice>(),
        &TypeOf<metav1::WatchEvent>()}) {
    Try(plain, sharing, *type, message);
  }
  if (const Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(message)) {
    std::string body;
    AppendProtobufEnvelope(*envelope, body);
    const Result<ProtobufEnvelope> again = OpenProtobufEnvelope(std::string_view(body));
    if (!again || again->raw != envelope->raw || again->kind != envelope->kind) std::abort();
  }
  return 0;
}
