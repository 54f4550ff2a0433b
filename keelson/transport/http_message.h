// HTTP as both sides speak of it: headers, a request, an answer whose body arrives piece by piece.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/core/result.h"

namespace keelson {

// Names without regard to case; a name may come several times; order is kept.
class Headers {
 public:
  using Entry = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Entry> entries) : entries_(entries) {}

  void Add(std::string name, std::string value) { entries_.emplace_back(std::move(name), std::move(value)); }
  void Reserve(size_t count) { entries_.reserve(count); }
  // Replaces every one of that name.
  void Set(std::string_view name, std::string value);
  void Remove(std::string_view name);

  // The first of that name, or null.
  const std::string* Find(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
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
};

struct HttpResponse {
  int status = 0;
  Headers headers = {};
  std::unique_ptr<BodyStream> body = {};  // never null
};

// All of it, unless it is longer than that.
Result<std::string> ReadAll(BodyStream& body, size_t max_bytes);

// A body that is there already.
std::unique_ptr<BodyStream> StreamOf(std::string body);

}  // namespace keelson
