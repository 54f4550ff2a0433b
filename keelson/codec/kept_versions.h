// A cache as its readers see it: who knows the version of an object that came before.
//
// From one version of an object to the next most of its text stays the same. A reader with KeptVersions hashes the text
// of each section, which is a list, map or optional struct that the object itself holds (metadata.labels,
// spec.containers), and of the elements of such a list. Where the version before was read from the same text, its node
// is taken over and the text is skipped.
//
//   JsonReader reader({.share_nodes = true, .versions = &cache});
//
// Only hashes are kept of the texts. They have 64 bits and a seed that each process draws: that two texts of a section
// that follow each other have the same is as likely as 2^-64, which is taken for never.
#pragma once

#include <cstddef>
#include <cstdint>
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
  Mark at(size_t i) const;
  // Where the mark of this section is, or size(). Those of its elements, if there are any, follow.
  size_t Find(uint32_t offset) const;

 private:
  // Their number, the hashes, then four bytes for each: where it is, and the number of tokens.
  std::unique_ptr<uint64_t[]> words_;
};

class KeptVersions {
 public:
  struct Version {
    const void* object = nullptr;  // null: none is known
    const SectionMarks* marks = nullptr;
  };

  virtual ~KeptVersions() = default;

  // Of the object of that name, as a reader gave it and unchanged since. It stays there until the read is over.
  virtual Version Find(std::string_view namespace_, std::string_view name) = 0;
  // The object at hand has been read: these belong to it.
  virtual void Keep(SectionMarks marks) = 0;
};

}  // namespace keelson
