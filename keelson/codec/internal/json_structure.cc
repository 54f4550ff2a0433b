#include "keelson/codec/internal/json_structure.h"

#include <simdjson.h>

#include <algorithm>

namespace keelson::internal {

namespace {
// Every thread that decodes has one, and it takes four times the capacity.
constexpr size_t kSmallestCapacity = 4 << 10;
}  // namespace

JsonStructure::JsonStructure() = default;
JsonStructure::~JsonStructure() = default;

Result<void> JsonStructure::Find(std::string_view text) {
  if (text.size() > capacity_ || finder_ == nullptr) {
    capacity_ = std::max({text.size(), std::min(2 * capacity_, size_t{64} << 10), kSmallestCapacity});
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(capacity_, 1, finder_);
    if (error) return Error::Internal(std::string("JSON scanner: ") + simdjson::error_message(error));
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  switch (finder_->stage1(bytes, text.size(), simdjson::stage1_mode::regular)) {
    case simdjson::SUCCESS: return {};
    case simdjson::EMPTY: return Error::InvalidArgument("the document is empty");
    case simdjson::UTF8_ERROR: return Error::InvalidArgument("the text is not valid UTF-8");
    case simdjson::UNCLOSED_STRING: return Error::InvalidArgument("a string is not closed");
    case simdjson::UNESCAPED_CHARS:
      return Error::InvalidArgument("a string holds a control character that is not escaped");
    default: return Error::InvalidArgument("the text is not JSON");
  }
}

const uint32_t* JsonStructure::tokens() const { return finder_->structural_indexes.get(); }
size_t JsonStructure::token_count() const { return finder_->n_structural_indexes; }

void JsonStructure::ShrinkTo(size_t bytes) {
  if (capacity_ <= bytes) return;
  finder_.reset();
  capacity_ = 0;
}

std::string_view JsonStructure::KernelName() {
  static const std::string name = simdjson::get_active_implementation()->name();
  return name;
}

}  // namespace keelson::internal
