// Where the tokens of a JSON text begin, found by simdjson's first stage.
//
// Unlike its On-Demand front end, which is bound to a kernel at compile time, the first stage picks the fastest kernel
// at run time (AVX-512, AVX2, SSE4.2, NEON, or plain code), checks UTF-8 and the closing of strings, and leaves the
// position of every token outside strings: braces, brackets, colons, commas, opening quotes, and the first character of
// each number or literal. Whether the tokens make a document is for the walk over them to say.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "keelson/core/result.h"

namespace simdjson::internal {
class dom_parser_implementation;
}

namespace keelson::internal {

class JsonStructure {
 public:
  JsonStructure();
  ~JsonStructure();

  // `text` must outlive the use of the tokens.
  Result<void> Find(std::string_view text);

  // Ends with the text's length, twice.
  const uint32_t* tokens() const;
  size_t token_count() const;

  // Gives back what a large document took.
  void ShrinkTo(size_t bytes);

  // The kernel in use, such as "icelake": for benchmarks and bug reports.
  static std::string_view KernelName();

 private:
  std::unique_ptr<simdjson::internal::dom_parser_implementation> finder_;
  size_t capacity_ = 0;
};

}  // namespace keelson::internal
