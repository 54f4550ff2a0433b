// Events of a watch as servers write them, cut without being parsed. Whatever is written otherwise is left to a parser.
#pragma once

#include <string_view>

namespace keelson::internal {

// {"type":"ADDED","object":…}: true with both set. A document of that start which goes on behind the object leaves an
// object that is no JSON, so that its reader finds out.
bool CutCanonicalEvent(std::string_view frame, std::string_view* type, std::string_view* object);
// A WatchEvent in protobuf: its type, and an object that holds nothing but raw bytes.
bool CutCanonicalProtobufEvent(std::string_view frame, std::string_view* type, std::string_view* object);

// Whose event a frame is. Where it is not written as built-in kinds are, or not so much of it has come, there is no
// name, or a wrong one: good for a guess.
struct PeekedName {
  std::string_view namespace_ = {};
  std::string_view name = {};
};
PeekedName PeekNameInEvent(std::string_view frame);
PeekedName PeekNameInProtobufEvent(std::string_view frame);

}  // namespace keelson::internal
