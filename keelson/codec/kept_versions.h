// A cache as its readers see it: who knows the version of an object that came before.
//
// From one version of an object to the next most of its text stays the same. A reader with KeptVersions hashes the text
// of each section, which is a list, map or optional struct that the object itself holds (metadata.labels,
// spec.containers), and of the elements of such a list. Where the version before was read from the same text, its node
// is taken over and the text is skipped.
//
//   JsonReader reader({.share_nodes = true, .versions = &cache});
//
// Only hashes are kept of the texts; where all elements of a list have one, the list needs none of its own. They have
// 64 bits and a seed that each process draws: that two texts of a section that follow each other have the same is as
// likely as 2^-64, which is taken for never.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace keelson {

// The hashes of one object's sections. Movable; one pointer.
class SectionMarks {
 public:
  // Objects that are larger have no marks.
  static constexpr size_t kLargestObject = 0xffff * sizeof(void*);
  static constexpr uint32_t kElement = kLargestObject;  // instead of an offset: of the section before, in order
  // Of one text.
  struct Mark {
    uint64_t hash = 0;    // 0: not known
    uint32_t offset = 0;  // of the section's handle in the object, or kElement
    uint16_t tokens = 0;  // of JSON: how many it has; what is longer has no mark
  };

  SectionMarks() = default;
  explicit SectionMarks(std::span<const Mark> marks);

  size_t size() const { return words_ == nullptr ? 0 : words_[0]; }
  Mark at(size_t i) const {
    const Rest rest = RestOf(i);
    return {.hash = words_[1 + i], .offset = rest.place * uint32_t{sizeof(void*)}, .tokens = rest.tokens};
  }
  // Where the mark of this section is, or size(). Those of its elements, if there are any, follow. It is looked for
  // from mark `from` on first, and then before it.
  size_t Find(uint32_t offset, size_t from = 0) const;
  // The processor may begin to get them from memory.
  void Prefetch() const {
    if (words_ != nullptr) __builtin_prefetch(words_.get());
  }

 private:
  // Handles are aligned to pointers, so that sixteen bits tell their places.
  struct Rest {
    uint16_t place;
    uint16_t tokens;
  };
  Rest RestOf(size_t i) const {
    Rest rest;
    std::memcpy(&rest, reinterpret_cast<const std::byte*>(words_.get() + 1 + words_[0]) + i * sizeof rest, sizeof rest);
    return rest;
  }

  // Their number, the hashes, then the rest of each.
  std::unique_ptr<uint64_t[]> words_;
};

class KeptVersions {
 public:
  struct Version {
    const void* object = nullptr;  // null: none is known
    const SectionMarks* marks = nullptr;

    // The processor may begin to get what the sections of the object are, as well.
    void PrefetchSections() const;
  };

  virtual ~KeptVersions() = default;

  // The object of that name probably comes behind the one that is read next: what is known of it may be got from
  // memory.
  virtual void Expect(std::string_view namespace_, std::string_view name) { (void)namespace_, (void)name; }
  // Of the object of that name, as a reader gave it and unchanged since. It stays there until the read is over.
  virtual Version Find(std::string_view namespace_, std::string_view name) = 0;
  // The object at hand has been read: these belong to it.
  virtual void Keep(SectionMarks marks) = 0;
};

}  // namespace keelson
