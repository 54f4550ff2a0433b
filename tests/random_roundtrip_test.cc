// Randomly filled objects of every built-in type, and of a user's, through every encoding and back. A failure names the
// type and the seed; KEELSON_ROUNDTRIP_SEEDS asks for more seeds than the few of an ordinary run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/builtin_types.h"
#include "keelson/api/compare.h"
#include "keelson/api/random_value.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/codec/protobuf_writer.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/codec/yaml_writer.h"
#include "tests/app_service.h"

namespace keelson {
namespace {

uint64_t SeedsPerType() {
  const char* wanted = std::getenv("KEELSON_ROUNDTRIP_SEEDS");
  return wanted == nullptr ? 6 : std::strtoull(wanted, nullptr, 10);
}

std::vector<const Type*> AllTypes() {
  const auto builtin = BuiltinTypes();
  std::vector<const Type*> types(builtin.begin(), builtin.end());
  types.push_back(&TypeOf<testing::AppService>());
  return types;
}

// encode(type, value) → bytes; decode(type, value, bytes) → Result<void>.
using Encode = std::function<std::string(const Type&, const void*)>;
using Decode = std::function<Result<void>(const Type&, void*, std::string_view)>;

std::string Shown(const Type& type, const void* value) {
  std::string json;
  AppendJson(type, value, json);
  return json;
}

constexpr RandomValueOptions kSmall = {.max_elements = 2, .max_depth = 4};

void RoundTripAll(const Encode& encode, const Decode& decode, bool (*applies)(const Type&) = nullptr,
                  const RandomValueOptions& content = kSmall) {
  size_t tried = 0;
  int failures = 0;
  for (const Type* type : AllTypes()) {
    if (applies != nullptr && !applies(*type)) continue;
    ++tried;
    for (uint64_t seed = 1; seed <= SeedsPerType() && failures < 10; ++seed) {
      SCOPED_TRACE("type " + std::string(type->name) + ", seed " + std::to_string(seed));
      Random random(seed);
      AnyValue value(*type);
      FillRandom(*type, value.data(), random, content);
      const std::string bytes = encode(*type, value.data());
      AnyValue again(*type);
      const Result<void> read = decode(*type, again.data(), bytes);
      if (!read) {
        ++failures;
        ADD_FAILURE() << read.error().message() << "\nin " << bytes;
      } else if (!Equal(*type, value.data(), again.data())) {
        ++failures;
        ADD_FAILURE() << "came back as " << Shown(*type, again.data()) << "\nwas         "
                      << Shown(*type, value.data());
      } else if (encode(*type, again.data()) != bytes) {
        ++failures;
        ADD_FAILURE() << "an equal value is encoded differently:\n" << encode(*type, again.data()) << "\n" << bytes;
      }
    }
  }
  EXPECT_GT(tried, 300u);
}

std::string EncodeJson(const Type& type, const void* value) { return Shown(type, value); }

TEST(RandomRoundTrip, Json) {
  RoundTripAll(EncodeJson,
               [](const Type& type, void* value, std::string_view text) { return DecodeJson(type, value, text); });
}

TEST(RandomRoundTrip, StrictReaderTakesWhatTheWriterWrote) {
  RoundTripAll(EncodeJson, [](const Type& type, void* value, std::string_view text) {
    return DecodeJson(type, value, text, {.strict = true});
  });
}

TEST(RandomRoundTrip, JsonWithSharedNodes) {
  RoundTripAll(EncodeJson, [](const Type& type, void* value, std::string_view text) {
    return DecodeJson(type, value, text, {.share_nodes = true});
  });
}

// A raw document keeps the white space it came with, so the comparison is with what a compact writer makes of it.
TEST(RandomRoundTrip, IndentedJson) {
  RoundTripAll(
      [](const Type& type, const void* value) {
        std::string text;
        AppendJson(type, value, text, {.indent = 2});
        return text;
      },
      [](const Type& type, void* value, std::string_view text) -> Result<void> {
        AnyValue spaced(type);
        KEELSON_RETURN_IF_ERROR(DecodeJson(type, spaced.data(), text));
        return DecodeJson(type, value, Shown(type, spaced.data()));
      });
}

TEST(RandomRoundTrip, DynamicJson) {
  RoundTripAll(EncodeJson, [](const Type& type, void* value, std::string_view text) -> Result<void> {
    KEELSON_TRY(tree, ParseJson(text));
    KEELSON_RETURN_IF_ERROR(DecodeJsonValue(type, value, tree));
    if (!(ToJsonValue(type, value) == tree)) return Error::Internal("the tree differs after the way through the type");
    return {};
  });
}

TEST(RandomRoundTrip, Yaml) {
  RoundTripAll(
      [](const Type& type, const void* value) {
        std::string text;
        AppendYaml(type, value, text);
        return text;
      },
      [](const Type& type, void* value, std::string_view text) { return DecodeYaml(type, value, text); }, nullptr,
      {.max_elements = 2, .max_depth = 4, .whole_doubles = false});
}

TEST(RandomRoundTrip, Protobuf) {
  RoundTripAll(
      [](const Type& type, const void* value) {
        std::string bytes;
        AppendProtobuf(type, value, bytes);
        return bytes;
      },
      [](const Type& type, void* value, std::string_view bytes) { return DecodeProtobuf(type, value, bytes); },
      [](const Type& type) {
        // The kind of partial metadata travels in the envelope.
        return type.message != nullptr && !type.name.starts_with("meta/v1.PartialObjectMetadata");
      });
}

}  // namespace
}  // namespace keelson
