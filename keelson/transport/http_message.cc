#include "keelson/transport/http_message.h"

#include <algorithm>
#include <functional>

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
  bool GaveAll() const override { return given_; }

 private:
  const std::string body_;
  bool given_ = false;
};

}  // namespace

Headers::Headers(std::initializer_list<Entry> entries) {
  size_t bytes = 0;
  for (const auto& [name, value] : entries) bytes += name.size() + value.size();
  Reserve(entries.size(), bytes);
  for (const auto& [name, value] : entries) Add(name, value);
}

Headers::Headers(const Headers& other) : text_(other.text_) {
  entries_.reserve(other.entries_.size());
  const auto moved = [&](std::string_view text) {
    return std::string_view(text_.data() + (text.data() - other.text_.data()), text.size());
  };
  for (const auto& [name, value] : other.entries_) entries_.emplace_back(moved(name), moved(value));
}

Headers& Headers::operator=(const Headers& other) {
  if (this != &other) *this = Headers(other);
  return *this;
}

void Headers::Reserve(size_t count, size_t bytes) {
  entries_.reserve(count);
  if (text_.capacity() >= bytes) return;
  Headers roomy;
  roomy.text_.reserve(bytes);
  roomy.text_.assign(text_.begin(), text_.end());
  for (auto& [name, value] : entries_) {
    name = std::string_view(roomy.text_.data() + (name.data() - text_.data()), name.size());
    value = std::string_view(roomy.text_.data() + (value.data() - text_.data()), value.size());
  }
  text_ = std::move(roomy.text_);
}

std::string_view Headers::Append(std::string_view text) {
  const size_t at = text_.size();
  text_.insert(text_.end(), text.begin(), text.end());
  return {text_.data() + at, text.size()};
}

bool Headers::Owns(std::string_view text) const {
  const std::less<> before;
  return !before(text.data(), text_.data()) && before(text.data(), text_.data() + text_.size());
}

void Headers::Add(std::string_view name, std::string_view value) {
  // A vector cannot be given a part of itself, and its text may be about to move.
  if (Owns(name) || Owns(value)) return Add(std::string(name), std::string(value));
  const size_t wanted = text_.size() + name.size() + value.size();
  if (wanted > text_.capacity()) {
    Reserve(entries_.size() + 1, std::max({wanted, 2 * text_.capacity(), size_t{128}}));
  }
  const std::string_view kept_name = Append(name);
  entries_.emplace_back(kept_name, Append(value));
}

void Headers::Keep(std::string_view lines) { text_.assign(lines.begin(), lines.end()); }

void Headers::Set(std::string_view name, std::string_view value) {
  const std::string own(value);  // it may be the one that goes
  Remove(name);
  Add(name, own);
}

void Headers::Remove(std::string_view name) {
  const auto is_named = [&](const Entry& entry) { return internal::IsName(entry.first, name); };
  const auto first = std::find_if(entries_.begin(), entries_.end(), is_named);
  if (first == entries_.end()) return;
  if (first + 1 == entries_.end()) {
    // Who takes back what was added last need not move any, and leaves no text behind.
    const size_t begin = static_cast<size_t>(first->first.data() - text_.data());
    if (begin + first->first.size() + first->second.size() == text_.size()) text_.resize(begin);
    return entries_.pop_back();
  }
  entries_.erase(std::remove_if(first, entries_.end(), is_named), entries_.end());
}

const std::string_view* Headers::Find(std::string_view name) const {
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

Result<std::string_view> ReadInPlace(BodyStream& body, size_t max_bytes, std::string& buffer) {
  buffer.clear();
  while (true) {
    KEELSON_TRY(bytes, body.Next());
    if (bytes.empty()) return std::string_view(buffer);
    if (bytes.size() > max_bytes - buffer.size()) {
      return Error::InvalidArgument("the answer is longer than " + std::to_string(max_bytes) +
                                    " bytes; read it as a stream or ask for less");
    }
    if (buffer.empty() && body.GaveAll()) return bytes;
    buffer.append(bytes);
  }
}

Result<std::string> ReadAll(BodyStream& body, size_t max_bytes) {
  std::string all;
  KEELSON_TRY(read, ReadInPlace(body, max_bytes, all));
  if (read.data() != all.data()) {
    all.assign(read);
    // To its end, which a body that comes over a connection waits for to let go of that.
    KEELSON_RETURN_IF_ERROR(body.Next());
  }
  return all;
}

std::unique_ptr<BodyStream> StreamOf(std::string body) { return std::make_unique<ReadyBody>(std::move(body)); }

}  // namespace keelson
