// Text that is one pointer wide and shared: String, and Bytes for binary data.
//
//   String name = "web";
//   if (name == "web") std::string_view view = name;
//
// The characters never change once written, so copies share them and no mutable reference into them exists; assigning
// replaces the handle. Converts from and to std::string and std::string_view without ceremony. A view into a temporary
// does not compile. The longest text is 64 MiB - 1 (std::length_error).
#pragma once

#include <compare>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/api/node.h"

namespace keelson {

namespace internal {
inline Node* NewStringNode(std::string_view text) {
  Node* node = AllocateNode(NodeKind::kString, text.size(), text.size(), Node::kExact);
  std::memcpy(node->payload(), text.data(), text.size());
  return node;
}
}  // namespace internal

class String {
 public:
  constexpr String() = default;
  String(std::string_view text) : node_(text.empty() ? nullptr : internal::NewStringNode(text)) {}
  String(const char* text) : String(std::string_view(text)) {}
  String(const std::string& text) : String(std::string_view(text)) {}
  String(std::nullptr_t) = delete;

  String(const String& other) : node_(other.node_) {
    if (node_ != nullptr) node_->references.fetch_add(1, std::memory_order_relaxed);
  }
  String(String&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  String& operator=(const String& other) {
    String(other).swap(*this);
    return *this;
  }
  String& operator=(String&& other) noexcept {
    String(std::move(other)).swap(*this);
    return *this;
  }
  ~String() { Release(); }

  void swap(String& other) noexcept { std::swap(node_, other.node_); }
  void clear() { *this = String(); }

  bool empty() const { return size() == 0; }
  size_t size() const { return node_ == nullptr ? 0 : node_->length(); }
  const char* data() const& { return node_ == nullptr ? "" : reinterpret_cast<const char*>(node_->payload()); }
  const char* data() && = delete;
  std::string_view view() const& { return {data(), size()}; }
  std::string_view view() && = delete;
  operator std::string_view() const& { return view(); }
  operator std::string_view() && = delete;
  std::string str() const { return std::string(view()); }
  operator std::string() const { return str(); }

  friend bool operator==(const String& a, const String& b) { return a.node_ == b.node_ || a.view() == b.view(); }
  friend bool operator==(const String& a, std::string_view b) { return a.view() == b; }
  friend bool operator==(const String& a, const char* b) { return a.view() == b; }
  friend bool operator==(const String& a, const std::string& b) { return a.view() == b; }
  friend auto operator<=>(const String& a, const String& b) { return a.view() <=> b.view(); }
  friend auto operator<=>(const String& a, std::string_view b) { return a.view() <=> b; }
  friend auto operator<=>(const String& a, const char* b) { return a.view() <=> std::string_view(b); }
  friend auto operator<=>(const String& a, const std::string& b) { return a.view() <=> std::string_view(b); }
  friend std::string operator+(const String& a, std::string_view b) { return a.str().append(b); }
  friend std::string operator+(std::string_view a, const String& b) { return std::string(a).append(b.view()); }
  friend std::ostream& operator<<(std::ostream& out, const String& text) { return out << text.view(); }

 private:
  void Release() {
    if (node_ != nullptr && internal::DropReference(node_)) internal::FreeStringNode(node_);
  }

  internal::Node* node_ = nullptr;
};

// Binary data: base64 in JSON, raw in protobuf.
class Bytes : public String {
 public:
  using String::String;
};

template <>
struct Describe<String> {
  static const Type type;
};
template <>
struct Describe<Bytes> {
  static const Type type;
};
template <>
struct Describe<bool> {
  static const Type type;
};
template <>
struct Describe<int32_t> {
  static const Type type;
};
template <>
struct Describe<int64_t> {
  static const Type type;
};
template <>
struct Describe<double> {
  static const Type type;
};

}  // namespace keelson

template <>
struct std::hash<keelson::String> {
  size_t operator()(const keelson::String& text) const { return std::hash<std::string_view>()(text.view()); }
};
