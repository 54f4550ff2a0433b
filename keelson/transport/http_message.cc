#include "keelson/transport/http_message.h"

#include <algorithm>

#include "keelson/transport/internal/header_text.h"

namespace keelson {

namespace {

class ReadyBody final : public BodyStream {
 public:
  explicit ReadyBody(std::string body) : body_(std::move(body)) {}
  Result<std::string_view> Next() override {
    if (std::exchange(given_, true)) return std::string_view();
    return std::string_view(body_);
  }

 private:
  const std::string body_;
  bool given_ = false;
};

}  // namespace

void Headers::Set(std::string_view name, std::string value) {
  Remove(name);
  Add(std::string(name), std::move(value));
}

void Headers::Remove(std::string_view name) {
  const auto is_named = [&](const Entry& entry) { return internal::IsName(entry.first, name); };
  const auto first = std::find_if(entries_.begin(), entries_.end(), is_named);
  if (first == entries_.end()) return;
  if (first + 1 == entries_.end()) return entries_.pop_back();  // who takes back what was added last need not move any
  entries_.erase(std::remove_if(first, entries_.end(), is_named), entries_.end());
}

const std::string* Headers::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (internal::IsName(entry.first, name)) return &entry.second;
  }
  return nullptr;
}

std::vector<std::string_view> Headers::All(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Entry& entry : entries_) {
    if (internal::IsName(entry.first, name)) values.push_back(entry.second);
  }
  return values;
}

Result<std::string> ReadAll(BodyStream& body, size_t max_bytes) {
  std::string all;
  while (true) {
    KEELSON_TRY(bytes, body.Next());
    if (bytes.empty()) return all;
    if (bytes.size() > max_bytes - all.size()) {
      return Error::InvalidArgument("the answer is longer than " + std::to_string(max_bytes) +
                                    " bytes; read it as a stream or ask for less");
    }
    all.append(bytes);
  }
}

std::unique_ptr<BodyStream> StreamOf(std::string body) { return std::make_unique<ReadyBody>(std::move(body)); }

}  // namespace keelson
