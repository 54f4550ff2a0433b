// Values that API objects carry without looking inside: RawExtension and FieldsV1.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "keelson/api/list.h"

namespace keelson {

// Any document: the JSON text as it came or, inside protobuf, whatever bytes were sent. Empty means null.
class RawExtension {
 public:
  constexpr RawExtension() = default;
  RawExtension(String raw) : raw_(std::move(raw)) {}
  RawExtension(std::string_view raw) : raw_(raw) {}
  RawExtension(const char* raw) : raw_(raw) {}

  const String& raw() const& { return raw_; }
  const String& raw() && = delete;
  bool empty() const { return raw_.empty(); }
  friend bool operator==(const RawExtension&, const RawExtension&) = default;

 private:
  String raw_;
};

// A set of fields, as managedFields hold it: compact JSON text such as {"f:spec":{"f:replicas":{}}}.
//
// Held in pieces cut at members of the outer levels, because the sets of a Deployment's Pods differ in one or two
// members (an IP address) and share the rest; or in one piece, where nothing is shared. Equality is that of the text.
class FieldsV1 {
 public:
  constexpr FieldsV1() = default;
  explicit FieldsV1(std::string_view json) : pieces_(Cut(json)) {}

  bool empty() const { return pieces_.empty(); }
  const List<String>& pieces() const& { return pieces_; }
  const List<String>& pieces() && = delete;
  std::string ToString() const;
  friend bool operator==(const FieldsV1& a, const FieldsV1& b) { return a.pieces_ == b.pieces_ || a.HasSameText(b); }

  // Cuts what is in one piece.
  void CutIntoPieces() {
    if (pieces_.size() == 1) pieces_ = Cut(std::as_const(pieces_)[0]);
  }

  // Whether a comma that ends `length` characters of a piece ends the piece; `depth` counts braces since it began. A
  // piece ends at the outermost levels only: deeper cuts would cost more in handles than they share.
  static constexpr bool EndsPiece(size_t length, int depth) { return depth <= 2 && length >= 48; }

  // Calls add(piece) for the pieces of `json`, whose concatenation it is. The cuts depend on the text alone.
  template <class Add>
  static void ForEachPiece(std::string_view json, Add add) {
    while (!json.empty()) {
      const size_t length = FirstPiece(json);
      add(json.substr(0, length));
      json.remove_prefix(length);
    }
  }

 private:
  static List<String> Cut(std::string_view json);
  static size_t FirstPiece(std::string_view json);
  bool HasSameText(const FieldsV1& other) const;

  List<String> pieces_;
};

template <>
inline constexpr bool kIsPlainValue<RawExtension> = true;
template <>
inline constexpr bool kIsPlainValue<FieldsV1> = true;
template <>
inline constexpr bool kIsSingleHandle<RawExtension> = true;
template <>
inline constexpr bool kIsSingleHandle<FieldsV1> = true;
template <>
struct Describe<RawExtension> {
  static const Type type;
};
template <>
struct Describe<FieldsV1> {
  static const Type type;
};

}  // namespace keelson
