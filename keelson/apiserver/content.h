// Which encoding a request's body has and which its answer shall have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/core/result.h"
#include "keelson/transport/http_message.h"

namespace keelson::apiserver {

enum class Format : uint8_t { kJson, kYaml, kProtobuf };

// What of an object is asked for.
enum class View : uint8_t {
  kWhole,
  kTable,     // as kubectl prints it
  kMetadata,  // PartialObjectMetadata, or a list of them
};

// What the Accept header comes to.
struct Representation {
  Format format = Format::kJson;
  View view = View::kWhole;
  std::string meta_version = "v1";  // of Table and PartialObjectMetadata: "v1" or "v1beta1"
  bool pretty = false;              // indented JSON, for people
};

enum class Answer : uint8_t {
  kObject,
  kList,
  kWatch,
  kPlain,  // discovery, scale, reviews: no other view than the whole
};

// The first clause of `Accept` that can be met, by weight and order. `custom`: whole objects have no protobuf form.
// Error: 406.
Result<Representation> Negotiate(const Headers& headers, Answer answer, bool pretty_asked, bool custom = false);

// "application/json"; of a watch in protobuf: "application/vnd.kubernetes.protobuf;stream=watch".
std::string_view ContentType(Format format, Answer answer);

// Of a body with that Content-Type (JSON when there is none). Error: 415.
Result<Format> BodyFormat(const Headers& headers);

enum class PatchKind : uint8_t { kJson, kMerge, kStrategic, kApply };
// Nothing when the Content-Type is no patch's.
std::optional<PatchKind> PatchKindOf(std::string_view content_type);

// A media type without its parameters, in lower case.
std::string MediaType(std::string_view header);

}  // namespace keelson::apiserver
