// Sections of an object taken over from the version before (kept_versions.h): the part that both readers share.
//
//   sections_.Begin(options.versions, type, value);
//   …
//   if (sections_.covers(slot)) {
//     const SectionMarks::Mark before = sections_.Open(slot);
//     if (sections_.IsSame(before, content, bytes)) return sections_.TakeOver(content, slot);     // skip the bytes
//     … read it into slot; when nothing in it is kept elsewhere:
//     sections_.Note(content, slot, bytes, tokens);
//   }
//   sections_.End();
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "keelson/api/meta/v1.h"
#include "keelson/api/node.h"
#include "keelson/api/string.h"
#include "keelson/api/type.h"
#include "keelson/codec/kept_versions.h"

namespace keelson::internal {

class SectionReuse {
 public:
  // Shorter is quicker to parse than to find.
  static constexpr size_t kShortest = 24;
  // Instead of a hash: the section is the same when it has as many elements and each is the same.
  static constexpr uint64_t kByElements = 1;

  // Without `versions`, and for objects without metadata, no slot is covered.
  void Begin(KeptVersions* versions, const Type& type, void* value);

  // Whether it is a handle of the object itself.
  bool covers(const void* slot) const {
    return static_cast<size_t>(static_cast<const std::byte*>(slot) - object_) < size_;
  }

  // A text that the object itself holds comes now: the version before's when that has the same, otherwise null.
  const String* SameString(const void* slot, std::string_view text) {
    if (!looked_) LookUp(slot);
    if (before_.object == nullptr) return nullptr;
    const auto& before =
        *reinterpret_cast<const String*>(static_cast<const std::byte*>(before_.object) + OffsetOf(slot));
    return std::string_view(before) == text ? &before : nullptr;
  }

  // The section of this slot comes now. What it was read from in the version before: hash 0 when that is not known.
  SectionMarks::Mark Open(const void* slot);
  static bool IsSame(const SectionMarks::Mark& before, const Type& content, std::string_view text) {
    return before.hash != 0 && text.size() >= kShortest && before.hash == HashOf(content, text);
  }
  bool IsOpen(const void* slot) const { return open_ == slot && covers(slot); }
  // The section that is open is the same as before. Returns true.
  bool TakeOver(const Type& content, Node** slot);

  // Likewise of an element of the section that is open.
  SectionMarks::Mark ElementBefore(size_t index) const;
  // Of a section with kByElements.
  size_t element_count_before() const { return node_before_->length(); }
  // So many elements from the first on were found to be the same. 0 when a section is opened.
  size_t same_elements() const { return same_elements_; }
  void set_same_elements(size_t count);
  // With a reference.
  Node* TakeElement(const Type& element, size_t index);
  // It was read; an empty text cannot be taken the next time. The text has to stay until Note.
  void NoteElement(const Type& element, std::string_view text, size_t tokens) {
    elements_.push_back({.mark = {}, .type = &element, .text = text, .tokens = tokens});
  }
  // All of the section that is open was read.
  void Note(const Type& content, const void* slot, std::string_view text, size_t tokens);

  // A field came twice, so that what was noted may not hold: nothing more is covered, and nothing kept.
  void GiveUp() { size_ = 0; }

  // The object has been read.
  void End();

 private:
  // An element of the section that is open. Its mark is made when it is wanted: of a single one it is not.
  struct Element {
    SectionMarks::Mark mark;
    const Type* type = nullptr;  // null: the mark is there
    std::string_view text;
    size_t tokens = 0;
  };

  // Never 0 nor kByElements.
  static uint64_t HashOf(const Type& content, std::string_view text);
  static SectionMarks::Mark MarkOf(const Type& content, std::string_view text, size_t tokens, uint32_t offset);
  uint32_t OffsetOf(const void* slot) const {
    return static_cast<uint32_t>(static_cast<const std::byte*>(slot) - object_);
  }
  // `slot` is about to be read.
  void LookUp(const void* slot);

  KeptVersions* versions_ = nullptr;
  const std::byte* object_ = nullptr;
  size_t size_ = 0;
  const metav1::ObjectMeta* metadata_ = nullptr;
  bool looked_ = false;
  bool prefetched_ = false;
  KeptVersions::Version before_;
  std::vector<SectionMarks::Mark> noted_;
  // Of the section that is open.
  const void* open_ = nullptr;
  Node* node_before_ = nullptr;
  size_t mark_before_ = 0;  // its place among before_.marks
  size_t same_elements_ = 0;
  std::vector<Element> elements_;
};

}  // namespace keelson::internal
