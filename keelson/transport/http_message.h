// HTTP as both sides speak of it: headers, a request, an answer whose body arrives piece by piece.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/core/result.h"

namespace keelson {

// Names without regard to case; a name may come several times; order is kept. The texts lie in one piece of memory, so
// that the dozen headers of an answer cost two allocations and not two dozen.
class Headers {
 public:
  using Entry = std::pair<std::string_view, std::string_view>;  // good until the headers change

  Headers() = default;
  Headers(std::initializer_list<Entry> entries);
  Headers(const Headers& other);
  Headers& operator=(const Headers& other);
  Headers(Headers&&) noexcept = default;
  Headers& operator=(Headers&&) noexcept = default;

  void Add(std::string_view name, std::string_view value);
  // For so many, with so many bytes of names and values.
  void Reserve(size_t count, size_t bytes);
  // Replaces every one of that name.
  void Set(std::string_view name, std::string_view value);
  void Remove(std::string_view name);

  // The first of that name, or null. Good until the headers change.
  const std::string_view* Find(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

  // For a parser, which copies the lines that it has before it takes them apart: AddKept names parts of what Keep took,
  // by their place. Nothing was added before Keep.
  void Keep(std::string_view lines);
  void AddKept(size_t name, size_t name_size, size_t value, size_t value_size) {
    entries_.emplace_back(std::string_view(text_.data() + name, name_size),
                          std::string_view(text_.data() + value, value_size));
  }

 private:
  bool Owns(std::string_view text) const;
  std::string_view Append(std::string_view text);

  // A vector, because its bytes stay where they are when it is moved. Has room for what is appended.
  std::vector<char> text_;
  std::vector<Entry> entries_;  // into text_
};

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, percent-encoded: "/api/v1/pods?limit=500"
  Headers headers = {};
  std::string body = {};
  // The answer goes on for long (watch, log): it gets a connection of its own, so that a slow reader of it delays
  // nobody else.
  bool streaming = false;
};

// The body of an answer as it arrives. Used by one thread at a time. Destroying it abandons the rest.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // Waits for the next bytes; empty at the end. Valid until the next call. The stop token and the deadline of the
  // request hold here too. After an error or the end every call gives the same again.
  virtual Result<std::string_view> Next() = 0;
  // Whether it is known that what Next gave last was the end: the next call would give nothing. False says nothing.
  virtual bool GaveAll() const { return false; }
};

struct HttpResponse {
  int status = 0;
  Headers headers = {};
  std::unique_ptr<BodyStream> body = {};  // never null
};

// All of it, unless it is longer than that.
Result<std::string> ReadAll(BodyStream& body, size_t max_bytes);
// The same for one who looks at it and goes on: a body that came in one piece is left where it is, any other is put
// together in `buffer`. Good as long as both are and Next is not called.
Result<std::string_view> ReadInPlace(BodyStream& body, size_t max_bytes, std::string& buffer);

// A body that is there already.
std::unique_ptr<BodyStream> StreamOf(std::string body);

}  // namespace keelson
