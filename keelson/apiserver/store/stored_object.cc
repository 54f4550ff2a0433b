#include "keelson/apiserver/store/stored_object.h"

#include <charconv>
#include <utility>

namespace keelson::apiserver {
namespace {

constexpr size_t kMaxDigits = 20;

struct Digits {
  explicit Digits(Revision revision) {
    size = static_cast<size_t>(std::to_chars(text, text + kMaxDigits, revision).ptr - text);
  }
  std::string_view view() const { return {text, size}; }

  char text[kMaxDigits];
  size_t size;
};

}  // namespace

StoredObject::StoredObject(Draft draft, Revision revision)
    : meta_{.namespace_ = std::move(draft.namespace_),
            .name = std::move(draft.name),
            .uid = std::move(draft.uid),
            .labels = std::move(draft.labels),
            .fields = std::move(draft.fields)},
      revision_(revision),
      revision_at_(static_cast<uint32_t>(draft.revision_at)) {
  const Digits digits(revision);
  revision_digits_ = static_cast<uint32_t>(digits.size);
  draft.json.insert(draft.revision_at, digits.view());
  json_ = String(draft.json);
}

StoredObject::StoredObject(const StoredObject& other, Revision revision)
    : meta_(other.meta_), revision_(revision), revision_at_(other.revision_at_) {
  const Digits digits(revision);
  revision_digits_ = static_cast<uint32_t>(digits.size);
  std::string json;
  json.reserve(other.json_.size() + digits.size);
  json.append(other.json_.view(), 0, other.revision_at_);
  json.append(digits.view());
  json.append(other.json_.view(), other.revision_at_ + other.revision_digits_);
  json_ = String(json);
}

StoredObject::~StoredObject() { delete protobuf_.load(std::memory_order_relaxed); }

String StoredObject::Protobuf(const std::function<std::string(std::string_view json)>& make) const {
  if (const String* made = protobuf_.load(std::memory_order_acquire)) return *made;
  auto mine = std::make_unique<String>(make(json_.view()));
  String* first = nullptr;
  if (protobuf_.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel)) return *mine.release();
  return *first;
}

}  // namespace keelson::apiserver
