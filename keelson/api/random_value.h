// Fills any described value with random content, the same for the same seed: for tests of code that handles all types.
//
//   Random random(seed);
//   const auto pod = RandomValue<corev1::Pod>(random);
//   EXPECT_TRUE(Equal(*FromJson<corev1::Pod>(ToJson(pod)), pod)) << "seed " << seed;
//
// What comes out is valid for every encoding: quantities and times parse, raw documents are JSON, text is UTF-8 (with
// controls, quotes, escapes and empty text among it), a union has one of its forms, and elements of sets and list-maps
// do not repeat. It is not valid for the server's rules: names are any text.
#pragma once

#include <cstddef>

#include "keelson/api/type.h"
#include "keelson/core/random.h"

namespace keelson {

struct RandomValueOptions {
  double fill = 0.6;        // chance of each field, and of each optional, to be set
  size_t max_elements = 3;  // of a list or map
  size_t max_text = 24;     // characters of a string
  int max_depth = 5;        // structs inside lists, maps and optionals; deeper ones stay absent
  // Doubles such as 2.0 in dynamic values. YAML, as Kubernetes writes it, gives them back as integers.
  bool whole_doubles = true;
};

// `value` is a default one of that type.
void FillRandom(const Type& type, void* value, Random& random, const RandomValueOptions& options = {});

template <class T>
T RandomValue(Random& random, const RandomValueOptions& options = {}) {
  T value{};
  FillRandom(TypeOf<T>(), &value, random, options);
  return value;
}

}  // namespace keelson
